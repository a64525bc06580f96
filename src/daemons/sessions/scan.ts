import { sql } from "drizzle-orm";
import * as z from "zod";
import { type Guard, notFound } from "../../database/guards.ts";
import { daemons, discoverySessions, subnets } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { ownId, recordPath } from "../../http/input/id.ts";
import { idSet } from "../../http/input/set.ts";
import { validate } from "../../http/validation/validate.ts";
import { createHeader } from "../../http/verbs/create.ts";
import { uuidV7 } from "../../uuid.ts";
import { daemonResource } from "../model.ts";
import { isFullScan } from "../schedule.ts";
import { requestScan } from "./request-scan.ts";

const scanInput = z
  .strictObject({
    id: ownId,
    subnet_ids: idSet
      .min(1, { error: "must have at least 1 member: send null for all subnets" })
      .nullable()
      .default(null)
      .meta({
        description:
          "Subnets of the daemon's network; null for all subnets that the daemon is attached to.",
      }),
    is_full_scan: isFullScan,
  })
  .meta({ id: "Scan", description: "A request for a scan." });

/** Fails for the first id that does not belong to a live subnet of the daemon's network. */
const strangeSubnet = (daemon: string, ids: readonly string[]): Guard => sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', 'Subnet', 'field', 'body.subnet_ids', 'id', sent.id)
  from unnest(${sql.param(ids)}::uuid[]) with ordinality as sent (id, position)
  where not exists (
    select from ${subnets} where ${subnets.current_id} = sent.id
      and ${subnets.network_id} = (select network_id from ${daemons} where id = ${daemon}))
  order by sent.position limit 1`;

/**
 * POST /api/v1/daemons/{id}/scan: requests a scan. The scan starts in the next cycle of the poller,
 * after any of the daemon's scans that are already waiting (API contract, section 10).
 */
export const scanNetwork = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath, header: createHeader, json: scanInput }),
  handles({
    errors: [
      "entity_reference_invalid",
      "entity_not_found",
      "entity_already_exists",
      "too_many_scans",
      "idempotency_key_reused",
    ],
    responses: { 201: ["ETag", "Location", "Idempotent-Replayed"] },
  }),
  async (c) => {
    const { id: daemon_id } = c.req.valid("param");
    const { id: own = uuidV7(), subnet_ids, is_full_scan } = c.req.valid("json");
    return requestScan(c, {
      id: own,
      idempotencyKey: c.req.valid("header")["idempotency-key"],
      change: {
        guards: [notFound(daemonResource, daemon_id), strangeSubnet(daemon_id, subnet_ids ?? [])],
        write: (database) => [
          database.execute(sql`
            insert into ${discoverySessions} (organization_id, network_id, daemon_id, id, subnet_ids,
              is_full_scan)
            select organization_id, network_id, id, ${own},
              ${subnet_ids === null ? null : sql.param(subnet_ids)}::uuid[], ${is_full_scan}::boolean
            from ${daemons} where id = ${daemon_id}`),
        ],
      },
    });
  },
);
