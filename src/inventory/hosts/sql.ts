import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import {
  type Guard,
  missingReferences,
  type PathOf,
  type Reference,
} from "../../database/guards.ts";
import { live } from "../../database/history.ts";
import { addMembers, replaceMembers, replaceMembersOfAll } from "../../database/sets.ts";
import { hosts, networks, subnets, tags } from "../../database/tables/index.ts";
import { addressRow } from "../address-row.ts";
import { strangeToHosts } from "../binding-references.ts";
import { insertRows, syncRows, type WrittenRow } from "../rows.ts";
import { serviceTags } from "../services/model.ts";
import { addressTable, bindingTable, portTable, serviceTable } from "../tables.ts";
import { takenIds } from "../taken-ids.ts";
import {
  missingVirtualizationServices,
  type SentVirtualization,
} from "../virtualization-reference.ts";
import type { HostInput } from "./input.ts";
import { hostTags } from "./model.ts";

/** A host that is to be written, its children flat, each with its id. Null: the children stay. */
export interface HostTree {
  host: HostInput & { id: string };
  ip_addresses: WrittenRow[] | null;
  ports: WrittenRow[] | null;
  services:
    | (WrittenRow & { tags: readonly string[] } & Pick<SentVirtualization, "virtualization">)[]
    | null;
  /** The bindings of services that were sent with theirs, and those services. */
  bindings: {
    services: string[];
    /** Where the fields of each stand in the host: `services[0].bindings[1].`. */
    paths: string[];
    rows: (WrittenRow & { port_id: string | null; ip_address_id: string | null })[];
  };
}

const identified = <Row extends { id?: string | undefined }>(row: Row) => ({
  ...row,
  id: row.id ?? crypto.randomUUID(),
});

/** What a request says of a host, in the form that is written. */
export function treeOf(host: HostInput & { id: string }): HostTree {
  const host_id = host.id;
  const services = host.services?.map(identified);
  return {
    host,
    ip_addresses:
      host.ip_addresses?.map(identified).map((address) => ({ ...addressRow(address), host_id })) ??
      null,
    ports: host.ports?.map(identified).map((port) => ({ ...port, host_id })) ?? null,
    services:
      services?.map((service) => ({
        ...service,
        host_id,
        service_definition: service.service_definition ?? service.name,
      })) ?? null,
    bindings: {
      services: services?.flatMap(({ id, bindings }) => (bindings ? [id] : [])) ?? [],
      paths:
        services?.flatMap(({ bindings = [] }, index) =>
          bindings.map((_, at) => `services[${index}].bindings[${at}].`),
        ) ?? [],
      rows:
        services?.flatMap(({ id, bindings }) =>
          (bindings ?? []).map(identified).map((binding) => ({ ...binding, service_id: id })),
        ) ?? [],
    },
  };
}

const ownColumns = {
  name: "text",
  hostname: "text",
  description: "text",
  hidden: "boolean",
  virtualization: "jsonb",
  sys_name: "text",
  sys_descr: "text",
  sys_object_id: "text",
  sys_location: "text",
  sys_contact: "text",
  management_url: "text",
  chassis_id: "text",
  manufacturer: "text",
  model: "text",
  serial_number: "text",
} as const;
const ownNames = Object.keys(ownColumns);

const sentHosts = (trees: readonly HostTree[]): SQL =>
  sql`jsonb_to_recordset(${JSON.stringify(trees.map(({ host }) => host))}::jsonb) as sent (
    id uuid, network_id uuid, ${sql.raw(
      Object.entries(ownColumns)
        .map(([name, type]) => `${name} ${type}`)
        .join(", "),
    )})`;

const tagPairs = (rows: readonly { id: string; tags: readonly string[] }[]) =>
  rows.flatMap(({ id, tags: members }) => members.map((member) => ({ owner: id, member })));

/** Creates hosts with their children: parents before what refers to them. */
export const insertHosts = (database: Database, trees: readonly HostTree[]) => [
  database.execute(sql`
    insert into hosts (organization_id, network_id, id, ${sql.raw(ownNames.join(", "))})
    select (select app.organization_id()), sent.network_id, sent.id,
      ${sql.raw(ownNames.map((name) => `sent.${name}`).join(", "))}
    from ${sentHosts(trees)}`),
  insertRows(
    database,
    addressTable,
    trees.flatMap(({ ip_addresses }) => ip_addresses ?? []),
  ),
  insertRows(
    database,
    portTable,
    trees.flatMap(({ ports }) => ports ?? []),
  ),
  insertRows(
    database,
    serviceTable,
    trees.flatMap(({ services }) => services ?? []),
  ),
  insertRows(
    database,
    bindingTable,
    trees.flatMap(({ bindings }) => bindings.rows),
  ),
  addMembers(database, hostTags, tagPairs(trees.map(({ host }) => host))),
  addMembers(database, serviceTags, tagPairs(trees.flatMap(({ services }) => services ?? []))),
];

/** Replaces a locked host; children that were sent become exactly its children. */
export const replaceHost = (database: Database, tree: HostTree) => {
  const { host, ip_addresses, ports, services, bindings } = tree;
  return [
    database.execute(sql`
      update hosts as known set ${sql.raw(ownNames.map((name) => `${name} = sent.${name}`).join(", "))}
      from ${sentHosts([tree])} where known.id = sent.id and known.valid_to is null`),
    ...replaceMembers(database, hostTags, host.id, host.tags),
    ...(ip_addresses ? syncRows(database, addressTable, [host.id], ip_addresses) : []),
    ...(ports ? syncRows(database, portTable, [host.id], ports) : []),
    ...(services
      ? [
          ...syncRows(database, serviceTable, [host.id], services),
          ...replaceMembersOfAll(
            database,
            serviceTags,
            services.map(({ id }) => id),
            tagPairs(services),
          ),
          ...syncRows(database, bindingTable, bindings.services, bindings.rows),
        ]
      : []),
  ];
};

