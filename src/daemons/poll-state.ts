import { sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { type ContactError, daemons, unreachableAfterFailures } from "../database/schema/index.ts";

/** A daemon that is to be polled. */
export interface ClaimedDaemon extends Record<string, unknown> {
  id: string;
  url: string;
  sealed_token: string;
  /** What the result must still find. */
  poll_generation: number;
  /** When the lease ends, in milliseconds since the epoch, by the database's clock. */
  lease_expires_at: number;
}

/** What came of a poll. */
export type PollOutcome =
  | { error: null; version: string | null }
  | { error: ContactError; http_status: number | null };

/** What is recorded of a poll. */
export type PollResult = Pick<ClaimedDaemon, "id" | "poll_generation"> & { outcome: PollOutcome };

/** Seconds for which a claim holds: a batch of dead daemons, and as long in the queue before it. */
export const leaseSeconds = 300;

/** Seconds after which a daemon that answered is due again: polled late in one cycle, yet due for the next. */
const healthyPollSeconds = 5;

/** Seconds after which a failed poll is repeated, doubled with every failure up to a maximum. */
const backoff = { first: 5, maximum: 30 };

/**
 * Claims daemons that are due, the longest due first. Cycles that run at the same time pass over
 * what another one is claiming, so each daemon is claimed once.
 */
export const claimDueDaemons = (database: Database, limit: number) =>
  database.execute<ClaimedDaemon>(sql`
    with due as (
      select id from ${daemons}
      where next_poll_at <= now() and (lease_expires_at is null or lease_expires_at <= now())
      order by next_poll_at
      limit ${limit}
      for no key update skip locked)
    update ${daemons} as daemon set
      lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
      poll_generation = daemon.poll_generation + 1
    from due where daemon.id = due.id
    returning daemon.id, daemon.url, daemon.sealed_token, daemon.poll_generation::int,
      (extract(epoch from daemon.lease_expires_at) * 1000)::float8 as lease_expires_at`);

/**
 * Records the results of polls; returns the daemons that took theirs. A result whose lease has ended,
 * or whose daemon was claimed or reset since, changes nothing.
 */
export const recordPolls = (database: Database, results: readonly PollResult[]) =>
  database.execute<{ id: string; became_unreachable: boolean }>(sql`
    with result as (
      select * from jsonb_to_recordset(${JSON.stringify(results.map(flat))}::jsonb)
        as result (id uuid, poll_generation bigint, version text, error text, http_status int))
    update ${daemons} as daemon set
      lease_expires_at = null,
      last_seen_at = case when result.error is null then now() else daemon.last_seen_at end,
      version = case when result.error is null then result.version else daemon.version end,
      consecutive_failures =
        case when result.error is null then 0 else daemon.consecutive_failures + 1 end,
      last_error = result.error,
      last_error_http_status = result.http_status,
      last_error_at = case when result.error is not null then now() end,
      unreachable_since = case when result.error is not null
        and daemon.consecutive_failures + 1 >= ${unreachableAfterFailures} then now() end,
      next_poll_at = case
        when result.error is null then now() + make_interval(secs => ${healthyPollSeconds})
        when daemon.consecutive_failures + 1 < ${unreachableAfterFailures} then now() + make_interval(
          secs => least(${backoff.first} * 2 ^ daemon.consecutive_failures, ${backoff.maximum}))
      end
    from result
    where daemon.id = result.id and daemon.poll_generation = result.poll_generation
      and daemon.lease_expires_at > now()
    returning daemon.id, daemon.is_unreachable as became_unreachable`);

const flat = ({ id, poll_generation, outcome }: PollResult) => ({
  id,
  poll_generation,
  ...outcome,
});
