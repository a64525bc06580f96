import { sql } from "drizzle-orm";
import { check, foreignKey, index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import {
  endsAt,
  liveHostRule,
  liveReference,
  onHost,
  onHostRule,
  versioned,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";
import { ipAddresses } from "./ip-addresses.ts";
import { ports } from "./ports.ts";
import { services } from "./services.ts";

export const bindingTypes = ["Port", "IPAddress"] as const;

/**
 * The bindings of services to ports and addresses, and their history. `host_id` is the service's
 * host: a trigger sets it, and the port and address must belong to that host. It may be null in
 * versions that were closed before bindings had this column.
 */
export const bindings = pgTable(
  "bindings",
  {
    ...versioned(),
    ...onHost(),
    host_id: uuid(),
    type: text({ enum: bindingTypes }).notNull(),
    service_id: uuid().notNull(),
    port_id: uuid(),
    ip_address_id: uuid(),
    live_service_id: liveReference("service_id"),
    live_port_id: liveReference("port_id"),
    live_ip_address_id: liveReference("ip_address_id"),
  },
  (table) => [
    ...versionedRules("bindings", table),
    onHostRule("bindings", table, hosts),
    liveHostRule("bindings", table),
    check(
      "bindings_host_check",
      sql`${table.host_id} is not null or ${table.valid_to} is not null`,
    ),
    check("bindings_type_check", oneOf(table.type, bindingTypes)),
    check("bindings_port_check", sql`(${table.type} = 'Port') = (${table.port_id} is not null)`),
    check(
      "bindings_ip_address_check",
      sql`${table.type} <> 'IPAddress' or ${table.ip_address_id} is not null`,
    ),
    // Few versions refer to any one service, port or address, so a single index for each of these
    // columns serves both live and closed versions.
    ...(["service", "port", "ip_address"] as const).map((kind) =>
      index(`bindings_${kind}_index`).on(
        table.organization_id,
        table[`${kind}_id`],
        endsAt,
        table.valid_from,
      ),
    ),
    // Indexes on the targets of live versions. They serve imports, and the foreign keys when a
    // target is deleted.
    ...(["service", "port", "ip_address"] as const).map((kind) =>
      index(`bindings_live_${kind}_index`)
        .on(table.organization_id, table[`live_${kind}_id`])
        .where(sql.raw(`live_${kind}_id is not null`)),
    ),
    foreignKey({
      name: "bindings_service_fk",
      columns: [table.organization_id, table.host_id, table.live_service_id],
      foreignColumns: [services.organization_id, services.host_id, services.current_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "bindings_port_fk",
      columns: [table.organization_id, table.host_id, table.live_port_id],
      foreignColumns: [ports.organization_id, ports.host_id, ports.current_id],
    }).onDelete("cascade"),
    foreignKey({
      name: "bindings_ip_address_fk",
      columns: [table.organization_id, table.host_id, table.live_ip_address_id],
      foreignColumns: [ipAddresses.organization_id, ipAddresses.host_id, ipAddresses.current_id],
    }).onDelete("cascade"),
  ],
);
