import { factory } from "../http/factory.ts";

/**
 * A path of other clients, which is not part of the API. To say where it is now needs no key.
 * @param path where it is
 * @param from the former path, where all below it has moved along
 */
export const movedTo = (path: string, from?: string) =>
  factory.createHandlers((c) => {
    const { pathname, search } = new URL(c.req.url);
    const below = from === undefined ? "" : pathname.slice(from.length);
    return c.redirect(`${path}${below}${search}`, 308);
  });
