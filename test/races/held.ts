import { expect } from "vitest";
import { type enter, sql } from "../helpers/database.ts";

type Query = ReturnType<typeof enter>;

/** A transaction that has changed something, and waits with it. */
export interface Held {
  /** Lets it go on, and waits until it is committed. */
  commit(): Promise<void>;
  /** Kills its connection, and waits until nothing is left of it. */
  kill(): Promise<void>;
}

/**
 * Begins a transaction of the database's owner and holds it between two parts. One that is neither committed nor killed
 * ends after ten minutes.
 * @param before what it has done when this resolves
 * @param after what it does once it goes on
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
