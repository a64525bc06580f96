import { type SQL, sql } from "drizzle-orm";
import type { TenantSession } from "../database/session.ts";
import type { Settings } from "../env.ts";
import { cursorOf } from "../http/list/cursor.ts";
import { type Change, type ChangeRow, toChange } from "./model.ts";

/** The last row is no change, but where to go on. */
type Row = ChangeRow & { has_more: boolean | null };

/**
 * Reads changes by a function of the database that returns them, in one call.
 * @param list which list the cursor behind them belongs to
 * @param call a call of `app.changes`, or of a function with the same result
 * @param isWhole whether it returns whole records
 */
export async function readChanges(
  { tenant, settings }: { tenant: TenantSession; settings: Settings },
  list: string,
  call: SQL,
  isWhole: boolean,
): Promise<{ changes: Change[]; next_cursor: string; has_more: boolean }> {
  const [{ rows }] = await tenant.run((database) => [
    database.execute<Row>(sql`select * from ${call}`),
  ]);
  const end = rows.pop();
  if (!tenant.caller || !end || end.has_more === null) {
    throw new Error("The changes did not say where to go on.");
  }
  return {
    changes: rows.map((row) => toChange(row, isWhole)),
    next_cursor: await cursorOf(settings, list, { ...end, ...tenant.caller }),
    has_more: end.has_more,
  };
}
