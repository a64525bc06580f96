import { sql } from "drizzle-orm";
import type { BodyPath } from "../../database/failure.ts";
import type { Guard, PathOf } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import { ipAddresses, ports, services } from "../../database/tables/index.ts";

/** The references of a binding in a request. */
interface BindingReferences {
  port_id: string | null;
  ip_address_id: string | null;
  /** The prefix of its fields in the body, such as `body.services[0].bindings[1].`. */
  path: BodyPath;
}

interface ChildReference {
  entity: "Port" | "IPAddress";
  id: string;
  field: BodyPath;
}

const referencesOf = ({ port_id, ip_address_id, path }: BindingReferences): ChildReference[] => [
  ...(port_id === null
    ? []
    : [{ entity: "Port" as const, id: port_id, field: `${path}port_id` as const }]),
  ...(ip_address_id === null
    ? []
    : [
        { entity: "IPAddress" as const, id: ip_address_id, field: `${path}ip_address_id` as const },
      ]),
];

const missing = (
  references: readonly (ChildReference & { host_id?: string | null; service_id?: string })[],
) =>
  references.length === 0
    ? []
    : [
        sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', wanted.entity, 'field', wanted.field, 'id', wanted.id)
  from ${recordset(
    "wanted",
    references.map((one, position) => ({ ...one, position })),
    {
      entity: "text",
      id: "uuid",
      field: "text",
      host_id: "uuid",
      service_id: "uuid",
      position: "int",
    },
  )}
  left join ${services} as service on service.id = wanted.service_id and service.valid_to is null
  where not exists (
    select from ${ports} as port where wanted.entity = 'Port' and port.id = wanted.id
      and port.valid_to is null and port.host_id = coalesce(wanted.host_id, service.host_id))
    and not exists (
      select from ${ipAddresses} as address where wanted.entity = 'IPAddress'
        and address.id = wanted.id and address.valid_to is null
        and address.host_id = coalesce(wanted.host_id, service.host_id))
  order by wanted.position limit 1`,
      ];

/** Rejects bindings to a port or address outside the service's host (API contract, section 9). */
export const strangeToService = (
  bindings: readonly (BindingReferences & { service_id: string })[],
): Guard[] =>
  missing(
    bindings.flatMap((binding) =>
      referencesOf(binding).map((one) => ({ ...one, service_id: binding.service_id })),
    ),
  );

/** The bindings of a host in a request. */
interface BindingsOfHost {
  host_id: string;
  sent: readonly BindingReferences[];
  /** The ids of the children that the host will have; null if they do not change. */
  ports: readonly string[] | null;
  ip_addresses: readonly string[] | null;
}

/** Rejects bindings to a port or address of another host. */
export const strangeToHosts = (hosts: readonly BindingsOfHost[]): Guard[] =>
  missing(
    hosts.flatMap(({ host_id, sent, ports, ip_addresses }) =>
      sent.flatMap(referencesOf).flatMap((one) => {
        const ids = one.entity === "Port" ? ports : ip_addresses;
        if (ids?.includes(one.id)) {
          return [];
        }
        // A port or address that the request deletes does not belong to any host.
        return [{ ...one, host_id: ids === null ? host_id : null }];
      }),
    ),
  );

/** The interfaces of a new or stored host in a request. */
interface InterfacesOfHost {
  host_id: string;
  sent: readonly { ip_address_ids: readonly string[]; path: BodyPath }[];
  /** As in {@link BindingsOfHost}. */
  ip_addresses: readonly string[] | null;
}

/** Rejects interfaces with an address of another host (API contract, section 9). */
export const strangeAddressesOfHosts = (hosts: readonly InterfacesOfHost[]): Guard[] =>
  missing(
    hosts.flatMap(({ host_id, sent, ip_addresses }) => {
      const own = new Set(ip_addresses);
      return sent.flatMap(({ ip_address_ids, path }) =>
        ip_address_ids
          .filter((id) => !own.has(id))
          .map((id) => ({
            entity: "IPAddress" as const,
            id,
            field: `${path}ip_address_ids` as const,
            // A port or address that the request deletes does not belong to any host.
            host_id: ip_addresses === null ? host_id : null,
          })),
      );
    }),
  );

/** {@link strangeAddressesOfHosts} for interfaces in a separate request. */
export const strangeAddresses = (
  interfaces: readonly { host_id: string; ip_address_ids: readonly string[] }[],
  pathOf: PathOf,
): Guard[] =>
  strangeAddressesOfHosts(
    interfaces.map(({ host_id, ip_address_ids }, position) => ({
      host_id,
      sent: [{ ip_address_ids, path: pathOf(position) }],
      ip_addresses: null,
    })),
  );
