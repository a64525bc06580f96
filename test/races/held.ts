import { expect } from "vitest";
import { type enter, sql } from "../helpers/database.ts";

type Query = ReturnType<typeof enter>;

/** A transaction that has made a change, and waits before its next part. */
export interface Held {
  /** Continues the transaction and waits for it to commit. */
  commit(): Promise<void>;
  /** Kills the connection, and waits until the transaction has failed. */
  kill(): Promise<void>;
}

/**
 * Begins a transaction as the database owner, and holds it between two parts. Without `commit` or
 * `kill`, it ends after ten minutes.
 * @param before the statements that have run by the time this resolves
 * @param after the statements that run once it continues
 */
export async function hold(before: readonly Query[], after: readonly Query[] = []): Promise<Held> {
  const marker = crypto.randomUUID();
  const ends = sql.transaction([
    ...before,
    sql`set local statement_timeout = 0`,
    sql.query(`do $$ begin
      perform pg_sleep(600) /* ${marker} */; exception when query_canceled then null; end $$`),
    ...after,
  ]);
  const isCommitted = ends.then(
    () => true,
    () => false,
  );
  const end = (how: string) =>
    sql.query(
      `select ${how}(pid) from pg_stat_activity
       where position($1 in query) > 0 and wait_event = 'PgSleep'`,
      [marker],
    );
  await expect.poll(async () => (await end("abs")).length, { timeout: 10_000 }).toBe(1);
  return {
    async commit() {
      await end("pg_cancel_backend");
      await ends;
    },
    async kill() {
      await end("pg_terminate_backend");
      expect(await isCommitted).toBe(false);
    },
  };
}
