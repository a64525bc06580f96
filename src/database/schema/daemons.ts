import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { id, instant, times } from "./columns.ts";
import { networks } from "./inventory.ts";
import { organizations } from "./organizations.ts";

/** Failures in a row after which a daemon counts as unreachable. */
export const unreachableAfterFailures = 5;

/** The discovery agents that the service polls. */
export const daemons = pgTable(
  "daemons",
  {
    id: id(),
    ...times(),
    organization_id: uuid()
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    network_id: uuid().notNull(),
    name: text().notNull(),
    url: text().notNull(),
    consecutive_failures: integer().notNull().default(0),
    unreachable_since: instant(),
    is_unreachable: boolean().notNull().generatedAlwaysAs(sql`unreachable_since is not null`),
    next_poll_at: instant().default(sql`now()`),
  },
  (table) => [
    unique("daemons_tenant_unique").on(table.organization_id, table.id),
    index("daemons_network_index").on(table.organization_id, table.network_id),
    foreignKey({
      name: "daemons_network_fk",
      columns: [table.organization_id, table.network_id],
      foreignColumns: [networks.organization_id, networks.id],
    }).onDelete("cascade"),
    check("daemons_failures_check", sql`${table.consecutive_failures} >= 0`),
    check(
      "daemons_unreachable_check",
      sql.raw(
        `(unreachable_since is not null) = (consecutive_failures >= ${unreachableAfterFailures})`,
      ),
    ),
    // An unreachable daemon is left alone, every other one has its next poll.
    check(
      "daemons_next_poll_check",
      sql`(${table.unreachable_since} is null) = (${table.next_poll_at} is not null)`,
    ),
  ],
);
