import { eq } from "drizzle-orm";
import { inject } from "vitest";
import type { LeasedDaemon } from "../../src/daemons/poller/claim/state.ts";
import { daemons } from "../../src/database/tables/index.ts";
import type { Behavior, SeenRequest } from "./daemon-behavior.ts";
import { database, sql } from "./database.ts";

/** A daemon on a local port, which is healthy by default. */
export function raiseDaemon() {
  const url = `${inject("daemonFarm")}/${crypto.randomUUID()}`;
  return {
    url,
    async behave(behavior: Behavior): Promise<void> {
      await fetch(url, { method: "PUT", body: JSON.stringify(behavior) });
    },
    /** Responds to the held polls. */
    async release(): Promise<void> {
      await fetch(`${url}/release`, { method: "POST" });
    },
    /** The polls that it received. */
    async requests(): Promise<SeenRequest[]> {
      const calls: SeenRequest[] = await (await fetch(url)).json();
      return calls.filter(({ path }) => path?.endsWith("/api/status"));
    },
    /** All requests that it received. */
    async calls(): Promise<SeenRequest[]> {
      return (await fetch(url)).json();
    },
  };
}

/** Reads all columns of a daemon. */
export async function daemonRow(id: string) {
  const [row] = await database.select().from(daemons).where(eq(daemons.id, id));
  if (!row) {
    throw new Error(`There is no daemon ${id}.`);
  }
  return row;
}

/** The sealed token of a daemon. */
export async function sealedToken(id: string): Promise<string> {
  const [secret] = await sql`
    select sealed from daemon_secrets where daemon_id = ${id} and field = 'token'`;
  return String(secret?.["sealed"]);
}

/** Leases a daemon as a cycle does. Returns its part of the queue's message. */
export async function leaseDaemon(id: string): Promise<LeasedDaemon> {
  // Runs as the poller, whose writes do not change updated_at.
  await sql.transaction([
    sql`select set_config('role', 'inventory_poller', true)`,
    sql`
      update daemons set lease_expires_at = now() + interval '5 minutes',
        poll_generation = poll_generation + 1
      where id = ${id}`,
  ]);
  const { organization_id, network_id, url, poll_generation, lease_expires_at, introduced_at } =
    await daemonRow(id);
  const open = await sql`
    select from discovery_sessions where daemon_id = ${id}
      and (finished_at is null or (phase = 'Complete' and settled_at is null)) limit 1`;
  return {
    organization_id,
    id,
    network_id,
    url,
    sealed_token: await sealedToken(id),
    poll_generation,
    lease_expires_at: Date.parse(lease_expires_at ?? ""),
    is_introduced: introduced_at !== null,
    has_work: open.length > 0,
  };
}

/** Lets a daemon's lease expire. */
export const endLease = (id: string) =>
  sql`update daemons set lease_expires_at = now() - interval '1 ms' where id = ${id}`;

/**
 * The number of seconds from the last write of a daemon's state to its next poll, according to the
 * database.
 */
export async function secondsToNextPoll(id: string): Promise<number> {
  const [row] = await sql`
    select extract(epoch from next_poll_at - coalesce(last_error_at, last_seen_at))::float8 as seconds
    from daemons where id = ${id}`;
  return Math.round(Number(row?.["seconds"]));
}
