import { sql } from "drizzle-orm";
import * as z from "zod";
import { abortOnFirst, type Guard, notFound } from "../../database/guards.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import {
  addressRoles,
  addressStatuses,
  hosts,
  ipAddresses,
  subnets,
} from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { id, recordPath } from "../../http/input/id.ts";
import { integer, integerText } from "../../http/input/integer.ts";
import { ipAddress } from "../../http/input/network.ts";
import { orNone } from "../../http/input/or-none.ts";
import { optionalText } from "../../http/input/text.ts";
import { validate } from "../../http/validation/validate.ts";
import { createHeader, ofBody } from "../../http/verbs/create.ts";
import { createOnce } from "../../http/verbs/create-once.ts";
import { respondCreatedMany } from "../../http/verbs/respond-record.ts";
import { uuidV7 } from "../../uuid.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { ipAddressResource } from "../ip-addresses/model.ts";
import { subnetResource } from "./model.ts";

/** Maximum number of addresses in one request (API contract, section 9). */
export const maximumAddresses = 256;

/** The schema of the addresses of a subnet that can be assigned. */
export const availableSchema = z
  .object({ ip_addresses: z.array(ipAddress).max(maximumAddresses) })
  .meta({ id: "AvailableIPAddresses", description: "The lowest addresses that can be assigned." });

/** GET /api/v1/subnets/{id}/available-ips: lists the lowest available addresses. */
export const listAvailable = factory.createHandlers(
  authenticate("Viewer"),
  validate({
    param: recordPath,
    query: z.strictObject({ limit: integerText(1, maximumAddresses).default(50) }),
  }),
  handles({ errors: ["entity_not_found"] }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { limit } = c.req.valid("query");
    const [{ rows }] = await c.var.tenant.run(
      (database) => [
        database.execute<{ ip_address: string }>(sql`
          select host(address) as ip_address
          from app.available_addresses(${id}, ${limit}) as address`),
      ],
      { first: (database) => [abortOnFirst(database, [notFound(subnetResource, id)])] },
    );
    const ip_addresses = rows.map((row) => row.ip_address);
    return ok(c, { ip_addresses } satisfies z.output<typeof availableSchema>);
  },
);

const takenInput = z
  .strictObject({
    host_id: id,
    count: integer(1, maximumAddresses).default(1),
    name: optionalText(100),
    status: z.enum(addressStatuses).default("Active"),
    role: orNone(z.enum(addressRoles)),
  })
  .meta({
    id: "TakeIPAddresses",
    description: "The number of addresses to assign, and what they have in common.",
  });

/** Rejects a host on another network than the subnet. */
const hostElsewhere = (subnet: string, host: string): Guard => sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', 'Host', 'field', 'body.host_id', 'id', ${host}::uuid)
  from ${hosts} join ${subnets} on ${subnets.id} = ${subnet}
  where ${hosts.id} = ${host} and ${hosts.network_id} <> ${subnets.network_id}`;

/** Rejects a request for more addresses than were available. */
const tooFew = (subnet: string, ids: readonly string[]): Guard => sql`
  select 'subnet_full',
    jsonb_build_object('id', ${subnet}::uuid, 'available', taken.count, 'requested', ${ids.length}::int)
  from (
    select count(*) from ${ipAddresses} where ${ipAddresses.id} = any (${sql.param(ids)}::uuid[])) as taken
  where taken.count < ${ids.length}`;

/**
 * POST /api/v1/subnets/{id}/available-ips: assigns the lowest available addresses to a host. A lock
 * on the subnet lets concurrent requests take different addresses. It does not block other writers,
 * which refer to the subnet; they can take an address first, and the response is then 409.
 */
export const takeAvailable = factory.createHandlers(
  authenticate("Member"),
  validate({ param: recordPath, header: createHeader, json: takenInput }),
  handles({
    errors: [
      "entity_not_found",
      "entity_reference_invalid",
      "subnet_full",
      "idempotency_key_reused",
    ],
    responses: { 201: ["Idempotent-Replayed"] },
  }),
  async (c) => {
    const { id: subnet } = c.req.valid("param");
    const { host_id, count, name, status, role } = c.req.valid("json");
    const ids = Array.from({ length: count }, uuidV7);
    const result = await createOnce(c, ipAddressResource, {
      ids,
      areChosen: false,
      idempotencyKey: c.req.valid("header")["idempotency-key"],
      pathOf: ofBody,
      violations: inventoryViolations,
      change: {
        locks: [sql`select from ${subnets} where ${subnets.id} = ${subnet} for no key update`],
        guards: [
          notFound(subnetResource, subnet),
          ...missingHosts([{ host_id }], ofBody),
          hostElsewhere(subnet, host_id),
        ],
        write: (database) => [
          database.execute(sql`
            insert into ${ipAddresses} (organization_id, network_id, host_id, subnet_id, id, address,
              name, status, role)
            select subnet.organization_id, subnet.network_id, ${host_id}, subnet.id, taken.id,
              taken.address, ${name}, ${status}, ${role}
            from ${subnets} as subnet, rows from (
              app.available_addresses(${subnet}, ${count}),
              unnest(${sql.param(ids)}::uuid[])) as taken (address, id)
            where subnet.id = ${subnet} and taken.address is not null`),
        ],
        finally: [tooFew(subnet, ids)],
      },
    });
    return respondCreatedMany(c, ipAddressResource, result);
  },
);
