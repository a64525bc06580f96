import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { childrenOf } from "../../database/children.ts";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live, partsOf, versionsAs } from "../../database/history.ts";
import { membersOfAt } from "../../database/sets.ts";
import {
  credentialHostIpAddresses,
  credentialHosts,
  hosts,
  hostTexts,
  interfaces,
  ipAddresses,
  ports,
  services,
} from "../../database/tables/index.ts";
import { mapValues } from "../../database/tables/map-values.ts";
import { booleanText } from "../../http/input/boolean-text.ts";
import { id } from "../../http/input/id.ts";
import { ownDataFields } from "../../http/input/own-data.ts";
import { sortedIds } from "../../http/input/set.ts";
import { name, textOf } from "../../http/input/text.ts";
import type { Parts } from "../../http/list/source.ts";
import { atQuery, historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields, sourceSchema, toSource } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import {
  type Interface,
  interfaceColumns,
  interfaceResource,
  interfaceSchema,
  toInterface,
} from "../interfaces/model.ts";
import {
  type IPAddress,
  ipAddressColumns,
  ipAddressResource,
  ipAddressSchema,
} from "../ip-addresses/model.ts";
import { partListing } from "../part-listing.ts";
import { type Port, portColumns, portResource, portSchema, toPort } from "../ports/model.ts";
import {
  type Service,
  serviceColumns,
  serviceResource,
  serviceSchema,
  toService,
} from "../services/model.ts";
import { hostTags } from "../writes/tag-sets.ts";

const text = textOf(1, 255).nullable();

/** The schema of a host's virtualization. */
const proxmoxSchema = z
  .object({
    type: z.literal("Proxmox"),
    details: z
      .object({
        vm_name: text,
        vm_id: text,
        service_id: id.nullable(),
      })
      .meta({ id: "ProxmoxDetails" }),
  })
  .meta({ id: "ProxmoxVirtualization", description: "The virtual machine of the host." });

const credentialAssignmentSchema = z
  .object({ credential_id: id, ip_address_ids: sortedIds("").nullable() })
  .meta({
    id: "CredentialAssignment",
    description:
      "A credential for the whole host if `ip_address_ids` is null, or for these addresses.",
  });

/**
 * An upper bound on the number of children of one kind that a host can have: every port of both
 * protocols.
 */
const maximumChildren = 131_070;

/**
 * A list that was not read is omitted rather than empty: a PUT with an empty list would delete the
 * children.
 */
const childList = <Child extends z.ZodType>(child: Child) =>
  z
    .array(child)
    .max(maximumChildren)
    .optional()
    .meta({ description: "Always present, except in lists with `include_children=false`." });

/** The schema of a host (API contract, section 9). */
export const hostSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    name,
    hostname: text,
    description: z.string().max(500).nullable(),
    ...ownDataFields,
    hidden: z.boolean(),
    is_stale: z.boolean().meta({
      description:
        "True if the host was last seen more than `stale_after_hours` (of its network) ago.",
    }),
    tags: sortedIds("Its tags."),
    source: sourceSchema,
    virtualization: proxmoxSchema.nullable(),
    ...mapValues(hostTexts, (maximum) => textOf(1, maximum).nullable()),
    credential_assignments: z
      .array(credentialAssignmentSchema)
      .max(10_000)
      .meta({ uniqueItems: true }),
    ip_addresses: childList(ipAddressSchema),
    ports: childList(portSchema),
    interfaces: childList(interfaceSchema),
    services: childList(serviceSchema),
  })
  .meta({ id: "Host", description: "A version of a host, with its children." });
export type Host = z.output<typeof hostSchema>;

/** The schema of a host in lists without children. */
const childlessSchema = hostSchema.omit({
  ip_addresses: true,
  ports: true,
  interfaces: true,
  services: true,
});

const own = {
  ...columnsOf(
    hosts,
    hostSchema.omit({
      tags: true,
      source: true,
      virtualization: true,
      credential_assignments: true,
      ip_addresses: true,
      ports: true,
      interfaces: true,
      services: true,
    }),
  ),
  virtualization: sql<Host["virtualization"]>`${hosts.virtualization}`,
  source: hosts.source,
  credential_assignments: sql<Host["credential_assignments"]>`(
    select coalesce(json_agg(json_build_object(
      'credential_id', assignment.credential_id,
      'ip_address_ids', case when assignment.is_limited_to_addresses then to_json(array(
        select address.ip_address_id from ${credentialHostIpAddresses} as address
        where address.organization_id = assignment.organization_id
          and address.credential_id = assignment.credential_id
          and address.host_id = assignment.host_id
        order by address.ip_address_id)) end) order by assignment.credential_id), '[]')
    from ${credentialHosts} as assignment
    where assignment.organization_id = ${hosts.organization_id}
      and assignment.host_id = ${hosts.live_id})`,
};

