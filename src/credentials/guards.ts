import { sql } from "drizzle-orm";
import type { BodyPath } from "../database/failure.ts";
import { type Guard, guardWhen, type PathOf } from "../database/guards.ts";
import { overfull } from "../database/set-limit.ts";
import type { Issue } from "../errors/errors.ts";
import type { CredentialInput } from "./input.ts";

/**
 * Fails if a key limited to specific networks would create a credential that it could not change
 * afterwards.
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
 * The fields whose secrets are kept, each with the issue to report if there is no such secret.
 * @param path the path prefix of the credential's fields in the body
 */
export const keptOrIssue = (kept: readonly string[], path: BodyPath) =>
  kept.map((field) => ({
    field,
    issue: {
      path: `${path}credential_type.${field}.value`,
      message: "is a mask, but there is no stored secret to keep: send the secret itself",
      code: "custom",
    } satisfies Issue,
  }));

/**
 * Fails if a credential refers to a record that does not exist for the caller, or to an address of
 * another host.
 * @param pathOf the path of each credential's fields in the body
 */
export const foreignReferences = (sent: readonly CredentialInput[], pathOf: PathOf): Guard => {
  const references = sent.map(
    ({ organization_id, tags, assigned_network_ids, host_assignments }, position) => ({
      path: pathOf(position),
      organization_id,
      tags,
      assigned_network_ids,
      host_assignments,
    }),
  );
  return sql`
    select code, params
    from app.invalid_references_of_credentials(${JSON.stringify(references)})`;
};

/** The names in the error for a network with too many credentials. */
export const credentialsOfNetwork = { record: "network", members: "credentials" } as const;

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
    credentialsOfNetwork,
  );
