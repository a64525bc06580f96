import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  inet,
  integer,
  macaddr,
  pgTable,
  text,
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
  ofHostRule,
  onHost,
  onHostRule,
  versioned,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";
import { searchableRules, searchableText } from "./searchable.ts";
import { subnets } from "./subnets.ts";

/** Whether an address is in use (API contract, section 9). Scans do not change it. */
export const addressStatuses = ["Active", "Reserved", "Deprecated"] as const;

/** The purposes of an address that is not just its host's own (API contract, section 9). */
export const addressRoles = ["Gateway", "Vip", "Anycast", "Dhcp"] as const;

/** The addresses of hosts, and their history. */
export const ipAddresses = pgTable(
  "ip_addresses",
  {
    ...versioned(),
    ...onHost(),
    subnet_id: uuid(),
    live_subnet_id: liveReference("subnet_id"),
    address: inet().notNull(),
    mac_address: macaddr(),
    name: text(),
    status: text({ enum: addressStatuses }).notNull().default("Active"),
    role: text({ enum: addressRoles }),
    position: integer().notNull().default(0),
    discovered: discovered(),
    evidence: evidence(),
    searchable: searchableText(
      sql`coalesce(name, '')`,
      sql`host(address)`,
      sql`coalesce(mac_address::text, '')`,
    ),
  },
  (table) => [
    ...versionedRules("ip_addresses", table),
    onHostRule("ip_addresses", table, hosts),
    hostRule("ip_addresses", table),
    ofHostRule("ip_addresses", table),
    liveHostRule("ip_addresses", table),
    // `drizzle/rules/ip_addresses.sql` keeps the addresses of a host and of a subnet unique:
    // Drizzle does not support deferrable constraints.
    index("ip_addresses_subnet_index").on(
      table.organization_id,
      table.subnet_id,
      endsAt,
      table.valid_from,
    ),
    ...searchableRules("ip_addresses", table),
    // For finding a single address, or the addresses in a block.
    index("ip_addresses_address_index").on(
      table.organization_id,
      table.address,
      endsAt,
      table.valid_from,
      table.host_id,
    ),
    index("ip_addresses_mac_index")
      .on(table.organization_id, table.mac_address, endsAt, table.valid_from)
      .where(sql`mac_address is not null`),
    // Nearly all addresses have neither, and are in neither index.
    index("ip_addresses_status_index")
      .on(table.organization_id, table.status, endsAt, table.valid_from)
      .where(sql`status <> 'Active'`),
    index("ip_addresses_role_index")
      .on(table.organization_id, table.role, endsAt, table.valid_from)
      .where(sql`role is not null`),
    check(
      "ip_addresses_address_check",
      sql`masklen(${table.address}) = case family(${table.address}) when 4 then 32 else 128 end`,
    ),
    check("ip_addresses_name_check", upTo(table.name, 100)),
    check("ip_addresses_status_check", oneOf(table.status, addressStatuses)),
    check("ip_addresses_role_check", oneOf(table.role, addressRoles)),
    // A trigger sets subnet_id to null before the subnet is deleted.
    foreignKey({
      name: "ip_addresses_subnet_fk",
      columns: [table.organization_id, table.network_id, table.live_subnet_id],
      foreignColumns: [subnets.organization_id, subnets.network_id, subnets.current_id],
    }),
  ],
);
