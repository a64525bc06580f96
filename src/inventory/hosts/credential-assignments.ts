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
    "must not give a credential more than 1000 hosts or 1000 addresses in all: assign its network, or whole hosts",
  code: "too_big",
};

/**
 * The errors for records that are deleted between the guards and the write, and for credential
 * limits.
 */
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

interface RequestedAssignment {
  host_id: string;
  credential_id: string;
  ip_address_ids: readonly string[] | null;
  path: BodyPath;
}

const requestedOf = (trees: readonly HostTree[], pathOf: PathOf) =>
  trees.flatMap(({ host }, position) =>
    (host.credential_assignments ?? []).map(
      (assignment, at): RequestedAssignment => ({
        ...assignment,
        host_id: host.id,
        path: `${pathOf(position)}credential_assignments[${at}].`,
      }),
    ),
  );

/** Returns the hosts whose assignments the request sets, possibly to an empty list. */
const hostsOf = (trees: readonly HostTree[]) =>
  trees.flatMap(({ host }) => (host.credential_assignments ? [host.id] : []));

const assignments = (requested: readonly RequestedAssignment[]): SQL =>
  recordset("sent", requested, {
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

/**
 * Returns a select of the credentials with an assignment that the request adds, removes, or limits
 * differently.
 */
const changed = (hostIds: readonly string[], requested: readonly RequestedAssignment[]): SQL => sql`
  select coalesce(wanted.credential_id, known.credential_id) as credential_id
  from (
    select sent.host_id, sent.credential_id, case when sent.ip_address_ids is not null then
      array(select unnest(sent.ip_address_ids) order by 1) end as ip_address_ids
    from ${assignments(requested)}) as wanted
  full join (
    select stored.host_id, stored.credential_id, ${storedAddresses} as ip_address_ids
    from ${credentialHosts} as stored
    where stored.host_id = any (${sql.param(hostIds)}::uuid[])) as known
    on known.host_id = wanted.host_id and known.credential_id = wanted.credential_id
  where wanted.credential_id is null or known.credential_id is null
    or wanted.ip_address_ids is distinct from known.ip_address_ids`;

/**
 * Changing the assignments of a host changes credentials, so it has the same requirements as a
 * change to a credential (API contract, section 3): the role Admin, and credentials whose
 * assignments are all within the key's networks.
 */
export const assignmentGuards = (trees: readonly HostTree[], pathOf: PathOf): Guard[] => {
  const hostIds = hostsOf(trees);
  if (hostIds.length === 0) {
    return [];
  }
  const requested = requestedOf(trees, pathOf);
  const addresses = trees.flatMap(({ host, ip_addresses }) =>
    (ip_addresses ?? []).map(({ id }) => ({ id, host_id: host.id })),
  );
  const listed = trees.flatMap(({ host, ip_addresses }) => (ip_addresses ? [host.id] : []));
  return [
    sql`
  select 'auth_permission_denied',
    jsonb_build_object('required_role', 'Admin', 'role', app.key_role())
  where app.key_role() < 'Admin' and exists (${changed(hostIds, requested)})`,
    ...missingReferences(
      "Credential",
      requested.map(({ credential_id: id, path }) => ({ id, field: `${path}credential_id` })),
    ),
    sql`
  select 'auth_scope_denied', '{}'::jsonb
  where exists (
    select from (${changed(hostIds, requested)}) as changed
    where not app.reaches_credential(changed.credential_id))`,
    invalidWhen(
      sql`exists (
        select from (
          select sent.credential_id, count(*) as hosts from ${assignments(requested)}
          group by sent.credential_id) as wanted
        where wanted.hosts + (
          select count(*) from ${credentialHosts} as stored
          where stored.credential_id = wanted.credential_id
            and stored.host_id <> all (${sql.param(hostIds)}::uuid[])) > ${setMaximum}::int)`,
      tooMany.path,
      tooMany.message,
      tooMany.code,
    ),
    // The host's addresses are those in the request, or the stored ones if the request has none.
    sql`
  select 'entity_reference_invalid', jsonb_build_object(
    'entity', 'IPAddress', 'field', sent.path || 'ip_address_ids', 'id', wanted.id)
  from ${assignments(requested)}, unnest(sent.ip_address_ids) as wanted (id)
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
 * Sets the credentials of hosts to those in the request. Writes only the difference, since every
 * write is also a change to the credential. Must run after the addresses of the hosts are written.
 */
export const replaceAssignments = (database: Database, trees: readonly HostTree[]) => {
  const hostIds = hostsOf(trees);
  if (hostIds.length === 0) {
    return [];
  }
  const requested = requestedOf(trees, () => "body.");
  const addresses = sql`${assignments(requested)}, unnest(sent.ip_address_ids) as wanted (id)`;
  return [
    // Locks in the order of ids, so that changes to the same credentials run one after another.
    database.execute(sql`
      select from ${credentials} where id in (${changed(hostIds, requested)}) order by id for no key update`),
    // An assignment that becomes limited, or unlimited, is replaced, together with its addresses.
    database.execute(sql`
      with gone as (
        delete from ${credentialHosts} as stored
        where stored.host_id = any (${sql.param(hostIds)}::uuid[]) and not exists (
          select from ${assignments(requested)} where sent.host_id = stored.host_id
            and sent.credential_id = stored.credential_id
            and (sent.ip_address_ids is not null) = stored.is_limited_to_addresses))
      delete from ${credentialHostIpAddresses} as stored
      where stored.host_id = any (${sql.param(hostIds)}::uuid[]) and not exists (
        select from ${addresses} where sent.host_id = stored.host_id
          and sent.credential_id = stored.credential_id and wanted.id = stored.ip_address_id)
        and exists (
          select from ${assignments(requested)} where sent.host_id = stored.host_id
            and sent.credential_id = stored.credential_id and sent.ip_address_ids is not null)`),
    database.execute(sql`
      insert into ${credentialHosts}
        (organization_id, credential_id, host_id, is_limited_to_addresses)
      select (select app.organization_id()), sent.credential_id, sent.host_id,
        sent.ip_address_ids is not null
      from ${assignments(requested)} where not exists (
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
