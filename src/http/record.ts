import { id } from "./input/id.ts";
import { timestamp } from "./input/timestamp.ts";

/** What every record carries. */
export const recordFields = { id, created_at: timestamp, updated_at: timestamp };
