import { type SQL, sql } from "drizzle-orm";
import type { TenantSession } from "../database/session.ts";
import type { Settings } from "../env.ts";
import { cursorOf } from "../http/list/cursor.ts";
import { type Change, type ChangeRow, toChange } from "./model.ts";

/** A row of the result. The last row is not a change: it contains the position of the next page. */
type Row = ChangeRow & { has_more: boolean | null };

/** `isAtEnd` is true if no further change can appear before the end of the list. */
export interface ChangePage {
  changes: Change[];
  next_cursor: string;
  has_more: boolean;
  isAtEnd: boolean;
}

/**
 * Reads changes with a database function, in one call.
 * @param list the list that the next cursor belongs to
 * @param call a call to `app.changes`, or to a function with the same result
 * @param isWhole true if it returns whole records
 * @param until the instant at which the list ends; the next cursor contains it
 */
export async function readChanges(
  { tenant, settings }: { tenant: TenantSession; settings: Settings },
  list: string,
  call: SQL,
  isWhole: boolean,
  until?: string,
): Promise<ChangePage> {
  const [{ rows }] = await tenant.run((database) => [
    database.execute<Row>(sql`select * from ${call}`),
  ]);
  const end = rows.pop();
  if (!tenant.caller || !end || end.has_more === null) {
    throw new Error("The changes have no next position.");
  }
  return {
    changes: rows.map((row) => toChange(row, isWhole)),
    next_cursor: await cursorOf(settings, list, { ...end, ...tenant.caller, until }),
    has_more: end.has_more,
    isAtEnd: until !== undefined && end.at >= until,
  };
}
