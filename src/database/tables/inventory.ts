import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  inet,
  integer,
  type PgColumn,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { id, sortableText, times } from "./columns.ts";
import { organizations } from "./organizations.ts";

const organizationId = () =>
  uuid()
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });

const named = (table: string, { name, description }: Record<"name" | "description", PgColumn>) => [
  check(`${table}_name_check`, sql`char_length(${name}) between 1 and 100`),
  check(`${table}_description_check`, sql`char_length(${description}) between 1 and 500`),
];

/** The networks of an organization: what keys and daemons are limited to. */
export const networks = pgTable(
  "networks",
  {
    id: id(),
    ...times(),
    organization_id: organizationId(),
    name: sortableText().notNull(),
    description: text(),
  },
  (table) => [
    primaryKey({ name: "networks_pk", columns: [table.organization_id, table.id] }),
    index("networks_created_index").on(table.organization_id, table.created_at, table.id),
    ...named("networks", table),
  ],
);

/** The machines on a network. */
export const hosts = pgTable(
  "hosts",
  {
    id: id(),
    ...times(),
    organization_id: organizationId(),
    network_id: uuid().notNull(),
    name: text().notNull(),
  },
  (table) => [
    primaryKey({ name: "hosts_pk", columns: [table.organization_id, table.id] }),
    unique("hosts_network_unique").on(table.organization_id, table.network_id, table.id),
    foreignKey({
      name: "hosts_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
  ],
);

/** What a part of a host carries: the host, and with it the host's network. */
const onHost = () => ({
  organization_id: organizationId(),
  network_id: uuid().notNull(),
  host_id: uuid().notNull(),
});

/** The addresses of a host. */
export const ipAddresses = pgTable(
  "ip_addresses",
  { id: id(), ...times(), ...onHost(), address: inet().notNull() },
  (table) => [
    primaryKey({ name: "ip_addresses_pk", columns: [table.organization_id, table.id] }),
    unique("ip_addresses_host_unique").on(table.organization_id, table.host_id, table.id),
    unique("ip_addresses_network_unique").on(table.organization_id, table.network_id, table.id),
    index("ip_addresses_on_host_index").on(table.organization_id, table.network_id, table.host_id),
    foreignKey({
      name: "ip_addresses_host_fk",
      columns: [table.organization_id, table.network_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.network_id, hosts.id],
    }).onDelete("cascade"),
  ],
);

export const transportProtocols = ["Tcp", "Udp"] as const;

/** The open ports of a host. */
export const ports = pgTable(
  "ports",
  {
    id: id(),
    ...times(),
    ...onHost(),
    number: integer().notNull(),
    protocol: text({ enum: transportProtocols }).notNull(),
  },
  (table) => [
    primaryKey({ name: "ports_pk", columns: [table.organization_id, table.id] }),
    unique("ports_network_unique").on(table.organization_id, table.network_id, table.id),
    index("ports_on_host_index").on(table.organization_id, table.network_id, table.host_id),
    check("ports_number_check", sql`${table.number} between 1 and 65535`),
    check("ports_protocol_check", oneOf(table.protocol, transportProtocols)),
    foreignKey({
      name: "ports_host_fk",
      columns: [table.organization_id, table.network_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.network_id, hosts.id],
    }).onDelete("cascade"),
  ],
);

/** The services that run on a host. */
export const services = pgTable(
  "services",
  { id: id(), ...times(), ...onHost(), name: text().notNull() },
  (table) => [
    primaryKey({ name: "services_pk", columns: [table.organization_id, table.id] }),
    unique("services_network_unique").on(table.organization_id, table.network_id, table.id),
    index("services_on_host_index").on(table.organization_id, table.network_id, table.host_id),
    foreignKey({
      name: "services_host_fk",
      columns: [table.organization_id, table.network_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.network_id, hosts.id],
    }).onDelete("cascade"),
  ],
);

/** Colors of tags (API contract, section 8). */
export const tagColors = [
  "Pink",
  "Rose",
  "Red",
  "Amber",
  "Orange",
  "Green",
  "Emerald",
  "Teal",
  "Cyan",
  "Blue",
  "Indigo",
  "Purple",
  "Fuchsia",
  "Violet",
  "Sky",
  "Gray",
  "Lime",
  "Yellow",
] as const;

/** Labels that an organization gives to its records. */
export const tags = pgTable(
  "tags",
  {
    id: id(),
    ...times(),
    organization_id: organizationId(),
    name: sortableText().notNull(),
    description: text(),
    color: text({ enum: tagColors }).notNull().default("Gray"),
  },
  (table) => [
    primaryKey({ name: "tags_pk", columns: [table.organization_id, table.id] }),
    index("tags_created_index").on(table.organization_id, table.created_at, table.id),
    ...named("tags", table),
    check("tags_color_check", oneOf(table.color, tagColors)),
    // ICU's rules: those of the name's own collation know ASCII only, and those of a database differ.
    uniqueIndex("tags_name_unique").on(
      table.organization_id,
      sql`lower(${table.name} collate "und-x-icu")`,
    ),
  ],
);

/** The tags of networks. */
export const networkTags = pgTable(
  "network_tags",
  {
    organization_id: uuid().notNull(),
    network_id: uuid().notNull(),
    tag_id: uuid().notNull(),
  },
  (table) => [
    primaryKey({
      name: "network_tags_pk",
      columns: [table.organization_id, table.network_id, table.tag_id],
    }),
    index("network_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "network_tags_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "network_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);
