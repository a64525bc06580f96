import { sql } from "drizzle-orm";
import type { WrittenTable } from "./child-rows.ts";

/** An address as it is written: left out, its subnet is found by the database. */
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

/** What requests write of addresses. */
export const addressTable: WrittenTable = {
  name: "ip_addresses",
  entity: "IPAddress" as const,
  owner: { column: "host_id", table: "hosts" },
  columns: {
    address: "inet",
    mac_address: "macaddr",
    name: "text",
    position: "int",
    subnet_id: "uuid",
    has_subnet: "boolean",
  },
  expressions: {
    subnet_id: sql`case when sent.has_subnet then sent.subnet_id
      else app.subnet_of(owner.organization_id, owner.network_id, sent.address) end`,
  },
};

/** What requests write of ports. */
export const portTable: WrittenTable = {
  name: "ports",
  entity: "Port" as const,
  owner: { column: "host_id", table: "hosts" },
  columns: { number: "int", protocol: "text" },
};

/** What requests write of interfaces. */
export const interfaceTable: WrittenTable = {
  name: "interfaces",
  entity: "Interface" as const,
  owner: { column: "host_id", table: "hosts" },
  columns: {
    if_index: "int",
    name: "text",
    description: "text",
    type: "int",
    speed_bps: "bigint",
    mac_address: "macaddr",
    admin_status: "text",
    oper_status: "text",
    ip_address_ids: "uuid[]",
  },
  expressions: {
    ip_address_ids: sql`array(
      select member from unnest(sent.ip_address_ids) as member order by member)`,
  },
};

/** What requests write of services. */
export const serviceTable: WrittenTable = {
  name: "services",
  entity: "Service" as const,
  owner: { column: "host_id", table: "hosts" },
  columns: {
    name: "text",
    service_definition: "text",
    version: "text",
    virtualization: "jsonb",
    position: "int",
  },
};

/** What requests write of bindings. */
export const bindingTable: WrittenTable = {
  name: "bindings",
  entity: "Binding" as const,
  owner: { column: "service_id", table: "services" },
  columns: { type: "text", port_id: "uuid", ip_address_id: "uuid" },
};
