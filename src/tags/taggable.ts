import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Entity } from "../database/collection.ts";
import { type Guard, guardWhen } from "../database/guards.ts";
import { live, type Versions } from "../database/history.ts";
import { lock, lockHosts, lockRecords } from "../database/locks.ts";
import type { MemberTable } from "../database/sets.ts";
import {
  credentials,
  daemons,
  hosts,
  networks,
  services,
  subnets,
} from "../database/tables/index.ts";

export interface Taggable {
  entity: Entity;
  table: PgTable;
  set: MemberTable;
  versions?: Versions;
  /** Locks tags, then records of this kind and the records that change with them. */
  lock(tagIds: readonly string[], ids: readonly string[]): readonly SQL[];
  /**
   * Rejects a key limited to specific networks, since it can see more of these records than it can
   * change.
   */
  beyondReach?(ids: readonly string[]): Guard;
}

const limitedKey = sql`not (select app.reaches_all_networks())`;

/** The taggable kinds, by `entity_type` (API contract, section 8). */
const taggables = {
  Network: {
    entity: "Network",
    table: networks,
    set: { table: "network_tags", owner: "network_id", member: "tag_id" },
    lock: (tags, ids) => [lockRecords({ tags, networks: ids })],
    // Networks belong to the organization, not to a network.
    beyondReach: () => guardWhen(limitedKey, "auth_scope_denied", {}),
  },
  Daemon: {
    entity: "Daemon",
    table: daemons,
    set: { table: "daemon_tags", owner: "daemon_id", member: "tag_id" },
    lock: (tags, ids) => [lockRecords({ tags, daemons: ids })],
  },
  Credential: {
    entity: "Credential",
    table: credentials,
    set: { table: "credential_tags", owner: "credential_id", member: "tag_id" },
    lock: (tags, ids) => [lockRecords({ tags, credentials: ids })],
    beyondReach: (ids) =>
      guardWhen(
        sql`exists (
          select from unnest(${sql.param(ids)}::uuid[]) as wanted (id)
          where not app.holds_credential(wanted.id))`,
        "auth_scope_denied",
        {},
      ),
  },
  Host: {
    entity: "Host",
    table: hosts,
    versions: live,
    set: { table: "host_tags", owner: "host_id", member: "tag_id" },
    lock: (tags, ids) => [lockRecords({ tags }), lockHosts(ids)],
  },
  Service: {
    entity: "Service",
    table: services,
    versions: live,
    set: { table: "service_tags", owner: "service_id", member: "tag_id" },
    // The entity tag of a host also covers its services.
    lock: (tags, ids) => [
      lockRecords({ tags }),
      lockHosts(
        sql`select host_id from ${services} where id = any (${sql.param(ids)}::uuid[]) and valid_to is null`,
      ),
      lock({ table: services, versions: live }, ids),
    ],
  },
  Subnet: {
    entity: "Subnet",
    table: subnets,
    versions: live,
    set: { table: "subnet_tags", owner: "subnet_id", member: "tag_id" },
    lock: (tags, ids) => [lockRecords({ tags }), lock({ table: subnets, versions: live }, ids)],
  },
} satisfies Readonly<Record<string, Taggable>>;

type EntityType = keyof typeof taggables;

/** The kinds of records, for the OpenAPI document and for validation. */
// Object.keys returns plain strings.
export const entityTypes = Object.keys(taggables) as EntityType[];

/** The taggable kind, widened to one type. */
export const taggableOf = (entityType: EntityType): Taggable => taggables[entityType];
