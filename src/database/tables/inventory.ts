import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  inet,
  integer,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import { id, times } from "./columns.ts";
import { organizations } from "./organizations.ts";

const organizationId = () =>
  uuid()
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });

/** The networks of an organization: what keys and daemons are limited to. */
export const networks = pgTable(
  "networks",
  { id: id(), ...times(), organization_id: organizationId(), name: text().notNull() },
  (table) => [unique("networks_tenant_unique").on(table.organization_id, table.id)],
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
    unique("hosts_tenant_unique").on(table.organization_id, table.id),
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
    unique("services_network_unique").on(table.organization_id, table.network_id, table.id),
    index("services_on_host_index").on(table.organization_id, table.network_id, table.host_id),
    foreignKey({
      name: "services_host_fk",
      columns: [table.organization_id, table.network_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.network_id, hosts.id],
    }).onDelete("cascade"),
  ],
);

/** Labels that an organization gives to its records. */
export const tags = pgTable(
  "tags",
  { id: id(), ...times(), organization_id: organizationId(), name: text().notNull() },
  (table) => [unique("tags_tenant_unique").on(table.organization_id, table.id)],
);
