import { factory } from "../http/factory.ts";

/**
 * Redirects a path of other clients, which is not part of the API. Needs no key.
 * @param path the new path
 * @param from the former path, if all paths below it moved as well
 */
export const movedTo = (path: string, from?: string) =>
  factory.createHandlers((c) => {
    const { pathname, search } = new URL(c.req.url);
    const below = from === undefined ? "" : pathname.slice(from.length);
    return c.redirect(`${path}${below}${search}`, 308);
  });
