import { factory } from "../http/factory.ts";

/**
 * Redirects a path that other clients use but that is not part of the API. Does not require a key.
 * @param path the new path
 * @param from the old path; set only if all paths below it have moved as well
 */
export const movedTo = (path: string, from?: string) =>
  factory.createHandlers((c) => {
    const { pathname, search } = new URL(c.req.url);
    const below = from === undefined ? "" : pathname.slice(from.length);
    return c.redirect(`${path}${below}${search}`, 308);
  });
