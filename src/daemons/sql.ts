import { sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { invalidReference } from "../database/failure.ts";
import { type Guard, invalidWhen, missingReferences } from "../database/guards.ts";
import { addMembers, replaceMembers } from "../database/sets.ts";
import { daemons } from "../database/tables/index.ts";
import type { DaemonInput, ProvisionInput } from "./input.ts";
import { daemonTags } from "./model.ts";
import { nextRun } from "./schedule.ts";

/** Records that vanish between the guards and the write. */
export const violations = {
  daemons_network_fk: invalidReference("Network", "body.network_id"),
  daemon_tags_tag_fk: invalidReference("Tag", "body.tags"),
};

/** A daemon refers to a network or a tag that does not exist for the caller. */
export const foreignReferences = (sent: {
  network_id: string;
  tags: readonly string[];
}): Guard[] => [
  ...missingReferences("Network", [{ id: sent.network_id, field: "body.network_id" }]),
  ...missingReferences(
    "Tag",
    sent.tags.map((id) => ({ id, field: "body.tags" })),
  ),
];

/**
 * What a daemon keeps for life: its network, and the origin of its URL, to which its key is bound
 * (so that a changed URL leads the key nowhere else).
 */
export const boundForLife = (id: string, { network_id, url }: DaemonInput): Guard[] => [
  invalidWhen(
    sql`exists (
      select from ${daemons} where daemons.id = ${id} and daemons.network_id <> ${network_id})`,
    "body.network_id",
    "must stay the same: provision a daemon on the other network",
  ),
  invalidWhen(
    sql`exists (
      select from ${daemons}
      where daemons.id = ${id} and app.origin_of(${daemons.url}) <> ${new URL(url).origin})`,
    "body.url",
    "must keep its scheme, host and port, to which the daemon's key is bound: provision a new daemon",
  ),
];

/** When the schedule of a daemon first comes due, in RFC 3339. */
const nextScanOf = ({ scan_schedule }: Pick<DaemonInput, "scan_schedule">): string | null =>
  scan_schedule && (nextRun(scan_schedule, new Date())?.toISOString() ?? null);

/** Creates a daemon with its sealed token. */
export const insertDaemon = (
  database: Database,
  daemon: ProvisionInput & { id: string },
  sealedToken: string,
) => [
  database.execute(sql`
    insert into ${daemons} (organization_id, id, network_id, name, url, schedule_cron,
      schedule_timezone, schedule_is_full_scan, next_scan_at)
    values (app.organization_id(), ${daemon.id}, ${daemon.network_id}, ${daemon.name},
      ${daemon.url}, ${daemon.scan_schedule?.cron ?? null}, ${daemon.scan_schedule?.timezone ?? null},
      ${daemon.scan_schedule?.is_full_scan ?? null}, ${nextScanOf(daemon)})`),
  database.execute(sql`select app.store_daemon_token(${daemon.id}, ${sealedToken})`),
  addMembers(
    database,
    daemonTags,
    daemon.tags.map((member) => ({ owner: daemon.id, member })),
  ),
];

/** Replaces what callers say of a locked daemon. */
export const replaceDaemon = (database: Database, id: string, daemon: DaemonInput) => [
  database.execute(sql`
    update ${daemons} set name = ${daemon.name}, url = ${daemon.url},
      receives_credentials = coalesce(${daemon.receives_credentials ?? null}, receives_credentials),
      schedule_cron = sent.cron, schedule_timezone = sent.timezone,
      schedule_is_full_scan = ${daemon.scan_schedule?.is_full_scan ?? null}::boolean,
      -- A schedule that stays does not lose what is due.
      next_scan_at = case when (sent.cron, sent.timezone)
        is distinct from (schedule_cron, schedule_timezone) then sent.next_at else next_scan_at end
    from (select ${daemon.scan_schedule?.cron ?? null}::text as cron,
      ${daemon.scan_schedule?.timezone ?? null}::text as timezone,
      ${nextScanOf(daemon)}::timestamptz as next_at) as sent
    where daemons.id = ${id}`),
  replaceMembers(database, daemonTags, id, daemon.tags),
];
