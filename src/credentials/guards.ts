import { type SQL, sql } from "drizzle-orm";
import {
  type Guard,
  guardWhen,
  isMissing,
  missingReferences,
  type PathOf,
  type Reference,
} from "../database/guards.ts";
import { recordset } from "../database/recordset.ts";
import { overfull } from "../database/set-limit.ts";
import { credentialSecretFields, credentials, ipAddresses } from "../database/tables/index.ts";
import type { Issue } from "../errors/errors.ts";
import type { CredentialInput } from "./input.ts";

/**
 * Fails if a key limited to networks would create a credential that it could not change afterwards.
 */
export const unassigned = (sent: readonly CredentialInput[]): Guard =>
  guardWhen(
    sql`${sent.some(
      ({ assigned_network_ids, host_assignments }) =>
        assigned_network_ids.length === 0 && host_assignments.length === 0,
    )}::boolean and not (select app.reaches_all_networks())`,
    "auth_scope_denied",
    {},
  );

/**
 * Fails if an assignment of the credential is outside the networks of the caller's key. The
 * database also rejects the write (`app.refuse_beyond_reach`), but this guard states the reason.
 */
export const beyondReach = (ids: readonly string[]): Guard =>
  guardWhen(
    sql`exists (
      select from unnest(${sql.param(ids)}::uuid[]) as wanted (id)
      where not app.holds_credential(wanted.id))`,
    "auth_scope_denied",
    {},
  );

/**
 * Fails if a mask would keep a secret, but the field has no stored secret or the stored type
 * differs.
 */
export function secretsNotKept(id: string, type: string, kept: readonly string[]): Guard[] {
  if (kept.length === 0) {
    return [];
  }
  const issues = kept.map((field) => ({
    field,
    issue: {
      path: `body.credential_type.${field}.value`,
      message: "is a mask, but there is no stored secret to keep: send the secret itself",
      code: "custom",
    } satisfies Issue,
  }));
  return [
    sql`
    select 'validation_failed', jsonb_build_object(
      'issues', jsonb_agg(kept.issue), 'issue_count', count(*))
    from ${recordset("kept", issues, { field: "text", issue: "jsonb" })}
    where not exists (
      select from ${credentialSecretFields}
      join ${credentials} on ${credentials.id} = ${credentialSecretFields.credential_id}
      where ${credentials.id} = ${id} and ${credentials.type} = ${type}
        and ${credentialSecretFields.field} = kept.field)
    having count(*) > 0`,
  ];
}

/**
 * Fails if a reference names an organization other than the caller's, since such an organization
 * does not exist for the caller.
 */
const otherOrganization = (references: readonly Reference[]): Guard => sql`
  select 'entity_reference_invalid',
    jsonb_build_object('entity', 'Organization', 'field', wanted.field, 'id', wanted.id)
  from ${recordset("wanted", references, { id: "uuid", field: "text" })}
  where wanted.id <> (select app.organization_id()) limit 1`;

/**
 * Fails if a credential refers to a record that does not exist for the caller.
 * @param pathOf the path of each credential's fields in the body
 */
export function foreignReferences(sent: readonly CredentialInput[], pathOf: PathOf): Guard[] {
  const references = (field: string, idsOf: (credential: CredentialInput) => readonly string[]) =>
    sent.flatMap((credential, position) =>
      idsOf(credential).map((id): Reference => ({ id, field: `${pathOf(position)}${field}` })),
    );
  return [
    otherOrganization(references("organization_id", ({ organization_id }) => [organization_id])),
    ...missingReferences(
      "Tag",
      references("tags", ({ tags }) => tags),
    ),
    ...missingReferences(
      "Network",
      references("assigned_network_ids", ({ assigned_network_ids }) => assigned_network_ids),
    ),
    ...missingAssignments(sent, pathOf),
  ];
}

/** Fails if a network has more credentials than a set can contain. Must run after the write. */
export const overfullNetworks = (
  sent: readonly Pick<CredentialInput, "assigned_network_ids">[],
  pathOf: PathOf,
): Guard[] =>
  overfull(
    { table: "credential_networks", owner: "network_id" },
    sent.flatMap(({ assigned_network_ids }, position) =>
      assigned_network_ids.map((id) => ({ id, field: `${pathOf(position)}assigned_network_ids` })),
    ),
    { record: "network", members: "credentials" },
  );

/**
 * Fails if an assignment names a host that does not exist for the caller, or an address of another
 * host.
 */
function missingAssignments(sent: readonly CredentialInput[], pathOf: PathOf): Guard[] {
  const assignments = sent.flatMap(({ host_assignments }, position) =>
    host_assignments.map((assignment, at) => ({
      ...assignment,
      path: `${pathOf(position)}host_assignments[${at}].`,
    })),
  );
  if (assignments.length === 0) {
    return [];
  }
  const wanted = recordset("wanted", assignments, {
    host_id: "uuid",
    ip_address_ids: "uuid[]",
    path: "text",
  });
  const missing = (entity: string, field: string, id: SQL, from: SQL, isGone: SQL): Guard => sql`
    select 'entity_reference_invalid', jsonb_build_object(
      'entity', ${entity}::text, 'field', wanted.path || ${field}::text, 'id', ${id})
    from ${from} where ${isGone} limit 1`;
  return [
    missing(
      "Host",
      "host_id",
      sql`wanted.host_id`,
      wanted,
      isMissing(
        "Host",
        sql`wanted.host_id`,
        assignments.map(({ host_id }) => host_id),
      ),
    ),
    missing(
      "IPAddress",
      "ip_address_ids",
      sql`address.id`,
      sql`${wanted}, unnest(wanted.ip_address_ids) as address (id)`,
      sql`not exists (
        select from ${ipAddresses} as own
        where own.id = address.id and own.host_id = wanted.host_id and own.valid_to is null)`,
    ),
  ];
}
