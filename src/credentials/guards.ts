import { eq, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type Guard, guardWhen } from "../database/guards.ts";
import {
  credentialSecretFields,
  credentials,
  hosts,
  networks,
  organizations,
  tags,
} from "../database/tables/index.ts";
import type { Issue } from "../errors.ts";
import type { CredentialUpdate } from "./input.ts";

/** The caller has no credential with this id. */
export const notFound = (id: string): Guard =>
  guardWhen(
    sql`not exists (select from ${credentials} where ${eq(credentials.id, id)})`,
    "entity_not_found",
    { entity: "Credential", id },
  );

/**
 * Something that the credential is assigned to lies outside the networks of the caller's key. The
 * database itself refuses the write as well (migration `hardening`); this tells why.
 */
export const beyondReach = (id: string): Guard =>
  guardWhen(sql`not app.reaches_credential(${id})`, "auth_scope_denied", {});

/** A secret is to be kept in a field that holds none, or of another type. */
export function secretsNotKept(id: string, type: string, kept: readonly string[]): Guard {
  const issues = kept.map((field) => ({
    field,
    issue: {
      path: `body.credential_type.${field}.value`,
      message: "there is no stored secret to keep here: send the secret itself",
      code: "custom",
    } satisfies Issue,
  }));
  return sql`
    select 'validation_failed', jsonb_build_object(
      'issues', jsonb_agg(kept.issue), 'issue_count', count(*))
    from jsonb_to_recordset(${JSON.stringify(issues)}::jsonb) as kept (field text, issue jsonb)
    where not exists (
      select from ${credentialSecretFields}
      join ${credentials} on ${credentials.id} = ${credentialSecretFields.credential_id}
      where ${credentials.id} = ${id} and ${credentials.type} = ${type}
        and ${credentialSecretFields.field} = kept.field)
    having count(*) > 0`;
}

/**
 * The update refers to something that is not the caller's. Row level security hides the rest,
 * networks outside the key's list and what is in them included.
 */
export const foreignReferences = (update: CredentialUpdate): readonly Guard[] => [
  missingRecord("Organization", "organization_id", [update.organization_id], organizations),
  missingRecord("Tag", "tags", update.tags, tags),
  missingRecord("Network", "assigned_network_ids", update.assigned_network_ids, networks),
  missingRecord(
    "Host",
    "host_assignments.host_id",
    update.host_assignments.map(({ host_id }) => host_id),
    hosts,
  ),
  missing("IPAddress", "host_assignments.ip_address_ids", {
    wanted: sql`jsonb_to_recordset(${JSON.stringify(update.host_assignments)}::jsonb)
      as assignment (host_id uuid, ip_address_ids uuid[]),
      unnest(assignment.ip_address_ids) as wanted (id)`,
    isThere: sql`select from ip_addresses as own
      where own.id = wanted.id and own.host_id = assignment.host_id`,
  }),
];

const missingRecord = (entity: string, field: string, ids: readonly string[], table: PgTable) =>
  missing(entity, field, {
    wanted: sql`unnest(${sql.param(ids)}::uuid[]) as wanted (id)`,
    isThere: sql`select from ${table} as own where own.id = wanted.id`,
  });

const missing = (
  entity: string,
  field: string,
  { wanted, isThere }: { wanted: SQL; isThere: SQL },
): Guard => sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', ${entity}::text, 'field', ${field}::text, 'id', wanted.id)
  from ${wanted} where not exists (${isThere}) limit 1`;
