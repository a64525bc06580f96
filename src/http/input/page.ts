import type * as z from "zod";
import { cursorText } from "../list/cursor.ts";
import { integerText } from "./integer.ts";

/** The parameters of a page (API contract, section 4). A `limit` of 0 returns everything. */
export const pageQuery = {
  limit: integerText(0, 1000).default(50),
  offset: integerText(0).default(0),
};

/** The maximum number of records in a page of a list that is computed for each request. */
const maximumComputed = 10_000;

/**
 * The number of records in a page of a list that is computed for each request, and therefore in
 * memory: a `limit` of 0 returns the maximum.
 */
export const computedLimit = (limit: number): number => limit || maximumComputed;

/**
 * The parameters of a page in a list with cursors: an offset or a cursor (API contract, section
 * 13).
 */
export const walkQuery = { ...pageQuery, cursor: cursorText.optional() };

/** Checks the combinations of {@link walkQuery}'s parameters. */
export function checkWalk({
  value: { cursor, limit, offset },
  issues,
}: z.core.ParsePayload<{ cursor?: unknown; limit?: unknown; offset?: unknown }>): void {
  const refuse = (name: string, input: unknown, message: string) =>
    issues.push({ code: "custom", path: [name], input, message });
  if (cursor !== undefined && offset !== 0) {
    refuse("offset", offset, "must be omitted with a cursor, which contains the position");
  }
  if (cursor !== undefined && limit === 0) {
    refuse("limit", limit, "must be a whole number from 1 to 1000 with a cursor");
  }
}
