import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { invalidReference } from "../database/failure.ts";
import { lockRecords, membersAnd } from "../database/locks.ts";
import { recordset } from "../database/recordset.ts";
import { credentials } from "../database/tables/index.ts";
import type { CredentialInput } from "./input.ts";
import type { SealedSecrets } from "./seal-secrets.ts";

/** Records that vanish between the guards and the write. */
export const references = {
  credential_tags_tag_fk: invalidReference("Tag", "body.tags"),
  credential_networks_network_fk: invalidReference("Network", "body.assigned_network_ids"),
  credential_hosts_host_fk: invalidReference("Host", "body.host_assignments"),
  credential_host_ip_addresses_address_fk: invalidReference("IPAddress", "body.host_assignments"),
};

/** The networks of a credential, which change with it: they show their credentials. */
const networkSet = {
  table: "credential_networks",
  owner: "credential_id",
  member: "network_id",
} as const;

/** Locks what changes with these credentials, now or as they are sent. */
export const credentialLocks = (
  ids: readonly string[],
  sent: readonly Pick<CredentialInput, "tags" | "assigned_network_ids">[] = [],
) => [
  lockRecords({
    tags: sent.flatMap(({ tags }) => tags),
    credentials: ids,
    networks: membersAnd(
      networkSet,
      ids,
      sent.flatMap(({ assigned_network_ids }) => assigned_network_ids),
    ),
  }),
];

/**
 * Replaces everything of a locked credential but its id and its creation. Of its sets only the
 * difference is written: what went goes in one statement and what came comes in the next, as a
 * statement does not see its own deletions.
 */
export function replaceCredential(
  database: Database,
  id: string,
  update: CredentialInput,
  { kept, sealed }: SealedSecrets,
) {
  const own = sql`${update.organization_id}::uuid, ${id}::uuid`;
  const ofCredential = (table: string) =>
    sql`${sql.identifier(table)}.organization_id = ${update.organization_id}
      and ${sql.identifier(table)}.credential_id = ${id}`;
  const ids = (members: readonly string[]) =>
    sql`unnest(${sql.param(members)}::uuid[]) as sent (id)`;
  const assignments = recordset("sent", update.host_assignments, {
    host_id: "uuid",
    ip_address_ids: "uuid[]",
  });
  const addresses = sql`${assignments}, unnest(sent.ip_address_ids) as sent_address (id)`;
  return [
    database
      .update(credentials)
      .set({ name: update.name, settings: update.credential_type })
      .where(eq(credentials.id, id)),
    // An assignment that is to be limited, or no longer, is another one: its addresses go with it.
    database.execute(sql`
      with
        secrets as (
          delete from credential_secret_fields as stored
          where ${ofCredential("stored")} and stored.field <> all (${sql.param(kept)}::text[])),
        tags as (
          delete from credential_tags as stored
          where ${ofCredential("stored")}
            and not exists (select from ${ids(update.tags)} where sent.id = stored.tag_id)),
        networks as (
          delete from credential_networks as stored
          where ${ofCredential("stored")} and not exists (
            select from ${ids(update.assigned_network_ids)} where sent.id = stored.network_id)),
        hosts as (
          delete from credential_hosts as stored
          where ${ofCredential("stored")} and not exists (
            select from ${assignments} where sent.host_id = stored.host_id
              and (sent.ip_address_ids is not null) = stored.is_limited_to_addresses))
      delete from credential_host_ip_addresses as stored
      where ${ofCredential("stored")} and not exists (
        select from ${addresses}
        where sent.host_id = stored.host_id and sent_address.id = stored.ip_address_id)`),
    database.execute(sql`
      with
        secrets as (
          insert into credential_secrets (organization_id, credential_id, field, sealed)
          select ${own}, field, sealed
          from ${recordset("secret", sealed, { field: "text", sealed: "text" })}),
        tags as (
          insert into credential_tags (organization_id, credential_id, tag_id)
          select ${own}, sent.id from ${ids(update.tags)} where not exists (
            select from credential_tags as stored
            where ${ofCredential("stored")} and stored.tag_id = sent.id)),
        networks as (
          insert into credential_networks (organization_id, credential_id, network_id)
          select ${own}, sent.id from ${ids(update.assigned_network_ids)} where not exists (
            select from credential_networks as stored
            where ${ofCredential("stored")} and stored.network_id = sent.id)),
        hosts as (
          insert into credential_hosts
            (organization_id, credential_id, host_id, is_limited_to_addresses)
          select ${own}, sent.host_id, sent.ip_address_ids is not null from ${assignments}
          where not exists (
            select from credential_hosts as stored
            where ${ofCredential("stored")} and stored.host_id = sent.host_id))
      insert into credential_host_ip_addresses
        (organization_id, credential_id, host_id, ip_address_id)
      select ${own}, sent.host_id, sent_address.id from ${addresses} where not exists (
        select from credential_host_ip_addresses as stored
        where ${ofCredential("stored")}
          and stored.host_id = sent.host_id and stored.ip_address_id = sent_address.id)`),
  ] as const;
}

/** A credential that is to be created, its secrets sealed. */
interface NewCredential extends Omit<CredentialInput, "id"> {
  id: string;
  secrets: SealedSecrets["sealed"];
}

const sentCredentials = (credentials: readonly NewCredential[]) => sql`
  select * from ${recordset("sent", credentials, {
    id: "uuid",
    organization_id: "uuid",
    name: "text",
    credential_type: "jsonb",
    tags: "uuid[]",
    assigned_network_ids: "uuid[]",
    host_assignments: "jsonb",
    secrets: "jsonb",
  })}`;

/** Creates credentials, then all that belongs to them: a trigger of the secrets looks for the former. */
export const insertCredentials = (database: Database, credentials: readonly NewCredential[]) => [
  database.execute(sql`
    insert into credentials (organization_id, id, name, settings)
    select organization_id, id, name, credential_type
    from (${sentCredentials(credentials)}) as sent`),
  database.execute(sql`
    with
      sent as materialized (${sentCredentials(credentials)}),
      assignments as materialized (
        select sent.id, sent.organization_id, assignment.* from sent, jsonb_to_recordset(
          sent.host_assignments) as assignment (host_id uuid, ip_address_ids uuid[])),
      secrets as (
        insert into credential_secrets (organization_id, credential_id, field, sealed)
        select sent.organization_id, sent.id, secret.field, secret.sealed
        from sent, jsonb_to_recordset(sent.secrets) as secret (field text, sealed text)),
      tags as (
        insert into credential_tags (organization_id, credential_id, tag_id)
        select sent.organization_id, sent.id, unnest(sent.tags) from sent),
      networks as (
        insert into credential_networks (organization_id, credential_id, network_id)
        select sent.organization_id, sent.id, unnest(sent.assigned_network_ids) from sent),
      hosts as (
        insert into credential_hosts
          (organization_id, credential_id, host_id, is_limited_to_addresses)
        select organization_id, id, host_id, ip_address_ids is not null from assignments)
    insert into credential_host_ip_addresses
      (organization_id, credential_id, host_id, ip_address_id)
    select organization_id, id, host_id, unnest(ip_address_ids) from assignments`),
];
