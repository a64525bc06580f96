import { type SQL, sql } from "drizzle-orm";
import { pickColumns } from "../database/columns-of.ts";
import type { Database } from "../database/connection.ts";
import { externalIdViolations } from "../database/external-ids.ts";
import { type BodyPath, invalidReference } from "../database/failure.ts";
import { lockHosts } from "../database/locks.ts";
import { recordset } from "../database/recordset.ts";
import { tooManyMembers } from "../database/set-limit.ts";
import { setMaximum } from "../database/sets.ts";
import {
  credentialHostIpAddresses,
  credentialHosts,
  credentialNetworks,
  credentialSecrets,
  credentials,
  credentialTags,
} from "../database/tables/index.ts";
import { credentialsOfNetwork, keptOrIssue } from "./guards.ts";
import type { CredentialInput } from "./input.ts";
import type { SealedSecrets } from "./seal-secrets.ts";

/** Errors for records that are changed or deleted between the guards and the write. */
export const violations = {
  ...externalIdViolations("credentials"),
  credential_tags_tag_fk: invalidReference("Tag", "body.tags"),
  credential_networks_network_fk: invalidReference("Network", "body.assigned_network_ids"),
  credential_hosts_host_fk: invalidReference("Host", "body.host_assignments"),
  credential_host_ip_addresses_address_fk: invalidReference("IPAddress", "body.host_assignments"),
};

/**
 * Locks the records that are related to credentials that are created or deleted, except hosts, which
 * are locked when they are written.
 */
export const credentialLocks = (
  ids: readonly string[],
  sent: readonly Pick<CredentialInput, "tags" | "assigned_network_ids">[] = [],
) => [
  sql`select app.lock_credentials(${sql.param(ids)}, ${sql.param(sent.flatMap(({ tags }) => tags))},
    ${sql.param(sent.flatMap(({ assigned_network_ids }) => assigned_network_ids))})`,
];

/**
 * Locks the records that are related to credentials that are replaced together, and then the hosts
 * that have them before or afterwards. `app.update_credential` locks only those of one credential.
 */
export const replacementLocks = (
  sent: readonly (CredentialInput & { id: string })[],
): readonly SQL[] => {
  const ids = sent.map(({ id }) => id);
  const hosts = sent.flatMap(({ host_assignments }) =>
    host_assignments.map(({ host_id }) => host_id),
  );
  return [
    ...credentialLocks(ids, sent),
    lockHosts(sql`
      select host_id from ${credentialHosts} where credential_id = any (${sql.param(ids)}::uuid[])
      union select unnest(${sql.param(hosts)}::uuid[])`),
  ];
};

/**
 * Locks, checks and replaces a credential, except its id and creation time. Uses a database
 * function, whose plans are cached, since planning such statements takes longer than running them.
 * Writes only the difference.
 * @param options.tags the entity tags of If-Match; undefined if any tag is allowed
 * @param options.path the path prefix of its fields in the body
 */
export const replaceCredential = (
  id: string,
  update: CredentialInput,
  { kept, sealed }: SealedSecrets,
  { tags, path }: { tags: readonly string[] | undefined; path: BodyPath },
): SQL => sql`
  select app.update_credential(
    ${update.organization_id}, ${id}, ${tags === undefined ? null : sql.param(tags)},
    ${update.name}, ${update.external_id}, ${JSON.stringify(update.metadata)},
    ${JSON.stringify(update.credential_type)}, ${JSON.stringify(keptOrIssue(kept, path))},
    ${JSON.stringify(sealed)}, ${sql.param(update.tags)}, ${sql.param(update.assigned_network_ids)},
    ${JSON.stringify(update.host_assignments)}, ${setMaximum},
    ${tooManyMembers(credentialsOfNetwork, "%s")}, ${path})`;

/** A new credential with sealed secrets. */
interface NewCredential extends Omit<CredentialInput, "id"> {
  id: string;
  secrets: SealedSecrets["sealed"];
}

const sentCredentials = (sent: readonly NewCredential[]) => sql`
  select * from ${recordset("sent", sent, {
    ...pickColumns(credentials, "id", "organization_id", "name", "external_id", "metadata"),
    credential_type: "jsonb",
    tags: "uuid[]",
    assigned_network_ids: "uuid[]",
    host_assignments: "jsonb",
    secrets: "jsonb",
  })}`;

function lockAssignedHosts(database: Database, sent: readonly NewCredential[]) {
  const ids = sent.flatMap(({ host_assignments }) =>
    host_assignments.map(({ host_id }) => host_id),
  );
  return ids.length === 0 ? [] : [database.execute(lockHosts(ids))];
}

/**
 * Creates credentials, then their children: a trigger on secrets requires the credential. Hosts are
 * locked in the order of their ids, as in {@link replaceCredential}.
 */
export const insertCredentials = (database: Database, sent: readonly NewCredential[]) => [
  ...lockAssignedHosts(database, sent),
  database.execute(sql`
    insert into ${credentials} (organization_id, id, name, external_id, metadata, settings)
    select organization_id, id, name, external_id, metadata, credential_type
    from (${sentCredentials(sent)}) as sent`),
  database.execute(sql`
    with
      sent as materialized (${sentCredentials(sent)}),
      assignments as materialized (
        select sent.id, sent.organization_id, assignment.* from sent, jsonb_to_recordset(
          sent.host_assignments) as assignment (host_id uuid, ip_address_ids uuid[])),
      secrets as (
        insert into ${credentialSecrets} (organization_id, credential_id, field, sealed)
        select sent.organization_id, sent.id, secret.field, secret.sealed
        from sent, jsonb_to_recordset(sent.secrets) as secret (field text, sealed text)),
      tags as (
        insert into ${credentialTags} (organization_id, credential_id, tag_id)
        select sent.organization_id, sent.id, unnest(sent.tags) from sent),
      networks as (
        insert into ${credentialNetworks} (organization_id, credential_id, network_id)
        select sent.organization_id, sent.id, unnest(sent.assigned_network_ids) from sent),
      hosts as (
        insert into ${credentialHosts}
          (organization_id, credential_id, host_id, is_limited_to_addresses)
        select organization_id, id, host_id, ip_address_ids is not null from assignments)
    insert into ${credentialHostIpAddresses}
      (organization_id, credential_id, host_id, ip_address_id)
    select organization_id, id, host_id, unnest(ip_address_ids) from assignments`),
];
