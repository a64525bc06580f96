import { sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { externalIdsTaken, externalIdViolations } from "../database/external-ids.ts";
import { type BodyPath, invalidReference } from "../database/failure.ts";
import { type Guard, invalidWhen, missingReferences } from "../database/guards.ts";
import { addAnyMembers, replaceMembers } from "../database/sets.ts";
import { daemons } from "../database/tables/index.ts";
import type { DaemonInput, ProvisionInput } from "./input.ts";
import { daemonResource, daemonTags } from "./model.ts";
import { nextRun } from "./schedule.ts";

/** Errors for records that are changed or deleted between the guards and the write. */
export const violations = {
  ...externalIdViolations("daemons"),
  daemons_network_fk: invalidReference("Network", "body.network_id"),
  daemon_tags_tag_fk: invalidReference("Tag", "body.tags"),
};

/**
 * Fails if the network or a tag does not exist for the caller, or if the external id is taken.
 * @param sent a daemon in a request, with its id
 * @param path the path prefix of its fields in the body
 */
export const daemonGuards = (
  sent: Pick<DaemonInput, "network_id" | "tags" | "external_id"> & { id: string },
  path: BodyPath,
): Guard[] => [
  ...missingReferences("Network", [{ id: sent.network_id, field: `${path}network_id` }]),
  ...missingReferences(
    "Tag",
    sent.tags.map((id) => ({ id, field: `${path}tags` as const })),
  ),
  ...externalIdsTaken(daemonResource, [sent], () => path),
];

/**
 * Fails if the network or the origin of the URL would change. The key is bound to the origin so
 * that a changed URL cannot cause it to be sent elsewhere.
 */
export const boundForLife = (
  id: string,
  { network_id, url }: DaemonInput,
  path: BodyPath,
): Guard[] => [
  invalidWhen(
    sql`exists (
      select from ${daemons} where daemons.id = ${id} and daemons.network_id <> ${network_id})`,
    `${path}network_id`,
    "must stay the same: provision a daemon on the other network",
  ),
  invalidWhen(
    sql`exists (
      select from ${daemons}
      where daemons.id = ${id} and app.origin_of(${daemons.url}) <> ${new URL(url).origin})`,
    `${path}url`,
    "must keep its scheme, host and port, to which the daemon's key is bound: provision a new daemon",
  ),
];

/** The first time at which a daemon's schedule is due, in RFC 3339. */
const nextScanOf = ({ scan_schedule }: Pick<DaemonInput, "scan_schedule">): string | null =>
  scan_schedule && (nextRun(scan_schedule, new Date())?.toISOString() ?? null);

/** Creates a daemon with its sealed token. */
export const insertDaemon = (
  database: Database,
  daemon: ProvisionInput & { id: string },
  sealedToken: string,
) => [
  database.execute(sql`
    insert into ${daemons} (organization_id, id, network_id, name, url, external_id, metadata,
      schedule_cron, schedule_timezone, schedule_is_full_scan, next_scan_at)
    values (app.organization_id(), ${daemon.id}, ${daemon.network_id}, ${daemon.name},
      ${daemon.url}, ${daemon.external_id}, ${JSON.stringify(daemon.metadata)},
      ${daemon.scan_schedule?.cron ?? null}, ${daemon.scan_schedule?.timezone ?? null},
      ${daemon.scan_schedule?.is_full_scan ?? null}, ${nextScanOf(daemon)})`),
  database.execute(sql`select app.store_daemon_token(${daemon.id}, ${sealedToken})`),
  ...addAnyMembers(
    database,
    daemonTags,
    daemon.tags.map((member) => ({ owner: daemon.id, member })),
  ),
];

/** Replaces the fields that callers can write. The daemon must be locked. */
export const replaceDaemon = (database: Database, id: string, daemon: DaemonInput) => [
  database.execute(sql`
    update ${daemons} set name = ${daemon.name}, url = ${daemon.url},
      external_id = ${daemon.external_id}, metadata = ${JSON.stringify(daemon.metadata)},
      receives_credentials = coalesce(${daemon.receives_credentials ?? null}, receives_credentials),
      schedule_cron = sent.cron, schedule_timezone = sent.timezone,
      schedule_is_full_scan = ${daemon.scan_schedule?.is_full_scan ?? null}::boolean,
      -- If the schedule is unchanged, a scan that is due stays due.
      next_scan_at = case when (sent.cron, sent.timezone)
        is distinct from (schedule_cron, schedule_timezone) then sent.next_at else next_scan_at end
    from (select ${daemon.scan_schedule?.cron ?? null}::text as cron,
      ${daemon.scan_schedule?.timezone ?? null}::text as timezone,
      ${nextScanOf(daemon)}::timestamptz as next_at) as sent
    where daemons.id = ${id}`),
  replaceMembers(database, daemonTags, id, daemon.tags),
];
