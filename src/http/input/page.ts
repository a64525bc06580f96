import type * as z from "zod";
import { cursorText } from "../list/cursor.ts";
import { integerText } from "./integer.ts";

/** Where a page lies (API contract, section 4): `limit` 0 means everything. */
export const pageQuery = {
  limit: integerText(0, 1000).default(50),
  offset: integerText(0).default(0),
};

/** A page of a list that can be walked: at an offset, or where a cursor goes on (API contract, section 13). */
export const walkQuery = { ...pageQuery, cursor: cursorText.optional() };

/** What {@link walkQuery} cannot say of its parameters by themselves. */
export function checkWalk({
  value: { cursor, limit, offset },
  issues,
}: z.core.ParsePayload<{ cursor?: unknown; limit?: unknown; offset?: unknown }>): void {
  const refuse = (name: string, input: unknown, message: string) =>
    issues.push({ code: "custom", path: [name], input, message });
  if (cursor !== undefined && offset !== 0) {
    refuse("offset", offset, "must be left out with a cursor, which says itself where to go on");
  }
  if (cursor !== undefined && limit === 0) {
    refuse("limit", limit, "must be a whole number from 1 to 1000 with a cursor");
  }
}
