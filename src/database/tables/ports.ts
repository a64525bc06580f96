import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { oneOf } from "./checks.ts";
import {
  endsAt,
  hostRule,
  ofHostRule,
  onHost,
  onHostRule,
  versioned,
  versionedRules,
} from "./history.ts";
import { hosts } from "./hosts.ts";

export const transportProtocols = ["Tcp", "Udp"] as const;

/**
 * The ports of hosts and their history. A live port is open while a live binding refers to it, and
 * otherwise closed.
 */
export const ports = pgTable(
  "ports",
  {
    ...versioned(),
    ...onHost(),
    number: integer().notNull(),
    protocol: text({ enum: transportProtocols }).notNull(),
  },
  (table) => [
    ...versionedRules("ports", table),
    onHostRule("ports", table, hosts),
    hostRule("ports", table),
    ofHostRule("ports", table),
    // `drizzle/rules/ports.sql` keeps a host's ports unique: Drizzle does not support deferrable
    // constraints.
    index("ports_number_index").on(
      table.organization_id,
      table.number,
      table.protocol,
      endsAt,
      table.valid_from,
      table.host_id,
    ),
    check("ports_number_check", sql`${table.number} between 1 and 65535`),
    check("ports_protocol_check", oneOf(table.protocol, transportProtocols)),
  ],
);
