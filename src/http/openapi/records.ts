import * as z from "zod";

/** An identifier in an answer: always lower case. */
export const uuidAnswer = () => z.guid();

/** An instant in an answer: RFC 3339 in UTC with milliseconds (API contract, section 1). */
export const instantAnswer = () => z.iso.datetime({ precision: 3 });

/** A whole number from zero on, that fits Postgres' integer. */
export const countAnswer = () => z.int().min(0).max(2_147_483_647);

/** What every record carries. */
export const recordAnswer = {
  id: uuidAnswer(),
  created_at: instantAnswer(),
  updated_at: instantAnswer(),
};
