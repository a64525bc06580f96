import { existsSync } from "node:fs";
import type pg from "pg";
import { cpuMs } from "./process.ts";

/** What each connection to a client's database has used so far, but the client's own. */
async function usedBy(client: pg.Client): Promise<Map<number, number>> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  // One that ends meanwhile has served nobody lately.
  const alive = rows.filter(({ pid }) => existsSync(`/proc/${pid}/task/${pid}`));
  return new Map(alive.map(({ pid }) => [pid, cpuMs(pid)]));
}

/**
 * The CPU time, in milliseconds, that Postgres spends on what others ask of a client's database meanwhile. A busy
 * machine hardly moves it, as waiting is not part of it. What Postgres writes in the background is not either.
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