/** The columns of versions of hosts, without their children. */
const headColumns = ({ versions }: Variant) => ({
  ...columnsAt(hosts, own, versions),
  tags: membersOfAt(hostTags, { table: sql`${hosts}`, key: "live_id" }, versions),
});

const orderOf = {
  addresses: sql`${ipAddresses.position}, ${ipAddresses.created_at}, ${ipAddresses.live_id}`,
  ports: sql`${ports.number}, ${ports.protocol}`,
  interfaces: sql`${interfaces.if_index}`,
  services: sql`${services.position}, ${services.created_at}, ${services.live_id}`,
};

/** The variant of a host that a request selects: lists can omit children. */
interface HostVariant extends Variant {
  include_children?: boolean | undefined;
}

const hostColumns = ({ versions, include_children = true, fields }: HostVariant) => {
  const noChildren = sql<null>`null`;
  const isIncluded = (kind: string) =>
    include_children && (fields === undefined || fields.includes(kind));
  return {
    ...headColumns({ versions }),
    ip_addresses: isIncluded("ip_addresses")
      ? childrenOf<IPAddress>(
          { table: ipAddresses, columns: columnsAt(ipAddresses, ipAddressColumns, versions) },
          partsOf(ipAddresses, "host_id", hosts.live_id, versions),
          orderOf.addresses,
        )
      : noChildren,
    ports: isIncluded("ports")
      ? childrenOf<RowOf<ReturnType<typeof portColumns>>>(
          { table: ports, columns: portColumns({ versions }) },
          partsOf(ports, "host_id", hosts.live_id, versions),
          orderOf.ports,
        )
      : noChildren,
    interfaces: isIncluded("interfaces")
      ? childrenOf<RowOf<ReturnType<typeof interfaceColumns>>>(
          { table: interfaces, columns: interfaceColumns({ versions }) },
          partsOf(interfaces, "host_id", hosts.live_id, versions),
          orderOf.interfaces,
        )
      : noChildren,
    services: isIncluded("services")
      ? childrenOf<RowOf<ReturnType<typeof serviceColumns>>>(
          { table: services, columns: serviceColumns({ versions }) },
          partsOf(services, "host_id", hosts.live_id, versions),
          orderOf.services,
        )
      : noChildren,
  };
};

/** Maps a row to a host in the response format. */
const toHost = ({
  source,
  ip_addresses,
  ports: portRows,
  interfaces: interfaceRows,
  services: serviceRows,
  ...host
}: RowOf<ReturnType<typeof hostColumns>>): Host => ({
  ...host,
  source: toSource(source),
  ...(ip_addresses && { ip_addresses }),
  ...(portRows && { ports: portRows.map(toPort) satisfies Port[] }),
  ...(interfaceRows && { interfaces: interfaceRows.map(toInterface) satisfies Interface[] }),
  ...(serviceRows && { services: serviceRows.map(toService) satisfies Service[] }),
});

/** The parts of a host that is too large for a single read. */
const inParts = (chosen: HostVariant): Parts<ReturnType<typeof headColumns>> => ({
  head: headColumns(chosen),
  toHead: ({ source, ...host }) => ({ ...host, source: toSource(source) }),
  lists: (id) => {
    const of = (order: SQL) => ({ column: "host_id", id, order }) as const;
    return {
      ip_addresses: partListing(ipAddressResource, chosen, of(orderOf.addresses)),
      ports: partListing(portResource, chosen, of(orderOf.ports)),
      interfaces: partListing(interfaceResource, chosen, of(orderOf.interfaces)),
      services: partListing(serviceResource, chosen, of(orderOf.services)),
    };
  },
});

/** The hosts of networks, with their children. */
export const hostResource = {
  ...historical(
    {
      entity: "Host" as const,
      schema: hostSchema,
      path: "/api/v1/hosts",
      table: hosts,
      columns: hostColumns({ versions: live }),
      orderFields: {
        created_at: hosts.created_at,
        updated_at: hosts.updated_at,
        name: sql`${hosts.name} collate "C"`,
        hostname: sql`${hosts.hostname} collate "C"`,
        network_id: hosts.network_id,
        interface_ip: (versions) => sql`(
          select ${ipAddresses.address} from ${ipAddresses}
          where ${partsOf(ipAddresses, "host_id", hosts.live_id, versions)}
          order by ${orderOf.addresses} limit 1)`,
        virtualized_by: (versions) => sql`(
          select manager.name collate "C" from ${services} as manager
          where manager.live_id = (${hosts.virtualization} #>> '{details,service_id}')::uuid
            and ${versionsAs("manager", versions)})`,
      },
      toItem: toHost,
    },
    (chosen: HostVariant) => ({
      columns: hostColumns(chosen),
      ...(chosen.include_children === false
        ? { schema: childlessSchema }
        : { inParts: inParts(chosen) }),
    }),
  ),
  inParts: inParts({ versions: live }),
  variantQuery: {
    ...atQuery,
    include_children: booleanText.optional(),
  },
};
