import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../database/columns-of.ts";
import { membersOf } from "../database/sets.ts";
import { contactErrors, daemons } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { integer } from "../http/input/integer.ts";
import { ownDataFields } from "../http/input/own-data.ts";
import { sortedIds } from "../http/input/set.ts";
import { name, textOf } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { recordFields } from "../http/verbs/record.ts";
import { versionStatus, versionStatuses } from "./version-status.ts";

const lastErrorSchema = z
  .object({
    code: z.enum(contactErrors),
    http_status: z.int().min(100).max(599).nullable(),
    occurred_at: timestamp,
  })
  .meta({
    id: "DaemonError",
    description:
      "The time and cause of the daemon's last failure. `http_status` is the status of its response, from 100 to 599. `token_unreadable`: the service could not open the daemon's token and did not contact the daemon; this does not count as a failure.",
  });

const versionStatusSchema = z
  .object({
    version: textOf(1, 64).nullable(),
    status: z.enum(versionStatuses),
    warnings: z.array(z.string().max(500)).max(0),
  })
  .meta({
    id: "DaemonVersionStatus",
    description:
      "The support status of the daemon's version: `Outdated` before 0.12.0, `Unknown` if the version is missing or does not start with three numbers.",
  });

const scheduleSchema = z
  .object({
    cron: z.string().max(100),
    timezone: z.string().max(64),
    is_full_scan: z.boolean().nullable(),
  })
  .meta({
    id: "ScanSchedule",
    description:
      "The schedule of a daemon's scans: five cron fields, in an IANA time zone. If scans came due while the service was down, one scan makes up for them.",
  });

const capabilitiesSchema = z
  .object({
    has_docker_socket: z.boolean(),
    interfaced_subnet_ids: sortedIds("The known subnets that the daemon is attached to."),
  })
  .meta({
    id: "DaemonCapabilities",
    description: "The capabilities of the daemon, according to its last status.",
  });

/** A daemon in responses: without its token, its lease and its polling state. */
export const daemonSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    network_id: id,
    host_id: id.nullable().meta({
      description: "The host that the daemon runs on; null if unknown.",
    }),
    name,
    url: textOf(1, 2048),
    ...ownDataFields,
    tags: sortedIds("Its tags."),
    scan_schedule: scheduleSchema.nullable().meta({
      description: "The schedule of its automatic scans, or null.",
    }),
    mode: z.enum(["server_poll"]),
    version: textOf(1, 64).nullable(),
    version_status: versionStatusSchema,
    last_seen: timestamp.nullable(),
    is_unreachable: z.boolean(),
    unreachable_since: timestamp.nullable(),
    consecutive_failures: integer(),
    next_poll_at: timestamp.nullable().meta({
      description:
        "Null for an unreachable daemon, which the service does not poll until its connection is retried.",
    }),
    last_error: lastErrorSchema.nullable(),
    capabilities: capabilitiesSchema,
    user_id: id.nullable().meta({
      description: "Always null: daemons are provisioned with API keys, not with user accounts.",
    }),
    receives_credentials: z.boolean().meta({
      description:
        "True if its scans receive the credentials of the network and its hosts: an Admin has provisioned the daemon, or has since set this field.",
    }),
  })
  .meta({
    id: "Daemon",
    description: "A discovery agent on one of your networks. The service polls it.",
  });
type Daemon = z.output<typeof daemonSchema>;

export const daemonTags = { table: "daemon_tags", owner: "daemon_id", member: "tag_id" } as const;

const daemonColumns = {
  ...columnsOf(
    daemons,
    daemonSchema.omit({
      last_error: true,
      tags: true,
      scan_schedule: true,
      capabilities: true,
      user_id: true,
    }),
  ),
  tags: membersOf(daemonTags, { table: sql`${daemons}` }),
  scan_schedule: sql<z.output<
    typeof scheduleSchema
  > | null>`case when ${daemons.schedule_cron} is not null
    then jsonb_build_object('cron', ${daemons.schedule_cron}, 'timezone', ${daemons.schedule_timezone},
      'is_full_scan', ${daemons.schedule_is_full_scan}) end`,
  capabilities: sql<z.output<typeof capabilitiesSchema>>`jsonb_build_object(
    'has_docker_socket', ${daemons.has_docker_socket},
    'interfaced_subnet_ids', case when ${daemons.interfaced_cidrs} = '{}' then '[]' else
      app.interfaced_subnet_ids(${daemons.organization_id}, ${daemons.network_id}, ${daemons.interfaced_cidrs}) end)`,
  last_seen: daemons.last_seen_at,
  last_error: daemons.last_error,
  last_error_http_status: daemons.last_error_http_status,
  last_error_at: daemons.last_error_at,
};

function toDaemon({
  last_error,
  last_error_http_status,
  last_error_at,
  ...daemon
}: RowOf<typeof daemonColumns>): Daemon {
  return {
    ...daemon,
    mode: "server_poll",
    user_id: null,
    version_status: versionStatus(daemon.version),
    last_error:
      last_error && last_error_at
        ? { code: last_error, http_status: last_error_http_status, occurred_at: last_error_at }
        : null,
  };
}

export const daemonResource = {
  entity: "Daemon" as const,
  schema: daemonSchema,
  path: "/api/v1/daemons",
  table: daemons,
  columns: daemonColumns,
  observed: sql`row(${daemons.version}, ${daemons.last_seen_at}, ${daemons.consecutive_failures},
    ${daemons.unreachable_since}, ${daemons.last_error}, ${daemons.last_error_http_status},
    ${daemons.last_error_at}, ${daemons.next_poll_at}, ${daemons.has_docker_socket},
    ${daemons.interfaced_cidrs})`,
  orderFields: {
    created_at: daemons.created_at,
    updated_at: daemons.updated_at,
    name: sql`${daemons.name} collate "C"`,
    network_id: daemons.network_id,
    last_seen: daemons.last_seen_at,
  },
  toItem: toDaemon,
};
