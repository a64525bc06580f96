import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../database/connection.ts";
import { recordset } from "../../../database/recordset.ts";
import {
  type ContactError,
  daemonSecrets,
  daemons,
  discoverySessions,
  unreachableAfterFailures,
} from "../../../database/tables/index.ts";
import { nextPollGeneration } from "../../poll-generation.ts";

/** A claimed daemon. Its id is unique only within its organization. */
export interface LeasedDaemon extends Record<string, unknown> {
  organization_id: string;
  id: string;
  /** Null in messages from an older version. */
  network_id: string | null;
  url: string;
  /** Null if the daemon has no token. */
  sealed_token: string | null;
  /** Incremented by every claim. A result from an older generation is discarded. */
  poll_generation: number;
  /** The end of the lease in milliseconds since the epoch, according to the database's clock. */
  lease_expires_at: number;
  /** True if the daemon has acknowledged the service. */
  is_introduced: boolean;
  /** True if a scan of the daemon is waiting, is running, or has not been settled yet. */
  has_work: boolean;
}

/** A daemon, as returned by a claim. */
export interface ClaimedDaemon extends LeasedDaemon {
  /** True if its last poll was slow. */
  is_slow: boolean;
}

/** The outcome of a status request. */
export type PollOutcome =
  | {
      error: null;
      version: string | null;
      isReady: boolean;
      has_docker_socket: boolean;
      interfaced_cidrs: readonly string[];
    }
  | { error: ContactError; http_status: number | null };

/** The recorded result of a poll. `is_slow` is null if the daemon was not contacted. */
export interface PollResult
  extends Pick<LeasedDaemon, "organization_id" | "id" | "poll_generation"> {
  outcome: PollOutcome;
  is_slow: boolean | null;
  /** True if the daemon acknowledged the service in this poll. */
  is_introduced: boolean;
}

/** Duration of a lease: enough for the wait in the queue and a batch of daemons that do not respond. */
export const leaseSeconds = 300;

/**
 * Seconds until a healthy daemon is due again: less than a cycle, so that a daemon that is polled
 * late is due again in the next cycle.
 */
const healthyPollSeconds = 5;

/** Seconds until a failed poll is retried, doubled with every failure up to a maximum. */
const backoff = { first: 5, maximum: 30 };

/** Seconds until a token that could not be opened is tried again. */
const unreadableTokenSeconds = 300;

/**
 * The organizations of one claim, each with the maximum number of daemons to claim for it: either
 * all organizations whose ids follow a given id, or specific organizations.
 */
export type ClaimScope =
  | { after: string; share: number }
  | { organizations: readonly { id: string; share: number }[] };

/**
 * Selects all organizations with due daemons, in the order of their ids, with one index lookup
 * each.
 */
const everyOrganization = (after: string, share: number): SQL => sql`
  (select organization_id, ${share}::int from ${daemons}
    where due_at is not null and organization_id > ${after}::uuid
    order by organization_id limit 1)
  union all
  select (select organization_id from ${daemons}
    where due_at is not null and organization_id > organization.id
    order by organization_id limit 1), organization.share
  from organization where organization.id is not null`;

/**
 * Claims due daemons, up to each organization's share, except those of suspended organizations.
 * Daemons that have been due the longest come first. Skips rows that a concurrent cycle is claiming, so each daemon is claimed once.
 * @param limit maximum number of daemons across all organizations; the last organization may get
 *   less than its share
 */
