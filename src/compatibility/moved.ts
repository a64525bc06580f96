import { factory } from "../http/factory.ts";

/**
 * /api/hosts and /api/services: paths from before there were versions, which older clients use. They are
 * not part of the API, and to say where it is now needs no key.
 */
export const moved = factory.createHandlers((c) => {
  const { pathname, search } = new URL(c.req.url);
  return c.redirect(`${pathname.replace("/api/", "/api/v1/")}${search}`, 308);
});
