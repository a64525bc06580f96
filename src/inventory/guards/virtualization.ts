import { type SQL, sql } from "drizzle-orm";
import type { Guard } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import { hosts, services } from "../../database/tables/index.ts";

/** The network of a record in a request: its own, or that of its host. */
type Location = { network_id: string } | { host_id: string };

/** A record in a request, with its virtualization. */
export type SentVirtualization = Location & {
  id: string;
  virtualization: { details: { service_id: string | null } } | null;
  /** The prefix of its fields in the body, such as `services[2].`; empty if it is the body. */
  path: string;
};

/** Services that the same request writes. */
interface WrittenServices {
  sent: readonly (Location & { id: string })[];
  /** The hosts whose services become exactly those in the request. */
  replacedHosts: readonly string[];
}

/** Joins the live host of `alias` as `{alias}_host`. */
const located = (alias: "wanted" | "offered"): SQL => {
  const [own, host] = [sql.identifier(alias), sql.identifier(`${alias}_host`)];
  return sql`
  left join ${hosts} as ${host} on ${host}.id = ${own}.host_id and ${host}.valid_to is null`;
};

/**
 * Rejects a record that is virtualized by a service on another network (API contract, section 9).
 * The stored value is accepted even if its service has since been deleted, because only writes to
 * the record itself change the value.
 */
export const missingVirtualizationServices = (
  records: readonly SentVirtualization[],
  { sent, replacedHosts }: WrittenServices,
): Guard[] => {
  const references = records.flatMap(({ virtualization, path, id: owner_id, ...location }) => {
    const id = virtualization?.details.service_id ?? null;
    const field = `${path}virtualization.details.service_id`;
    return id === null ? [] : [{ ...location, id, owner_id, field }];
  });
  const ids = new Set(references.map(({ id }) => id));
  const offered = sent.filter(({ id }) => ids.has(id));
  return references.length === 0
    ? []
    : [
        sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', 'Service', 'field', wanted.field, 'id', wanted.id)
  from ${recordset(
    "wanted",
    references.map((one, position) => ({ ...one, position })),
    {
      id: "uuid",
      owner_id: "uuid",
      network_id: "uuid",
      host_id: "uuid",
      field: "text",
      position: "int",
    },
  )}
  ${located("wanted")}
  where not exists (
    select from ${services} as service where service.id = wanted.id and service.valid_to is null
      and service.network_id = coalesce(wanted.network_id, wanted_host.network_id)
      and service.host_id <> all (${sql.param(replacedHosts)}::uuid[]))
    and not exists (
      select from ${recordset("offered", offered, { id: "uuid", network_id: "uuid", host_id: "uuid" })}
      ${located("offered")}
      where offered.id = wanted.id and coalesce(offered.network_id, offered_host.network_id)
        = coalesce(wanted.network_id, wanted_host.network_id))
    and not exists (
      select from ${hosts} as known where known.id = wanted.owner_id and known.valid_to is null
        and known.virtualization #>> '{details,service_id}' = wanted.id::text)
    and not exists (
      select from ${services} as known where known.id = wanted.owner_id and known.valid_to is null
        and known.virtualization #>> '{details,service_id}' = wanted.id::text)
  order by wanted.position limit 1`,
      ];
};
