import { sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { pickColumns } from "../../database/columns-of.ts";
import {
  bindings,
  hosts,
  interfaces,
  ipAddresses,
  neighbors,
  ports,
  services,
} from "../../database/tables/index.ts";
import type { WrittenTable } from "./child-rows.ts";

/** Maps an address to the row that is written. The database determines an omitted subnet. */
export const addressRow = <
  Address extends { ip_address: string; subnet_id?: string | null | undefined },
>({
  ip_address,
  subnet_id,
  ...address
}: Address) => ({
  ...address,
  address: ip_address,
  subnet_id: subnet_id ?? null,
  has_subnet: subnet_id !== undefined,
});

/** An id that a device announces, with its LLDP subtype. */
export interface Identifier {
  subtype: string;
  value: string;
}

/** Maps a neighbor to the row that is written, with a column for each part of an id. */
export const neighborRow = <
  Neighbor extends { chassis_id: Identifier; port_id: Identifier | null },
>({
  chassis_id,
  port_id,
  ...neighbor
}: Neighbor) => ({
  ...neighbor,
  chassis_subtype: chassis_id.subtype,
  chassis_value: chassis_id.value,
  port_subtype: port_id?.subtype ?? null,
  port_value: port_id?.value ?? null,
});

/** A table of hosts' children. */
export interface ChildTable extends WrittenTable<"host_id"> {
  /** The columns that identify the same child on two hosts (API contract, section 9). */
  naturalKey: Readonly<Record<string, PgColumn>>;
}

export const addressTable: ChildTable = {
  table: ipAddresses,
  entity: "IPAddress",
  owner: { column: "host_id", table: hosts },
  naturalKey: pickColumns(ipAddresses, "address", "subnet_id"),
  columns: pickColumns(
    ipAddresses,
    "address",
    "mac_address",
    "name",
    "status",
    "role",
    "position",
    "subnet_id",
  ),
  helpers: { has_subnet: "boolean" },
  expressions: {
    subnet_id: sql`case when sent.has_subnet then sent.subnet_id
      else app.subnet_of(owner.organization_id, owner.network_id, sent.address) end`,
  },
};

export const portTable: ChildTable = {
  table: ports,
  entity: "Port",
  owner: { column: "host_id", table: hosts },
  naturalKey: pickColumns(ports, "number", "protocol"),
  columns: pickColumns(ports, "number", "protocol"),
};

export const interfaceTable: ChildTable = {
  table: interfaces,
  entity: "Interface",
  owner: { column: "host_id", table: hosts },
  naturalKey: pickColumns(interfaces, "if_index"),
  columns: pickColumns(
    interfaces,
    "if_index",
    "name",
    "description",
    "type",
    "speed_bps",
    "mac_address",
    "admin_status",
    "oper_status",
    "alias",
    "native_vlan",
    "tagged_vlans",
    "ip_address_ids",
  ),
  expressions: {
    ip_address_ids: sql`array(
      select member from unnest(sent.ip_address_ids) as member order by member)`,
  },
};

export const serviceTable: ChildTable = {
  table: services,
  entity: "Service",
  owner: { column: "host_id", table: hosts },
  naturalKey: pickColumns(services, "service_definition", "name"),
  columns: pickColumns(
    services,
    "name",
    "service_definition",
    "version",
    "virtualization",
    "external_id",
    "metadata",
    "position",
  ),
};

export const neighborTable = {
  table: neighbors,
  entity: "Neighbor",
  owner: { column: "interface_id", table: interfaces },
  columns: pickColumns(
    neighbors,
    "protocol",
    "chassis_subtype",
    "chassis_value",
    "port_subtype",
    "port_value",
    "system_name",
    "system_description",
    "port_description",
    "management_addresses",
  ),
  expressions: {
    chassis_value: sql`app.announced_id(sent.chassis_subtype, sent.chassis_value)`,
    port_value: sql`app.announced_id(sent.port_subtype, sent.port_value)`,
    management_addresses: sql`array(
      select member from unnest(sent.management_addresses) as member order by member)`,
  },
} as const satisfies WrittenTable<"interface_id">;

export const bindingTable: WrittenTable<"service_id"> = {
  table: bindings,
  entity: "Binding",
  owner: { column: "service_id", table: services },
  columns: pickColumns(bindings, "type", "port_id", "ip_address_id"),
};
