import { sql } from "drizzle-orm";
import { bigint, check, index, integer, macaddr, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { oneOf, upTo } from "./checks.ts";
import { timestamp } from "./columns.ts";
import {
  discovered,
  endsAt,
  evidence,
  hostRule,
  ofHostRule,
  onHost,
  onHostRule,
  versioned,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";

/** The desired states of an interface (RFC 2863, `ifAdminStatus`). */
export const adminStatuses = ["Up", "Down", "Testing"] as const;

/** The actual states of an interface (RFC 2863, `ifOperStatus`). */
export const operStatuses = [
  "Up",
  "Down",
  "Testing",
  "Unknown",
  "Dormant",
  "NotPresent",
  "LowerLayerDown",
] as const;

/** The nullable columns that describe an interface, in addition to its number and addresses. */
export const interfaceDetails = [
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
] as const;

/**
 * The parts of an interface that are read separately: its neighbors by LLDP and by CDP, its
 * forwarding table and its VLANs. Each has a column `…_read_at`.
 */
export const interfaceParts = ["lldp", "cdp", "fdb", "vlans"] as const;

/** The largest VLAN number (IEEE 802.1Q, table 9-2). */
export const maximumVlan = 4094;

/** The interfaces of hosts, as in SNMP's ifTable, and their history. */
export const interfaces = pgTable(
  "interfaces",
  {
    ...versioned(),
    ...onHost(),
    if_index: integer().notNull(),
    name: text(),
    description: text(),
    type: integer(),
    speed_bps: bigint({ mode: "number" }),
    mac_address: macaddr(),
    admin_status: text({ enum: adminStatuses }),
    oper_status: text({ enum: operStatuses }),
    // `ifAlias` (RFC 2863): the name that an operator has given to the interface.
    alias: text(),
    native_vlan: integer(),
    // Sorted; null if unknown.
    tagged_vlans: integer().array(),
    // The last time that a report contained all neighbors by the protocol, the whole forwarding
    // table, or all VLANs of the interface.
    lldp_read_at: timestamp(),
    cdp_read_at: timestamp(),
    fdb_read_at: timestamp(),
    vlans_read_at: timestamp(),
    // The sorted ids of the interface's addresses, which belong to the same host: see
    // app.refuse_strange_addresses and app.leave_interfaces.
    ip_address_ids: uuid().array().notNull().default(sql`'{}'`),
    discovered: discovered(),
    evidence: evidence(),
  },
  (table) => [
    ...versionedRules("interfaces", table),
    onHostRule("interfaces", table, hosts),
    hostRule("interfaces", table),
    ofHostRule("interfaces", table),
    // rules/interfaces.sql keeps a host's interface numbers unique: Drizzle does not support
    // deferrable constraints.
    index("interfaces_mac_index")
      .on(table.organization_id, table.mac_address, endsAt, table.valid_from)
      .where(sql`mac_address is not null`),
    index("interfaces_name_index")
      .on(table.organization_id, table.name, endsAt, table.valid_from)
      .where(sql`name is not null`),
    index("interfaces_number_index").on(
      table.organization_id,
      table.if_index,
      endsAt,
      table.valid_from,
    ),
    check("interfaces_if_index_check", sql`${table.if_index} >= 1`),
    check("interfaces_name_check", upTo(table.name, 255)),
    check("interfaces_description_check", upTo(table.description, 255)),
    check("interfaces_type_check", sql`${table.type} >= 1`),
    // The range of integers that JSON represents exactly in every language.
    check("interfaces_speed_check", sql`${table.speed_bps} between 0 and 9007199254740991`),
    check("interfaces_admin_status_check", oneOf(table.admin_status, adminStatuses)),
    check("interfaces_oper_status_check", oneOf(table.oper_status, operStatuses)),
    check("interfaces_alias_check", upTo(table.alias, 255)),
    check(
      "interfaces_native_vlan_check",
      sql`${table.native_vlan} between 1 and ${sql.raw(String(maximumVlan))}`,
    ),
    check(
      "interfaces_tagged_vlans_check",
      sql`1 <= all (${table.tagged_vlans}) and ${sql.raw(String(maximumVlan))} >= all (${table.tagged_vlans})`,
    ),
    check(
      "interfaces_tagged_vlans_maximum",
      sql`cardinality(${table.tagged_vlans}) <= ${sql.raw(String(maximumVlan))}`,
    ),
    check("interfaces_ip_addresses_maximum", sql`cardinality(${table.ip_address_ids}) <= 1000`),
  ],
);
