import { sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type Guard, guardWhen } from "../database/guards.ts";
import type { MemberTable } from "../database/sets.ts";
import { credentials, daemons, networks } from "../database/tables/index.ts";

/** A kind of record that carries tags. */
export interface Taggable {
  entity: string;
  table: PgTable;
  set: MemberTable;
  /** What its locks are called. */
  locked: "networks" | "daemons" | "credentials";
  /** What refuses a key limited to networks, which sees more of these records than it may change. */
  beyondReach?(ids: readonly string[]): Guard;
}

const limitedKey = sql`not (select app.reaches_all_networks())`;

/** What tags can be assigned to, by `entity_type` (API contract, section 8). */
export const taggables = {
  Network: {
    entity: "Network",
    table: networks,
    set: { table: "network_tags", owner: "network_id", member: "tag_id" },
    locked: "networks",
    // Networks themselves lie above networks.
    beyondReach: () => guardWhen(limitedKey, "auth_scope_denied", {}),
  },
  Daemon: {
    entity: "Daemon",
    table: daemons,
    set: { table: "daemon_tags", owner: "daemon_id", member: "tag_id" },
    locked: "daemons",
  },
  Credential: {
    entity: "Credential",
    table: credentials,
    set: { table: "credential_tags", owner: "credential_id", member: "tag_id" },
    locked: "credentials",
    beyondReach: (ids) =>
      guardWhen(
        sql`exists (
          select from unnest(${sql.param(ids)}::uuid[]) as wanted (id)
          where not app.holds_credential(wanted.id))`,
        "auth_scope_denied",
        {},
      ),
  },
} satisfies Readonly<Record<string, Taggable>>;

export type EntityType = keyof typeof taggables;

/** The kinds of records, for the document and for validation. */
// Object.keys knows no more than that they are texts.
export const entityTypes = Object.keys(taggables) as EntityType[];

/** The record that carries tags, as one type. */
export const taggableOf = (entityType: EntityType): Taggable => taggables[entityType];
