import { type SQL, sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { type BodyPath, conflict, invalidReference } from "../../database/failure.ts";
import { type Guard, invalidWhen, missingReferences, type PathOf } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import { setMaximum } from "../../database/sets.ts";
import {
  credentialHostIpAddresses,
  credentialHosts,
  credentials,
  ipAddresses,
} from "../../database/tables/index.ts";
import { IssueList, validationFailed } from "../../http/validation/issues.ts";
import type { HostTree } from "./tree.ts";

const tooMany = {
  path: "body.credential_assignments" as const,
  message:
    "must leave a credential at most 1000 hosts and 1000 addresses in all: assign its network, or whole hosts",
  code: "too_big",
};

/** Records that vanish between the guards and the write, and bounds of credentials. */
export const assignmentViolations = {
  credential_hosts_credential_fk: invalidReference("Credential", "body.credential_assignments"),
  credential_host_ip_addresses_address_fk: invalidReference(
    "IPAddress",
    "body.credential_assignments",
  ),
  credential_host_ip_addresses_maximum: () => validationFailed(IssueList.of(tooMany)),
  credential_hosts_pk: conflict,
  credential_host_ip_addresses_pk: conflict,
};

interface SentAssignment {
  host_id: string;
  credential_id: string;
  ip_address_ids: readonly string[] | null;
  path: BodyPath;
}

const sentOf = (trees: readonly HostTree[], pathOf: PathOf) =>
  trees.flatMap(({ host }, position) =>
    (host.credential_assignments ?? []).map(
      (assignment, at): SentAssignment => ({
        ...assignment,
        host_id: host.id,
        path: `${pathOf(position)}credential_assignments[${at}].`,
      }),
    ),
  );

/** The hosts whose assignments were sent, if only to take all away. */
const hostsOf = (trees: readonly HostTree[]) =>
  trees.flatMap(({ host }) => (host.credential_assignments ? [host.id] : []));

const assignments = (sent: readonly SentAssignment[]): SQL =>
  recordset("sent", sent, {
    host_id: "uuid",
    credential_id: "uuid",
    ip_address_ids: "uuid[]",
    path: "text",
  });

/** The addresses of a stored assignment, sorted; null for the whole host. */
const storedAddresses = sql`case when stored.is_limited_to_addresses then array(
  select address.ip_address_id from ${credentialHostIpAddresses} as address
  where address.organization_id = stored.organization_id
    and address.credential_id = stored.credential_id and address.host_id = stored.host_id
  order by address.ip_address_id) end`;

/** The credentials whose assignments a request changes: those that come, go, or are limited otherwise. */
const changed = (hostIds: readonly string[], sent: readonly SentAssignment[]): SQL => sql`
  select coalesce(wanted.credential_id, known.credential_id) as credential_id
  from (
    select sent.host_id, sent.credential_id, case when sent.ip_address_ids is not null then
      array(select unnest(sent.ip_address_ids) order by 1) end as ip_address_ids
    from ${assignments(sent)}) as wanted
  full join (
    select stored.host_id, stored.credential_id, ${storedAddresses} as ip_address_ids
    from ${credentialHosts} as stored
    where stored.host_id = any (${sql.param(hostIds)}::uuid[])) as known
    on known.host_id = wanted.host_id and known.credential_id = wanted.credential_id
  where wanted.credential_id is null or known.credential_id is null
    or wanted.ip_address_ids is distinct from known.ip_address_ids`;

/**
 * Who changes the assignments of a host changes credentials, and needs what that needs (API contract,
 * section 3): the role Admin, and credentials whose assignments lie within the networks of the key.
 */
export const assignmentGuards = (trees: readonly HostTree[], pathOf: PathOf): Guard[] => {
  const hostIds = hostsOf(trees);
  if (hostIds.length === 0) {
    return [];
  }
  const sent = sentOf(trees, pathOf);
  const addresses = trees.flatMap(({ host, ip_addresses }) =>
    (ip_addresses ?? []).map(({ id }) => ({ id, host_id: host.id })),
  );
  const listed = trees.flatMap(({ host, ip_addresses }) => (ip_addresses ? [host.id] : []));
  return [
    sql`
  select 'auth_permission_denied',
    jsonb_build_object('required_role', 'Admin', 'role', app.key_role())
  where app.key_role() < 'Admin' and exists (${changed(hostIds, sent)})`,
    ...missingReferences(
      "Credential",
      sent.map(({ credential_id: id, path }) => ({ id, field: `${path}credential_id` })),
    ),
    sql`
  select 'auth_scope_denied', '{}'::jsonb
  where exists (
    select from (${changed(hostIds, sent)}) as changed
    where not app.reaches_credential(changed.credential_id))`,
    invalidWhen(
      sql`exists (
        select from (
          select sent.credential_id, count(*) as hosts from ${assignments(sent)}
          group by sent.credential_id) as wanted
        where wanted.hosts + (
          select count(*) from ${credentialHosts} as stored
          where stored.credential_id = wanted.credential_id
            and stored.host_id <> all (${sql.param(hostIds)}::uuid[])) > ${setMaximum}::int)`,
      tooMany.path,
      tooMany.message,
      tooMany.code,
    ),
    // The addresses of the host are those that the request lists, or the stored ones.
    sql`
  select 'entity_reference_invalid', jsonb_build_object(
    'entity', 'IPAddress', 'field', sent.path || 'ip_address_ids', 'id', wanted.id)
  from ${assignments(sent)}, unnest(sent.ip_address_ids) as wanted (id)
  where not exists (
    select from ${recordset("own", addresses, { id: "uuid", host_id: "uuid" })}
    where own.id = wanted.id and own.host_id = sent.host_id)
    and (sent.host_id = any (${sql.param(listed)}::uuid[]) or not exists (
      select from ${ipAddresses} as own
      where own.id = wanted.id and own.host_id = sent.host_id and own.valid_to is null))
  limit 1`,
  ];
};

/**
 * Makes the credentials of hosts exactly those that were sent; writes only the difference, for what
 * it writes is a change of the credential as well. After the addresses of the hosts.
 */
export const replaceAssignments = (database: Database, trees: readonly HostTree[]) => {
  const hostIds = hostsOf(trees);
  if (hostIds.length === 0) {
    return [];
  }
  const sent = sentOf(trees, () => "body.");
  const addresses = sql`${assignments(sent)}, unnest(sent.ip_address_ids) as wanted (id)`;
  return [
    // In the order of their ids, so that two changes of the same credentials follow each other.
    database.execute(sql`
      select from ${credentials} where id in (${changed(hostIds, sent)}) order by id for no key update`),
    // An assignment that is to be limited, or no longer, is another one: its addresses go with it.
    database.execute(sql`
      with gone as (
        delete from ${credentialHosts} as stored
        where stored.host_id = any (${sql.param(hostIds)}::uuid[]) and not exists (
          select from ${assignments(sent)} where sent.host_id = stored.host_id
            and sent.credential_id = stored.credential_id
            and (sent.ip_address_ids is not null) = stored.is_limited_to_addresses))
      delete from ${credentialHostIpAddresses} as stored
      where stored.host_id = any (${sql.param(hostIds)}::uuid[]) and not exists (
        select from ${addresses} where sent.host_id = stored.host_id
          and sent.credential_id = stored.credential_id and wanted.id = stored.ip_address_id)
        and exists (
          select from ${assignments(sent)} where sent.host_id = stored.host_id
            and sent.credential_id = stored.credential_id and sent.ip_address_ids is not null)`),
    database.execute(sql`
      insert into ${credentialHosts}
        (organization_id, credential_id, host_id, is_limited_to_addresses)
      select (select app.organization_id()), sent.credential_id, sent.host_id,
        sent.ip_address_ids is not null
      from ${assignments(sent)} where not exists (
        select from ${credentialHosts} as stored
        where stored.host_id = sent.host_id and stored.credential_id = sent.credential_id)`),
    database.execute(sql`
      insert into ${credentialHostIpAddresses}
        (organization_id, credential_id, host_id, ip_address_id)
      select (select app.organization_id()), sent.credential_id, sent.host_id, wanted.id
      from ${addresses} where not exists (
        select from ${credentialHostIpAddresses} as stored
        where stored.host_id = sent.host_id and stored.credential_id = sent.credential_id
          and stored.ip_address_id = wanted.id)`),
  ];
};
