import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  check,
  foreignKey,
  index,
  inet,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf, upTo } from "./checks.ts";
import {
  discovered,
  endsAt,
  evidence,
  hostRule,
  liveHostRule,
  liveReference,
  onHost,
  onHostRule,
  source,
  sourceCheck,
  versioned,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";
import { interfaces } from "./interfaces.ts";

/**
 * The sources from which a device learns of its neighbors. `Fdb` is the forwarding table of a
 * switch.
 */
export const neighborProtocols = ["Lldp", "Cdp", "Fdb"] as const;

/** The subtypes of a chassis id (IEEE 802.1AB, section 8.5.2.2). */
export const chassisSubtypes = [
  "ChassisComponent",
  "InterfaceAlias",
  "PortComponent",
  "MacAddress",
  "NetworkAddress",
  "InterfaceName",
  "LocallyAssigned",
] as const;

/** The subtypes of a port id (IEEE 802.1AB, section 8.5.3.2). */
export const neighborPortSubtypes = [
  "InterfaceAlias",
  "PortComponent",
  "MacAddress",
  "NetworkAddress",
  "InterfaceName",
  "AgentCircuitId",
  "LocallyAssigned",
] as const;

/**
 * The columns that identify a neighbor. The columns of the port are null if the port is unknown.
 */
export const neighborKeyColumns = [
  "interface_id",
  "protocol",
  "chassis_subtype",
  "chassis_value",
  "port_subtype",
  "port_value",
] as const;

/** The nullable columns that describe a neighbor, in addition to its key and addresses. */
export const neighborDetails = ["system_name", "system_description", "port_description"] as const;

/** Maximum number of live neighbors of an interface. */
export const maximumNeighbors = 64;

/** Maximum number of management addresses of a neighbor. */
export const maximumManagementAddresses = 8;

/**
 * Fails if a value is not an address although its subtype requires one, since maps cast such
 * values.
 */
const isAddress = (subtype: AnyPgColumn, value: AnyPgColumn) =>
  sql`case ${subtype} when 'MacAddress' then ${value}::macaddr is not null when 'NetworkAddress' then ${value}::inet is not null else true end`;

/**
 * The neighbors that devices report on their interfaces, and their history. A row contains the
 * values that the neighbor announced. It does not refer to the neighbor's host, which a map looks
 * up among the versions at its instant.
 */
export const neighbors = pgTable(
  "neighbors",
  {
    ...versioned(),
    ...onHost(),
    interface_id: uuid().notNull(),
    live_interface_id: liveReference("interface_id"),
    protocol: text({ enum: neighborProtocols }).notNull(),
    chassis_subtype: text({ enum: chassisSubtypes }).notNull(),
    chassis_value: text().notNull(),
    port_subtype: text({ enum: neighborPortSubtypes }),
    port_value: text(),
    // The port as one value that is never null, for the unique constraint.
    port_key: text()
      .notNull()
      .generatedAlwaysAs(sql`coalesce(port_subtype || ' ' || port_value, '')`),
    system_name: text(),
    system_description: text(),
    port_description: text(),
    management_addresses: inet().array().notNull().default(sql`'{}'`),
    source: source(),
    discovered: discovered(),
    evidence: evidence(),
  },
  (table) => [
    ...versionedRules("neighbors", table),
    onHostRule("neighbors", table, hosts),
    hostRule("neighbors", table),
    liveHostRule("neighbors", table),
    unique("neighbors_interface_unique").on(
      table.organization_id,
      table.live_interface_id,
      table.protocol,
      table.chassis_subtype,
      table.chassis_value,
      table.port_key,
    ),
    index("neighbors_interface_index").on(
      table.organization_id,
      table.interface_id,
      endsAt,
      table.valid_from,
    ),
    ...(["chassis_value", "port_value", "system_name"] as const).map((column) =>
      index(`neighbors_${column}_index`)
        .on(table.organization_id, table[column], endsAt, table.valid_from)
        .where(sql.raw(`${column} is not null`)),
    ),
    foreignKey({
      name: "neighbors_interface_fk",
      columns: [table.organization_id, table.host_id, table.live_interface_id],
      foreignColumns: [interfaces.organization_id, interfaces.host_id, interfaces.current_id],
    }).onDelete("cascade"),
    check("neighbors_protocol_check", oneOf(table.protocol, neighborProtocols)),
    check("neighbors_chassis_subtype_check", oneOf(table.chassis_subtype, chassisSubtypes)),
    check("neighbors_chassis_value_check", upTo(table.chassis_value, 255)),
    check("neighbors_chassis_address_check", isAddress(table.chassis_subtype, table.chassis_value)),
    check("neighbors_port_address_check", isAddress(table.port_subtype, table.port_value)),
    check("neighbors_port_subtype_check", oneOf(table.port_subtype, neighborPortSubtypes)),
    check("neighbors_port_value_check", upTo(table.port_value, 255)),
    check(
      "neighbors_port_check",
      sql`(${table.port_subtype} is null) = (${table.port_value} is null)`,
    ),
    ...neighborDetails.map((column) =>
      check(`neighbors_${column}_check`, upTo(table[column], 255)),
    ),
    check(
      "neighbors_management_addresses_maximum",
      sql`cardinality(${table.management_addresses}) <= ${sql.raw(String(maximumManagementAddresses))}`,
    ),
    sourceCheck("neighbors", table),
  ],
);
