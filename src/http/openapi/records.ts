import * as z from "zod";
import { annotations } from "./describe.ts";

/** An identifier in an answer: always lower case. */
export const uuidAnswer = () =>
  z.guid().register(annotations, {
    pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    maxLength: 36,
  });

/** An instant in an answer: RFC 3339 in UTC with milliseconds (API contract, section 1). */
export const instantAnswer = () =>
  z.iso.datetime({ precision: 3 }).register(annotations, {
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$",
    maxLength: 24,
  });

/** A whole number from zero on, that fits Postgres' integer. */
export const countAnswer = () => z.int().min(0).max(2_147_483_647);

/** What every record carries. */
export const recordAnswer = {
  id: uuidAnswer(),
  created_at: instantAnswer(),
  updated_at: instantAnswer(),
};
