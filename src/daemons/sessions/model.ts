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
    host_id: id.nullable().meta({
      description:
        "The only host that the scan may change, which may have been deleted since; null for a scan of the network.",
    }),
    phase: z.enum(sessionPhases).meta({
      description:
        "Never moves back. A `Queued` scan is waiting for its daemon; `Complete`, `Failed` and `Cancelled` are final.",
    }),
    progress: z.int().min(0).max(100).meta({ description: "In percent." }),
    hosts_discovered: integer().nullable().meta({
      description:
        "The number of hosts discovered so far, as reported by the daemon; null until it reports a number.",
    }),
    error: z.string().max(maxSessionError).nullable().meta({
      description:
        "The reason why the scan failed. `stalled`: the daemon reported nothing new for five minutes, or no longer knows the scan. `url_not_encrypted`: the daemon's URL is not https. `url_forbidden`: the service is not allowed to call the daemon's URL. `credential_unreadable`: the service could not open a credential. `too_many_credentials`: the network has more credentials than a scan can include. `work_refused`: the daemon did not accept the scan. `host_deleted`: the host was deleted before its scan started. `failed`: the daemon gave no reason. Any other value is the daemon's own text.",
    }),
    subnet_ids: z.array(id).max(setMaximum).nullable().meta({
      description: "The subnets to scan; null for all subnets that the daemon is attached to.",
    }),
    is_full_scan: z.boolean().nullable().meta({
      description:
        "True if the scan covers all TCP ports; false if it covers only well-known ports and the ports that its credentials need. Null until the scan is sent to its daemon, unless the request chose a value.",
    }),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    cancel_requested_at: timestamp.nullable().meta({
      description:
        "The time at which cancellation was requested. The scan is cancelled on the daemon with the next poll.",
    }),
  })
  .meta({
    id: "DiscoverySession",
    description: "A scan of a network by one of its daemons.",
  });
export type DiscoverySession = z.output<typeof sessionSchema>;

const columns = columnsOf(discoverySessions, sessionSchema);

export const sessionResource = {
  entity: "DiscoverySession" as const,
  schema: sessionSchema,
  path: "/api/v1/discovery/sessions",
  table: discoverySessions,
  columns,
  orderFields: {
    created_at: discoverySessions.created_at,
    updated_at: discoverySessions.updated_at,
    phase: sql`array_position(${sql.param(sessionPhases)}::text[], ${discoverySessions.phase})`,
  },
  toItem: (row: RowOf<typeof columns>): DiscoverySession => row,
};
