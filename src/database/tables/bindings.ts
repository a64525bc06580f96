import { sql } from "drizzle-orm";
import { check, foreignKey, index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { id, instant, times } from "./columns.ts";
import { ipAddresses, ports, services } from "./inventory.ts";
import { organizations } from "./organizations.ts";

export const bindingTypes = ["Port", "IPAddress"] as const;

const isLive = sql`valid_to is null`;

/**
 * The bindings and their versions, a slowly changing dimension of type 2: the live version has
 * `valid_to` null and keeps its id; closed versions carry that id as `lineage_id`. Triggers write
 * the history and an exclusion constraint keeps versions apart, whoever writes (migration `rules`).
 *
 * History outlives what it speaks of, so the `live_*` columns, null in closed versions, carry the
 * foreign keys.
 */
export const bindings = pgTable(
  "bindings",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    type: text({ enum: bindingTypes }).notNull(),
    service_id: uuid().notNull(),
    network_id: uuid().notNull(),
    port_id: uuid(),
    ip_address_id: uuid(),
    last_seen_at: instant().notNull().default(sql`now()`),
    // Cut and not rounded, so that it never lies ahead of the clock.
    valid_from: instant().notNull().default(sql`date_trunc('milliseconds', now())`),
    valid_to: instant(),
    first_discovery_id: uuid(),
    last_discovery_id: uuid(),
    lineage_id: uuid(),
    live_id: uuid().notNull().generatedAlwaysAs(sql`coalesce(lineage_id, id)`),
    live_service_id: uuid().generatedAlwaysAs(sql`case when valid_to is null then service_id end`),
    live_port_id: uuid().generatedAlwaysAs(sql`case when valid_to is null then port_id end`),
    live_ip_address_id: uuid().generatedAlwaysAs(
      sql`case when valid_to is null then ip_address_id end`,
    ),
  },
  (table) => [
    primaryKey({ name: "bindings_pk", columns: [table.organization_id, table.id] }),
    check("bindings_type_check", oneOf(table.type, bindingTypes)),
    check("bindings_port_check", sql`(${table.type} = 'Port') = (${table.port_id} is not null)`),
    check(
      "bindings_ip_address_check",
      sql`${table.type} <> 'IPAddress' or ${table.ip_address_id} is not null`,
    ),
    check(
      "bindings_lineage_check",
      sql`(${table.valid_to} is null) = (${table.lineage_id} is null)`,
    ),
    check("bindings_interval_check", sql`${table.valid_from} < ${table.valid_to}`),
    // The list's order, and behind it all that counting and choosing need: they then never touch the
    // table. Row level security looks at network_id.
    index("bindings_live_index")
      .on(table.organization_id, table.created_at, table.live_id, table.network_id, table.id)
      .where(isLive),
    index("bindings_history_index").on(
      table.organization_id,
      table.created_at,
      table.live_id,
      table.valid_from,
      table.valid_to,
      table.network_id,
      table.id,
    ),
    // For counting the versions of an instant.
    index("bindings_live_since_index")
      .on(table.organization_id, table.valid_from, table.network_id)
      .where(isLive),
    index("bindings_closed_index")
      .on(table.organization_id, table.valid_to, table.valid_from, table.network_id)
      .where(sql`valid_to is not null`),
    index("bindings_live_network_index")
      .on(table.organization_id, table.network_id, table.created_at, table.live_id, table.id)
      .where(isLive),
    index("bindings_history_network_index").on(
      table.organization_id,
      table.network_id,
      table.created_at,
      table.live_id,
      table.valid_from,
      table.valid_to,
      table.id,
    ),
    // Few versions speak of one service, port or address: one index each for live and history.
    index("bindings_service_index").on(table.organization_id, table.service_id, table.created_at),
    index("bindings_port_index").on(table.organization_id, table.port_id, table.created_at),
    index("bindings_ip_address_index").on(
      table.organization_id,
      table.ip_address_id,
      table.created_at,
    ),
    // For the foreign keys, when what a live version speaks of is deleted.
    index("bindings_live_service_index")
      .on(table.live_service_id)
      .where(sql`live_service_id is not null`),
    index("bindings_live_port_index").on(table.live_port_id).where(sql`live_port_id is not null`),
    index("bindings_live_ip_address_index")
      .on(table.live_ip_address_id)
      .where(sql`live_ip_address_id is not null`),
    foreignKey({
      name: "bindings_service_fk",
      columns: [table.organization_id, table.network_id, table.live_service_id],
      foreignColumns: [services.organization_id, services.network_id, services.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "bindings_port_fk",
      columns: [table.organization_id, table.network_id, table.live_port_id],
      foreignColumns: [ports.organization_id, ports.network_id, ports.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "bindings_ip_address_fk",
      columns: [table.organization_id, table.network_id, table.live_ip_address_id],
      foreignColumns: [ipAddresses.organization_id, ipAddresses.network_id, ipAddresses.id],
    }).onDelete("cascade"),
  ],
);
