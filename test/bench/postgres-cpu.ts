import { existsSync } from "node:fs";
import type pg from "pg";
import { cpuMs } from "./process.ts";

/** The CPU time that every other connection to the client's database has used so far. */
async function usedBy(client: pg.Client): Promise<Map<number, number>> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  // A backend that has just ended has not served a recent request.
  const alive = rows.filter(({ pid }) => existsSync(`/proc/${pid}/task/${pid}`));
  return new Map(alive.map(({ pid }) => [pid, cpuMs(pid)]));
}

/**
 * The CPU time, in milliseconds, that Postgres spends on requests from other connections to a
 * client's database while `ask` runs. A busy machine hardly affects it, since waiting is excluded.
 * Postgres' background processes are excluded too.
 */
export async function postgresCpuMs(
  client: pg.Client,
  ask: () => Promise<unknown>,
): Promise<number> {
  const before = await usedBy(client);
  await ask();
  let spent = 0;
  for (const [pid, used] of await usedBy(client)) {
    spent += used - (before.get(pid) ?? 0);
  }
  return spent;
}
