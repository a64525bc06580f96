import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { invalidReference } from "../database/failure.ts";
import {
  type Guard,
  invalidWhen,
  invalidWhere,
  missingReferences,
  type PathOf,
} from "../database/guards.ts";
import { recordset } from "../database/recordset.ts";
import { addAnyMembers, replaceMembers } from "../database/sets.ts";
import { userApiKeySecrets, userApiKeys } from "../database/tables/index.ts";
import { type Role, roles } from "../roles.ts";
import type { ApiKeyInput } from "./input.ts";
import { networksOfKey } from "./model.ts";

/** Errors for networks that are deleted between the guards and the write. */
export const violations = {
  user_api_key_networks_network_fk: invalidReference("Network", "body.network_ids"),
};

/** Fails if the requested role is higher than the caller's. The database also enforces this. */
export const aboveOwnRole = (permissions: Role): Guard => sql`
  select 'auth_permission_denied',
    jsonb_build_object('required_role', ${permissions}::text, 'role', own.role)
  from (select app.key_role() as role) as own where own.role < ${permissions}::role`;

export const highestRole = (keys: readonly ApiKeyInput[]): Role =>
  roles.findLast((role) => keys.some(({ permissions }) => permissions === role)) ?? "Viewer";

/** Fails if a key or a token refers to a network that does not exist. */
export const foreignReferences = (
  keys: readonly Pick<ApiKeyInput, "network_ids">[],
  pathOf: PathOf,
): Guard[] =>
  missingReferences(
    "Network",
    keys.flatMap(({ network_ids }, position) =>
      (network_ids ?? []).map((id) => ({ id, field: `${pathOf(position)}network_ids` })),
    ),
  );

/** The stored forms of a plaintext. */
export interface KeptKey {
  /** SHA-256, in hexadecimal. */
  hash: string;
  /** The last four characters. */
  hint: string;
}

const ownColumns = ({ name, permissions, network_ids, expires_at, is_enabled }: ApiKeyInput) => ({
  name,
  role: permissions,
  is_limited_to_networks: network_ids !== null,
  expires_at,
  is_enabled,
});

export const insertKeys = (
  database: Database,
  keys: readonly (ApiKeyInput & { id: string; kept: KeptKey })[],
) => [
  database.insert(userApiKeys).values(
    keys.map((key) => ({
      organization_id: sql`app.organization_id()`,
      id: key.id,
      key_hint: key.kept.hint,
      ...ownColumns(key),
    })),
  ),
  database.execute(sql`
    insert into ${userApiKeySecrets} (organization_id, api_key_id, key_hash)
    select (select app.organization_id()), id, decode(hash, 'hex')
    from ${recordset(
      "sent",
      keys.map(({ id, kept }) => ({ id, hash: kept.hash })),
      { id: "uuid", hash: "text" },
    )}`),
  ...addAnyMembers(
    database,
    networksOfKey,
    keys.flatMap(({ id, network_ids }) =>
      (network_ids ?? []).map((member) => ({ owner: id, member })),
    ),
  ),
];

/**
 * Replaces a locked key, except its id, creation time and plaintext. The networks are written
 * first, because a key that has limited itself can no longer write them.
 */
export const replaceKey = (database: Database, id: string, key: ApiKeyInput) => [
  replaceMembers(database, networksOfKey, id, key.network_ids ?? []),
  database.update(userApiKeys).set(ownColumns(key)).where(eq(userApiKeys.id, id)),
];

/** Replaces a key's plaintext. The old one keeps working for another `overlapSeconds`. */
export const replaceSecret = (
  database: Database,
  id: string,
  { hash, hint }: KeptKey,
  overlapSeconds: number,
) =>
  database.execute(
    sql`select app.rotate_key(${id}, decode(${hash}, 'hex'), ${hint}, ${overlapSeconds})`,
  );

/** Fails if the key has a higher role than the caller's key. */
export const belowKey = (id: string): Guard => sql`
  select 'auth_permission_denied',
    jsonb_build_object('required_role', user_api_keys.role, 'role', app.key_role())
  from ${userApiKeys} where user_api_keys.id = ${id} and user_api_keys.role > app.key_role()`;

/**
 * Fails if the new expiry is in the past. An expired key may keep its expiry unchanged.
 * @param id the id of the changed key
 */
export const endsInThePast = (
  keys: readonly ApiKeyInput[],
  pathOf: PathOf,
  id: string | null = null,
): Guard =>
  invalidWhere(
    sql`
    select sent.path, sent.position
    from ${recordset(
      "sent",
      keys.map(({ expires_at }, position) => ({
        position,
        path: `${pathOf(position)}expires_at`,
        expires_at,
      })),
      { position: "int", path: "text", expires_at: "timestamptz" },
    )}
    where sent.expires_at <= now() and not exists (
      select from ${userApiKeys} as known
      where known.id = ${id}::uuid and known.expires_at = sent.expires_at)`,
    "must be in the future: to end the key now, disable or delete it",
  );

/**
 * Fails if a key would disable itself: after the change, it could no longer read the record, so the
 * change would be rolled back with a 401.
 */
export const disablesItself = (id: string, { is_enabled }: ApiKeyInput): Guard =>
  invalidWhen(
    sql`${id}::uuid = app.key_id() and not ${is_enabled}::boolean`,
    "body.is_enabled",
    "would disable the key of this request: use another key, or delete this one",
  );
