import { sql } from "./database.ts";

/** Runs the job once, folding at most `maximum` rows. Returns the number of folded rows. */
export async function foldOnce(maximum: number): Promise<number> {
  const [, rows] = await sql.transaction([
    sql`set local role inventory_poller`,
    sql`select app.fold_count_deltas(${maximum}) as folded`,
  ]);
  return Number(rows?.[0]?.["folded"]);
}

/** Calls `foldOnce` until no rows are left to fold. Assumes that there are no other writers. */
export async function foldAll(): Promise<void> {
  while ((await foldOnce(1000)) > 0) {}
}
