import { and, eq, notInArray, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import {
  credentialHostIpAddresses,
  credentialHosts,
  credentialNetworks,
  credentialSecrets,
  credentials,
  credentialTags,
} from "../database/schema/index.ts";
import type { SealedSecrets } from "./seal-secrets.ts";
import type { CredentialUpdate } from "./wire.ts";

/** Locks a credential, so that two updates follow each other instead of mixing their children. */
export const lockCredential = (database: Database, id: string) =>
  database
    .select({ id: credentials.id })
    .from(credentials)
    .where(eq(credentials.id, id))
    .for("update");

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

/**
 * Replaces everything of a locked credential but its id and its creation: what it had goes in one
 * statement and what it gets comes in the next, as a statement does not see its own deletions.
 */
export function replaceCredential(
  database: Database,
  id: string,
  update: CredentialUpdate,
  { kept, sealed }: SealedSecrets,
) {
  const own = sql`${update.organization_id}::uuid, ${id}::uuid`;
  const assignments = sql`jsonb_to_recordset(${json(update.host_assignments)})
    as assignment (host_id uuid, ip_address_ids uuid[])`;
  const uuids = (ids: readonly string[]) => sql`unnest(${sql.param(ids)}::uuid[])`;
  const isReplaced = and(
    eq(credentialSecrets.credential_id, id),
    notInArray(credentialSecrets.field, kept),
  );
  return [
    database
      .update(credentials)
      .set({ name: update.name, settings: update.credential_type })
      .where(eq(credentials.id, id)),
    database.execute(sql`
      with
        secrets as (delete from ${credentialSecrets} where ${isReplaced}),
        tags as (delete from ${credentialTags} where ${eq(credentialTags.credential_id, id)}),
        networks as (
          delete from ${credentialNetworks} where ${eq(credentialNetworks.credential_id, id)})
      delete from ${credentialHosts} where ${eq(credentialHosts.credential_id, id)}`),
    database.execute(sql`
      with
        secrets as (
          insert into ${credentialSecrets} (organization_id, credential_id, field, sealed)
          select ${own}, field, sealed
          from jsonb_to_recordset(${json(sealed)}) as secret (field text, sealed text)),
        tags as (
          insert into ${credentialTags} (organization_id, credential_id, tag_id)
          select ${own}, ${uuids(update.tags)}),
        networks as (
          insert into ${credentialNetworks} (organization_id, credential_id, network_id)
          select ${own}, ${uuids(update.assigned_network_ids)}),
        hosts as (
          insert into ${credentialHosts}
            (organization_id, credential_id, host_id, is_limited_to_addresses)
          select ${own}, host_id, ip_address_ids is not null from ${assignments})
      insert into ${credentialHostIpAddresses}
        (organization_id, credential_id, host_id, ip_address_id)
      select ${own}, host_id, unnest(ip_address_ids) from ${assignments}`),
  ] as const;
}
