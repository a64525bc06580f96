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
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import {
  discovered,
  isLive,
  liveReference,
  onHost,
  onHostRules,
  upTo,
  versioned,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";
import { subnets } from "./subnets.ts";

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
    position: integer().notNull().default(0),
    discovered: discovered(),
  },
  (table) => [
    ...versionedRules("ip_addresses", table),
    ...onHostRules("ip_addresses", table, hosts),
    // Drizzle has no NULLS NOT DISTINCT for unique indexes with a condition.
    uniqueIndex("ip_addresses_host_unique")
      .on(
        table.organization_id,
        table.host_id,
        sql`coalesce(${table.subnet_id}, '00000000-0000-0000-0000-000000000000')`,
        table.address,
      )
      .where(isLive),
    uniqueIndex("ip_addresses_subnet_unique")
      .on(table.organization_id, table.subnet_id, table.address)
      .where(sql`valid_to is null and subnet_id is not null`),
    index("ip_addresses_subnet_index").on(
      table.organization_id,
      table.subnet_id,
      table.created_at,
      table.live_id,
    ),
    index("ip_addresses_live_subnet_index")
      .on(table.live_subnet_id)
      .where(sql`live_subnet_id is not null`),
    // An address, and those that a CIDR holds.
    index("ip_addresses_address_index").using(
      "gist",
      table.organization_id,
      sql`${table.address} inet_ops`,
    ),
    index("ip_addresses_mac_index")
      .on(table.organization_id, table.mac_address)
      .where(sql`mac_address is not null`),
    check(
      "ip_addresses_address_check",
      sql`masklen(${table.address}) = case family(${table.address}) when 4 then 32 else 128 end`,
    ),
    check("ip_addresses_name_check", upTo(table.name, 100)),
    // A trigger empties subnet_id before its subnet is deleted.
    foreignKey({
      name: "ip_addresses_subnet_fk",
      columns: [table.organization_id, table.network_id, table.live_subnet_id],
      foreignColumns: [subnets.organization_id, subnets.network_id, subnets.current_id],
    }),
  ],
);