export const claimDueDaemons = (database: Database, scope: ClaimScope, limit: number) =>
  database.execute<ClaimedDaemon>(sql`
    with recursive organization (id, share) as (${
      "after" in scope
        ? everyOrganization(scope.after, scope.share)
        : sql`select * from ${recordset("scope", scope.organizations, { id: "uuid", share: "int" })}`
    }),
    due as (
      select daemon.location from organization
      cross join lateral (
        select where not app.is_suspended(organization.id) offset 0) as active
      cross join lateral (
        select ctid as location from ${daemons}
        where organization_id = organization.id and due_at <= now()
        order by due_at
        limit organization.share
        for no key update skip locked) as daemon
      limit ${limit})
    update ${daemons} as daemon set
      lease_expires_at = now() + make_interval(secs => ${leaseSeconds}),
      poll_generation = ${nextPollGeneration(sql`daemon.poll_generation`)}
    -- For a join, the planner may read the whole table. The rows are locked, so their ctid is stable.
    where daemon.ctid = any (array(select due.location from due))
    returning daemon.id, daemon.organization_id, daemon.network_id, daemon.url, daemon.is_slow,
      daemon.introduced_at is not null as is_introduced,
      exists (
        select from ${discoverySessions} as session
        where session.organization_id = daemon.organization_id and session.daemon_id = daemon.id
          and (session.finished_at is null
            or (session.phase = 'Complete' and session.settled_at is null))) as has_work,
      daemon.poll_generation::float8,
      (extract(epoch from daemon.lease_expires_at) * 1000)::float8 as lease_expires_at,
      (select secret.sealed from ${daemonSecrets} as secret
        where secret.organization_id = daemon.organization_id and secret.daemon_id = daemon.id
          and secret.field = 'token') as sealed_token`);

/**
 * Records the results of polls, and returns the daemons that were updated. A result has no effect
 * if its lease has ended, if its daemon has since been claimed again or reset, or if its
 * organization is suspended. A token that cannot be opened is not treated as a failure of the
 * daemon. A response from a daemon also proves that its host is up.
 */
export const recordPolls = (database: Database, results: readonly PollResult[]) =>
  database.execute<{ organization_id: string; id: string; became_unreachable: boolean }>(sql`
    with result as (
      select *, coalesce(error <> 'token_unreadable', false) as has_failed
      from ${recordset("result", results.map(flat), {
        organization_id: "uuid",
        id: "uuid",
        poll_generation: "bigint",
        is_slow: "boolean",
        is_introduced: "boolean",
        version: "text",
        error: "text",
        http_status: "int",
        has_docker_socket: "boolean",
        interfaced_cidrs: "text[]",
      })}),
    recorded as (
    update ${daemons} as daemon set
      lease_expires_at = null,
      is_slow = coalesce(result.is_slow, daemon.is_slow),
      introduced_at = case when result.is_introduced then now() else daemon.introduced_at end,
      last_seen_at = case when result.error is null then now() else daemon.last_seen_at end,
      version = case when result.error is null then result.version else daemon.version end,
      has_docker_socket = coalesce(result.has_docker_socket, daemon.has_docker_socket),
      interfaced_cidrs = case when result.error is null
        then array(
          select distinct network(block::inet) from unnest(result.interfaced_cidrs) as block
          where not app.is_loopback(network(block::inet)) order by 1)
        else daemon.interfaced_cidrs end,
      consecutive_failures = case when result.error is null then 0
        else daemon.consecutive_failures + result.has_failed::int end,
      last_error = result.error,
      last_error_http_status = result.http_status,
      last_error_at = case when result.error is not null then now() end,
      unreachable_since = case when result.has_failed
        and daemon.consecutive_failures + 1 >= ${unreachableAfterFailures} then now() end,
      next_poll_at = case
        when result.error is null then now() + make_interval(secs => ${healthyPollSeconds})
        when not result.has_failed then now() + make_interval(secs => ${unreadableTokenSeconds})
        when daemon.consecutive_failures + 1 < ${unreachableAfterFailures} then now() + make_interval(
          secs => least(${backoff.first} * 2 ^ daemon.consecutive_failures, ${backoff.maximum}))
      end
    from result
    where daemon.organization_id = result.organization_id and daemon.id = result.id
      and daemon.poll_generation = result.poll_generation
      and daemon.lease_expires_at > now()
      and not app.is_suspended(daemon.organization_id)
    returning daemon.organization_id, daemon.id, daemon.is_unreachable as became_unreachable,
      daemon.host_id is not null and result.error is null as has_host)
    select recorded.organization_id, recorded.id, recorded.became_unreachable,
      case when recorded.has_host
        then app.see_host_of_daemon(recorded.organization_id, recorded.id) end as host
    from recorded`);

const flat = ({ outcome, ...result }: PollResult) => ({
  ...result,
  ...outcome,
});
