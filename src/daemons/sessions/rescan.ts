import { sql } from "drizzle-orm";
import * as z from "zod";
import { type Guard, notFound } from "../../database/guards.ts";
import {
  daemons,
  discoverySessions,
  hosts,
  ipAddresses,
  subnets,
} from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { ownId, recordPath } from "../../http/input/id.ts";
import { validate } from "../../http/validation/validate.ts";
import { createHeader } from "../../http/verbs/create.ts";
import { uuidV7 } from "../../uuid.ts";
import { requestScan } from "./request-scan.ts";

const rescanInput = z
  .strictObject({ id: ownId })
  .meta({ id: "Rescan", description: "A request for a scan of one host." });

/**
 * True if a `daemon` is attached to a network that contains an address of the `host`. Many hosts
 * have the same loopback, link-local and container bridge addresses, so these do not count.
 */
const isAttached = sql`exists (
  select from ${ipAddresses} as address cross join unnest(daemon.interfaced_cidrs) as attached (cidr)
  where address.organization_id = host.organization_id and address.live_host_id = host.current_id
    and address.address <<= attached.cidr
    and not app.is_loopback(address.address) and not app.is_link_local(address.address)
    and not exists (
      select from ${subnets} as bridge
      where bridge.organization_id = host.organization_id and bridge.network_id = host.network_id
        and bridge.cidr = attached.cidr and bridge.valid_to is null
        and bridge.subnet_type = 'DockerBridge'))`;

/** True if the `daemon`'s scan was the last discovery that found the `host`. */
const foundIt = sql`exists (
  select from ${discoverySessions} as latest
  where latest.organization_id = host.organization_id and latest.id = host.last_discovery_id
    and latest.daemon_id = daemon.id)`;

/** Fails if no daemon reached the host, so that the scan was not added. */
const noDaemon = (host: string, session: string): Guard => sql`
  select 'no_daemon', jsonb_build_object('id', ${host}::uuid)
  where not exists (select from ${discoverySessions} where id = ${session})`;

/**
 * POST /api/v1/hosts/{id}/rescan: requests a light scan that changes only this host (API contract,
 * section 10).
 */
export const rescanHost = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath, header: createHeader, json: rescanInput }),
  handles({
    errors: [
      "entity_not_found",
      "entity_already_exists",
      "no_daemon",
      "too_many_scans",
      "idempotency_key_reused",
    ],
    responses: { 201: ["ETag", "Location", "Idempotent-Replayed"] },
  }),
  async (c) => {
    const { id: host_id } = c.req.valid("param");
    const { id: own = uuidV7() } = c.req.valid("json");
    return requestScan(c, {
      id: own,
      idempotencyKey: c.req.valid("header")["idempotency-key"],
      change: {
        guards: [notFound({ entity: "Host" }, host_id)],
        write: (database) => [
          // A scan ends only bindings that the same daemon has found, so this daemon is preferred.
          database.execute(sql`
            insert into ${discoverySessions} (organization_id, network_id, daemon_id, id, host_id,
              is_full_scan)
            select daemon.organization_id, daemon.network_id, daemon.id, ${own}, host.current_id, false
            from ${hosts} as host join ${daemons} as daemon
              on daemon.organization_id = host.organization_id and daemon.network_id = host.network_id
            where host.current_id = ${host_id} and not daemon.is_unreachable and ${isAttached}
            order by ${foundIt} desc, daemon.consecutive_failures = 0 desc,
              daemon.last_seen_at desc nulls last, daemon.id
            limit 1`),
        ],
        finally: [noDaemon(host_id, own)],
      },
    });
  },
);
