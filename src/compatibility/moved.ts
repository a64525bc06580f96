import { factory } from "../http/factory.ts";

/**
 * A path of older clients, which is not part of the API. To say where it is now needs no key.
 * @param path where it is
 */
export const movedTo = (path: string) =>
  factory.createHandlers((c) => c.redirect(`${path}${new URL(c.req.url).search}`, 308));
