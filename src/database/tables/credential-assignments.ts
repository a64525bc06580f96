import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, pgTable, primaryKey, unique, uuid } from "drizzle-orm/pg-core";
import { credentials, ofCredential } from "./credentials.ts";
import { hosts } from "./hosts.ts";
import { ipAddresses } from "./ip-addresses.ts";
import { networks } from "./networks.ts";
import { tags } from "./tags.ts";

export const credentialTags = pgTable(
  "credential_tags",
  { ...ofCredential(), tag_id: uuid().notNull() },
  (table) => [
    primaryKey({
      name: "credential_tags_pk",
      columns: [table.organization_id, table.credential_id, table.tag_id],
    }),
    index("credential_tags_tag_index").on(table.tag_id),
    foreignKey({
      name: "credential_tags_credential_fk",
      columns: [table.organization_id, table.credential_id],
      foreignColumns: [credentials.organization_id, credentials.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "credential_tags_tag_fk",
      columns: [table.organization_id, table.tag_id],
      foreignColumns: [tags.organization_id, tags.id],
    }).onDelete("cascade"),
  ],
);

/** The broadcast scope: the networks on which a credential is tried. */
export const credentialNetworks = pgTable(
  "credential_networks",
  { ...ofCredential(), network_id: uuid().notNull() },
  (table) => [
    primaryKey({
      name: "credential_networks_pk",
      columns: [table.organization_id, table.credential_id, table.network_id],
    }),
    index("credential_networks_network_index").on(table.network_id),
    foreignKey({
      name: "credential_networks_credential_fk",
      columns: [table.organization_id, table.credential_id],
      foreignColumns: [credentials.organization_id, credentials.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "credential_networks_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
  ],
);

/**
 * The hosts to which credentials are assigned. `is_limited_to_addresses` distinguishes "the whole
 * host" from "these addresses". When the last address of a limited assignment is deleted, a trigger
 * deletes the assignment, so that its scope never widens to the whole host.
 */
export const credentialHosts = pgTable(
  "credential_hosts",
  {
    ...ofCredential(),
    host_id: uuid().notNull(),
    is_limited_to_addresses: boolean().notNull(),
  },
  (table) => [
    primaryKey({
      name: "credential_hosts_pk",
      columns: [table.organization_id, table.credential_id, table.host_id],
    }),
    unique("credential_hosts_limited_unique").on(
      table.organization_id,
      table.credential_id,
      table.host_id,
      table.is_limited_to_addresses,
    ),
    index("credential_hosts_host_index").on(table.host_id),
    foreignKey({
      name: "credential_hosts_credential_fk",
      columns: [table.organization_id, table.credential_id],
      foreignColumns: [credentials.organization_id, credentials.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "credential_hosts_host_fk",
      columns: [table.organization_id, table.host_id],
      foreignColumns: [hosts.organization_id, hosts.current_id],
    }).onDelete("cascade"),
  ],
);

/** The addresses of limited assignments. Other assignments cannot have addresses. */
export const credentialHostIpAddresses = pgTable(
  "credential_host_ip_addresses",
  {
    ...ofCredential(),
    host_id: uuid().notNull(),
    ip_address_id: uuid().notNull(),
    is_limited_to_addresses: boolean().notNull().generatedAlwaysAs(sql`true`),
  },
  (table) => [
    primaryKey({
      name: "credential_host_ip_addresses_pk",
      columns: [table.organization_id, table.credential_id, table.host_id, table.ip_address_id],
    }),
    index("credential_host_ip_addresses_address_index").on(table.ip_address_id),
    foreignKey({
      name: "credential_host_ip_addresses_assignment_fk",
      columns: [
        table.organization_id,
        table.credential_id,
        table.host_id,
        table.is_limited_to_addresses,
      ],
      foreignColumns: [
        credentialHosts.organization_id,
        credentialHosts.credential_id,
        credentialHosts.host_id,
        credentialHosts.is_limited_to_addresses,
      ],
    }).onDelete("cascade"),
    foreignKey({
      name: "credential_host_ip_addresses_address_fk",
      columns: [table.organization_id, table.host_id, table.ip_address_id],
      foreignColumns: [ipAddresses.organization_id, ipAddresses.host_id, ipAddresses.current_id],
    }).onDelete("cascade"),
  ],
);