/** A host refers to something that does not exist for the caller. */
export const foreignReferences = (trees: readonly HostTree[], pathOf: PathOf): Guard[] => {
  const references = (
    referencesOf: (tree: HostTree) => readonly { id: unknown; field: string }[],
  ) =>
    trees.flatMap((tree, position) =>
      referencesOf(tree).flatMap(({ id, field }): Reference[] =>
        typeof id === "string" ? [{ id, field: `${pathOf(position)}${field}` }] : [],
      ),
    );
  return [
    ...missingReferences(
      { table: networks, entity: "Network" },
      references(({ host }) => [{ id: host.network_id, field: "network_id" }]),
    ),
    ...missingReferences(
      { table: tags, entity: "Tag" },
      references(({ host, services }) => [
        ...host.tags.map((id) => ({ id, field: "tags" })),
        ...(services ?? []).flatMap((service, at) =>
          service.tags.map((id) => ({ id, field: `services[${at}].tags` })),
        ),
      ]),
    ),
    ...missingReferences(
      { table: subnets, entity: "Subnet", versions: live },
      references(({ ip_addresses }) =>
        (ip_addresses ?? []).map(({ subnet_id: id }, at) => ({
          id,
          field: `ip_addresses[${at}].subnet_id`,
        })),
      ),
    ),
    ...takenChildren(trees, pathOf),
    ...strangeBindings(trees, pathOf),
    ...strangeVirtualizations(trees, pathOf),
  ];
};

/** What a host or one of its services runs in names a service that is none of the network. */
const strangeVirtualizations = (
  trees: readonly HostTree[],
  pathOf: (position: number) => string,
) => {
  const services = trees.flatMap(({ host: { network_id }, services: own }, position) =>
    (own ?? []).map(({ id, virtualization }, at) => ({
      id,
      virtualization,
      network_id,
      path: `${pathOf(position)}services[${at}].`,
    })),
  );
  const hosts = trees.map(({ host: { id, network_id, virtualization } }, position) => ({
    id,
    virtualization,
    network_id,
    path: pathOf(position),
  }));
  return missingVirtualizationServices([...hosts, ...services], {
    sent: services.map(({ id, network_id }) => ({ id, network_id })),
    replacedHosts: trees.flatMap(({ host, services: own }) => (own ? [host.id] : [])),
  });
};

/** A child has the id of a record that is of another host. */
const takenChildren = (trees: readonly HostTree[], pathOf: PathOf) => {
  const hostIds = trees.map(({ host }) => host.id);
  const sentOf = (field: "ip_addresses" | "ports" | "services") =>
    trees.flatMap((tree, position) =>
      (tree[field] ?? []).map(
        ({ id }, at): Reference => ({ id, field: `${pathOf(position)}${field}[${at}].id` }),
      ),
    );
  return [
    ...takenIds(addressTable, hostIds, sentOf("ip_addresses")),
    ...takenIds(portTable, hostIds, sentOf("ports")),
    ...takenIds(serviceTable, hostIds, sentOf("services")),
    ...takenIds(
      bindingTable,
      trees.flatMap(({ bindings }) => bindings.services),
      trees.flatMap(({ bindings }, position) =>
        bindings.rows.map(
          ({ id }, at): Reference => ({ id, field: `${pathOf(position)}${bindings.paths[at]}id` }),
        ),
      ),
    ),
  ];
};

const idsOf = (rows: readonly WrittenRow[] | null) => rows?.map(({ id }) => id) ?? null;

/** What services are bound to is not of their host. */
const strangeBindings = (trees: readonly HostTree[], pathOf: PathOf) =>
  strangeToHosts(
    trees.map(({ host, ip_addresses, ports, bindings }, position) => ({
      host_id: host.id,
      sent: bindings.rows.map((binding, at) => ({
        ...binding,
        path: `${pathOf(position)}${bindings.paths[at]}` as const,
      })),
      ports: idsOf(ports),
      ip_addresses: idsOf(ip_addresses),
    })),
  );

const refusal = (field: string, message: string) =>
  JSON.stringify({ issues: [{ path: `body.${field}`, message, code: "custom" }], issue_count: 1 });

/** The network of a host stays. */
export const otherNetwork = ({ id, network_id }: { id: string; network_id: string }): Guard => sql`
  select 'validation_failed', ${refusal(
    "network_id",
    "must stay the same: create the host on the other network",
  )}::jsonb
  from ${hosts} where ${hosts.id} = ${id} and ${hosts.valid_to} is null
    and ${hosts.network_id} <> ${network_id}`;

/** A daemon lives on one of these hosts. */
export const stillUsed = (ids: readonly string[]): Guard => sql`
  select 'entity_in_use', jsonb_build_object('entity', 'Host', 'id', daemons.host_id,
    'used_by', jsonb_build_object('daemons', count(*)))
  from daemons where daemons.host_id = any (${sql.param(ids)}::uuid[])
  group by daemons.host_id order by daemons.host_id limit 1`;
