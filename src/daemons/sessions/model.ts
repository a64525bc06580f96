import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { setMaximum } from "../../database/sets.ts";
import { discoverySessions, maxSessionError, sessionPhases } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { recordFields } from "../../http/verbs/record.ts";

/** A scan in responses (API contract, section 10). */
export const sessionSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    network_id: id,
    daemon_id: id,
    phase: z.enum(sessionPhases).meta({
      description:
        "Goes forward only. `Queued` waits for its daemon, `Complete`, `Failed` and `Cancelled` are final.",
    }),
    progress: z.int().min(0).max(100).meta({ description: "In percent." }),
    hosts_discovered: integer().nullable().meta({
      description: "How many hosts the daemon says that it has found; null until it has said so.",
    }),
    error: z.string().max(maxSessionError).nullable().meta({
      description:
        "Why it failed. `stalled`: the daemon reported nothing new for five minutes, or no longer knows of the scan. `url_not_encrypted`: the daemon's URL is not https. `url_forbidden`: the service may not call it. `credential_unreadable`: the service could not open one. `too_many_credentials`: the network has more than a scan may take along. `work_refused`: the daemon did not accept the work. `failed`: the daemon did not say why. Anything else is the daemon's own text.",
    }),
    subnet_ids: z.array(id).max(setMaximum).nullable().meta({
      description: "The subnets to scan; null for all that the daemon is attached to.",
    }),
    is_full_scan: z.boolean().nullable().meta({
      description:
        "Whether it looks at all TCP ports, or only at well-known ones and those that its credentials need; null until it is handed to its daemon, unless it was asked for as one of them.",
    }),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    cancel_requested_at: timestamp.nullable().meta({
      description: "When it was asked to end; the daemon hears of it with its next poll.",
    }),
  })
  .meta({
    id: "DiscoverySession",
    description: "A scan of a network by one of its daemons.",
  });
export type DiscoverySession = z.output<typeof sessionSchema>;

const columns = columnsOf(discoverySessions, sessionSchema);

/** The resource `discovery/sessions`. */
export const sessionResource = {
  entity: "DiscoverySession" as const,
  schema: sessionSchema,
  path: "/api/v1/discovery/sessions",
  table: discoverySessions,
  columns,
  bytes: sql`(2500 + 39 * coalesce(cardinality(${discoverySessions.subnet_ids}), 0))`,
  orderFields: {
    created_at: discoverySessions.created_at,
    updated_at: discoverySessions.updated_at,
    phase: sql`array_position(${sql.param(sessionPhases)}::text[], ${discoverySessions.phase})`,
  },
  toItem: (row: RowOf<typeof columns>): DiscoverySession => row,
};
