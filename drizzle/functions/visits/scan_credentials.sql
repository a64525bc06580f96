-- Returns the sealed credentials for a pending scan: those assigned to the network, and those assigned to its hosts,
-- with the hosts' addresses and their MAC addresses. Records them as the scope of the scan. Returns up to `maximum` rows:
-- the caller requests one more than a scan may have. A scan of a deleted host fails instead.
create or replace function app.scan_credentials(
  organization uuid, daemon uuid, generation bigint, scan uuid, maximum integer,
  withheld text[] default '{}')
returns table (
  id uuid, settings jsonb, secrets jsonb, is_default boolean, addresses text[], mac_addresses text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  -- Above the maximum number of addresses, the scan fails. Above the maximum number of scopes or scans, the oldest ones
  -- are deleted.
  maximum_addresses constant integer := 20000;
  maximum_scopes constant integer := 100;
  maximum_scans constant integer := 10000;
  scanned record;
begin
  select known.network_id, known.receives_credentials, session.started_at, session.host_id into scanned
  from public.daemons as known
  join public.discovery_sessions as session
    on session.organization_id = known.organization_id and session.daemon_id = known.id
  where known.organization_id = organization and known.id = daemon
    and known.poll_generation = generation and known.lease_expires_at > now()
    and session.id = scan and session.phase = 'Pending'
  for no key update of known;
  if not found then
    return;
  end if;

  if scanned.host_id is not null and not exists (
    select from public.hosts as host
    where host.organization_id = organization and host.current_id = scanned.host_id)
  then
    update public.discovery_sessions as session
    set phase = 'Failed', error = 'host_deleted', finished_at = now()
    where session.organization_id = organization and session.id = scan;
    return;
  end if;

  -- Unless the request says otherwise, the first scan of all subnets is full, and so is every third one after it. A
  -- failed full scan is not repeated at once, so that light scans still run if full ones always fail.
  update public.discovery_sessions as session
  set is_full_scan = not exists (
    select from (
      select earlier.is_full_scan, earlier.phase,
        row_number() over (order by earlier.created_at desc, earlier.id desc) as place
      from public.discovery_sessions as earlier
      where earlier.organization_id = organization and earlier.daemon_id = daemon
        and earlier.initiated_at is not null and earlier.phase <> 'Cancelled'
        and earlier.subnet_ids is null and earlier.host_id is null
      order by place limit 2) as latest
    where latest.is_full_scan and (latest.phase = 'Complete' or latest.place = 1))
  where session.organization_id = organization and session.id = scan
    and session.is_full_scan is null;

  -- A single statement, so that the recorded credentials are the returned ones.
  return query
  with assigned as (
    select credential.id, credential.created_at, credential.settings,
      exists (
        select from public.credential_networks as broadcast
        where broadcast.organization_id = organization and broadcast.credential_id = credential.id
          and broadcast.network_id = scanned.network_id) as is_default,
      coalesce(place.addresses, '{}') as addresses, coalesce(place.mac_addresses, '{}') as mac_addresses
    from public.credentials as credential
    cross join lateral (
      select array_agg(one.ip order by one.ip) as addresses,
        array_agg(one.mac_address order by one.ip) as mac_addresses
      from (
        select distinct on (ip) host(address.address) as ip, address.mac_address::text as mac_address
        from public.credential_hosts as assignment
        join public.ip_addresses as address
          on address.organization_id = assignment.organization_id
          and address.host_id = assignment.host_id and address.valid_to is null
        where assignment.organization_id = organization
          and assignment.credential_id = credential.id and address.network_id = scanned.network_id
          and (not assignment.is_limited_to_addresses or exists (
            select from public.credential_host_ip_addresses as chosen
            where chosen.organization_id = organization
              and chosen.credential_id = credential.id and chosen.host_id = assignment.host_id
              and chosen.ip_address_id = address.id))
        order by ip, address.mac_address) as one) as place
    where credential.organization_id = organization and scanned.receives_credentials
      and credential.settings->>'type' <> all (withheld)),
  handed as materialized (
    select assigned.*, (
      select left(encode(sha256(convert_to(
        assigned.settings::text || coalesce(
          string_agg(secret.field || ' ' || secret.sealed, ' ' order by secret.field), ''),
        'UTF8')), 'hex'), 32)
      from public.credential_secrets as secret
      where secret.organization_id = organization and secret.credential_id = assigned.id) as digest
    from assigned
    where assigned.is_default or cardinality(assigned.addresses) > 0
    order by assigned.created_at, assigned.id limit maximum),
  looked as (
    select session.is_full_scan as is_full, (
      -- The type and port decide what a credential may reveal, even after it is deleted: see
      -- app.looked_with_credentials.
      select coalesce(jsonb_object_agg(handed.id || ' ' || handed.digest, jsonb_strip_nulls(
        jsonb_build_object('type', handed.settings->'type', 'port', handed.settings->'port')
      ) || case when handed.is_default
        then jsonb_build_object('network', true)
        else jsonb_build_object('addresses', to_jsonb(handed.addresses), 'hosts', (
          select coalesce(jsonb_agg(assignment.host_id order by assignment.host_id), '[]')
          from public.credential_hosts as assignment
          where assignment.organization_id = organization
            and assignment.credential_id = handed.id and exists (
              select from public.hosts as host where host.organization_id = organization
                and host.current_id = assignment.host_id
                and host.network_id = scanned.network_id))) end), '{}')
      from handed) as credentials
    from public.discovery_sessions as session
    where session.organization_id = organization and session.id = scan
      and (select count(*) < maximum and coalesce(sum(cardinality(handed.addresses)), 0)
        <= maximum_addresses from handed)),
  -- The daemon may have accepted any of several attempts to send the scan. A credential that differs between attempts
  -- gets a name that no other scan has, since the daemon may or may not have had it.
  attempt as (
    select scope.credentials
    from app.handed_scans as known
    join app.scan_scopes as scope
      on scope.organization_id = organization and scope.id = known.scope_id
    where known.organization_id = organization and known.session_id = scan),
  recorded as (
    select looked.is_full, case when attempt is null then looked.credentials else (
      select coalesce(jsonb_object_agg(
        case when one.reach = other.reach or one.name like '% of ' || scan then one.name
          else coalesce(one.name, other.name) || ' of ' || scan end,
        case when one.reach = other.reach then one.reach
          else coalesce(one.reach, other.reach) - array['addresses', 'hosts']
            || jsonb_build_object('network', true) end), '{}')
      from jsonb_each(attempt.credentials) as one (name, reach)
      full join jsonb_each(looked.credentials) as other (name, reach) on other.name = one.name
      ) end as credentials
    from looked left join attempt on true),
  scope as (
    insert into app.scan_scopes as known (organization_id, daemon_id, is_full, credentials, digest)
    select organization, daemon, recorded.is_full, recorded.credentials,
      sha256(convert_to(recorded.is_full::text || recorded.credentials::text, 'UTF8'))
    from recorded
    on conflict (organization_id, daemon_id, digest) do update set used_at = now()
    returning known.id),
  noted as (
    insert into app.handed_scans (organization_id, session_id, daemon_id, started_at, scope_id)
    select organization, scan, daemon, scanned.started_at, scope.id from scope
    on conflict (organization_id, session_id) do update set scope_id = excluded.scope_id)
  select handed.id, handed.settings,
    (select coalesce(jsonb_object_agg(secret.field, secret.sealed), '{}')
      from public.credential_secrets as secret
      where secret.organization_id = organization and secret.credential_id = handed.id),
    handed.is_default, handed.addresses, handed.mac_addresses
  from handed order by handed.created_at, handed.id;

  delete from app.scan_scopes as old
  where old.organization_id = organization and old.id = any (array(
    select scope.id from app.scan_scopes as scope
    where scope.organization_id = organization and scope.daemon_id = daemon
      and scope.id is distinct from (
        select handed.scope_id from app.handed_scans as handed
        where handed.organization_id = organization and handed.session_id = scan)
    order by scope.used_at desc offset maximum_scopes - 1));
  delete from app.handed_scans as old
  where old.organization_id = organization and old.session_id = any (array(
    select handed.session_id from app.handed_scans as handed
    where handed.organization_id = organization and handed.daemon_id = daemon
    order by handed.started_at desc offset maximum_scans));
end
$$;

grant execute on function app.scan_credentials to inventory_poller;
