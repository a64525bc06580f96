import { and, eq, notInArray, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "../database/connection.ts";
import {
  credentialHostIpAddresses,
  credentialHosts,
  credentialNetworks,
  credentialSecrets,
  credentials,
  credentialTags,
  hosts,
  networks,
  organizations,
  tags,
} from "../database/schema/index.ts";
import { abortWhen } from "../database/tenant.ts";
import type { Issue } from "../http/errors.ts";
import type { SealedSecrets } from "./seal-secrets.ts";
import type { CredentialUpdate } from "./wire.ts";

/**
 * Locks the credential, so that two updates follow each other instead of mixing their children,
 * and ends the batch if the caller has none with this id.
 */
export const lockCredential = (database: Database, id: string) => {
  const isOwn = eq(credentials.id, id);
  return [
    database.select({ id: credentials.id }).from(credentials).where(isOwn).for("update"),
    abortWhen(
      database,
      sql`not exists (select from ${credentials} where ${isOwn})`,
      "entity_not_found",
      { entity: "Credential", id },
    ),
  ] as const;
};

/** Ends the batch if a secret is to be kept in a field that holds none, or of another type. */
export const requireKeptSecrets = (
  database: Database,
  id: string,
  type: string,
  kept: readonly string[],
) => {
  const issues = kept.map((field) => ({
    field,
    issue: {
      path: `body.credential_type.${field}.value`,
      message: "there is no stored secret to keep here: send the secret itself",
      code: "custom",
    } satisfies Issue,
  }));
  return database.execute(sql`
    select app.abort('validation_failed', jsonb_build_object('issues', jsonb_agg(kept.issue)))
    from jsonb_to_recordset(${JSON.stringify(issues)}::jsonb) as kept (field text, issue jsonb)
    where not exists (
      select from ${credentialSecrets}
      join ${credentials} on ${credentials.id} = ${credentialSecrets.credential_id}
      where ${credentials.id} = ${id} and ${credentials.type} = ${type}
        and ${credentialSecrets.field} = kept.field)
    having count(*) > 0`);
};

const uuids = (ids: readonly string[]) => sql`${sql.param(ids)}::uuid[]`;

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

const requireReferences = (
  database: Database,
  { entity, field, wanted, isThere }: { entity: string; field: string; wanted: SQL; isThere: SQL },
) =>
  database.execute(sql`
    select app.abort('entity_reference_invalid',
      jsonb_build_object('entity', ${entity}::text, 'field', ${field}::text, 'id', missing.id))
    from (select wanted.id from ${wanted} where not exists (${isThere}) limit 1) as missing`);

const requireRecords = (
  database: Database,
  reference: { entity: string; field: string; ids: readonly string[] },
  table: PgTable,
) =>
  requireReferences(database, {
    ...reference,
    wanted: sql`unnest(${uuids(reference.ids)}) as wanted (id)`,
    isThere: sql`select from ${table} as own where own.id = wanted.id`,
  });

/**
 * Ends the batch if the update refers to anything that is not the caller's. Row level security
 * hides the rest, networks outside the key's list and what is in them included.
 */
export const requireOwnReferences = (database: Database, update: CredentialUpdate) =>
  [
    requireRecords(
      database,
      { entity: "Organization", field: "organization_id", ids: [update.organization_id] },
      organizations,
    ),
    requireRecords(database, { entity: "Tag", field: "tags", ids: update.tags }, tags),
    requireRecords(
      database,
      { entity: "Network", field: "assigned_network_ids", ids: update.assigned_network_ids },
      networks,
    ),
    requireRecords(
      database,
      {
        entity: "Host",
        field: "host_assignments.host_id",
        ids: update.host_assignments.map(({ host_id }) => host_id),
      },
      hosts,
    ),
    requireReferences(database, {
      entity: "IPAddress",
      field: "host_assignments.ip_address_ids",
      wanted: sql`jsonb_to_recordset(${json(update.host_assignments)})
        as assignment (host_id uuid, ip_address_ids uuid[]),
        unnest(assignment.ip_address_ids) as wanted (id)`,
      isThere: sql`select from ip_addresses as own
        where own.id = wanted.id and own.host_id = assignment.host_id`,
    }),
  ] as const;

/** Replaces everything of the credential but its id and its creation. */
export const replaceCredential = (
  database: Database,
  id: string,
  update: CredentialUpdate,
  { kept, sealed }: SealedSecrets,
) => {
  const own = sql`${update.organization_id}::uuid, ${id}::uuid`;
  const assignments = sql`jsonb_to_recordset(${json(update.host_assignments)})
    as assignment (host_id uuid, ip_address_ids uuid[])`;
  return [
    database
      .update(credentials)
      .set({ name: update.name, settings: update.credential_type })
      .where(eq(credentials.id, id)),
    database
      .delete(credentialSecrets)
      .where(
        and(eq(credentialSecrets.credential_id, id), notInArray(credentialSecrets.field, kept)),
      ),
    database.execute(sql`
      insert into ${credentialSecrets} (organization_id, credential_id, field, sealed)
      select ${own}, field, sealed
      from jsonb_to_recordset(${json(sealed)}) as secret (field text, sealed text)`),
    database.delete(credentialTags).where(eq(credentialTags.credential_id, id)),
    database.execute(sql`
      insert into ${credentialTags} (organization_id, credential_id, tag_id)
      select ${own}, unnest(${uuids(update.tags)})`),
    database.delete(credentialNetworks).where(eq(credentialNetworks.credential_id, id)),
    database.execute(sql`
      insert into ${credentialNetworks} (organization_id, credential_id, network_id)
      select ${own}, unnest(${uuids(update.assigned_network_ids)})`),
    database.delete(credentialHosts).where(eq(credentialHosts.credential_id, id)),
    database.execute(sql`
      insert into ${credentialHosts}
        (organization_id, credential_id, host_id, is_limited_to_addresses)
      select ${own}, host_id, ip_address_ids is not null from ${assignments}`),
    database.execute(sql`
      insert into ${credentialHostIpAddresses}
        (organization_id, credential_id, host_id, ip_address_id)
      select ${own}, host_id, unnest(ip_address_ids) from ${assignments}`),
  ] as const;
};
