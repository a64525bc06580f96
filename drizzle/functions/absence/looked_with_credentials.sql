-- Returns the records (bindings, interfaces or neighbors) that a scan with this scope covered. The scans that last saw
-- them may have had credentials for the host that this scan lacks. This scan did not cover the records that such a credential
-- may have revealed (API contract, section 10, "Coverage of a scan"):
--
-- SNMP: interfaces, their neighbors, and the ports of SNMP agents, which are 161, 199 (SMUX, RFC 1227) and 1161.
-- gNMI, SSH: interfaces, their neighbors, and the credential's own port.
-- Docker: containers, and the port of a Docker proxy.
-- Any type: bindings to a whole address, which no port scan sees.
--
-- A full scan covers all TCP ports even without credentials. A credential of another type, or one that was sent before
-- scopes recorded types, may have revealed anything: a controller reports other devices, and Wake-on-LAN wakes hosts.
-- `judged`: the scopes of the earlier scans, each with a host that such a scan saw and the id that the host had then.
create or replace function app.looked_with_credentials(
  scope_of_scan uuid, candidates app.unseen_record[], judged app.judged_host[]) returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  is_full boolean := (
    select scope.is_full from app.scan_scopes as scope
    where scope.organization_id = organization and scope.id = scope_of_scan);
  found uuid[];
begin
  if judged = '{}' then
    return array(select candidate.id from unnest(candidates) as candidate);
  end if;
  -- The following joins use sets whose sizes the planner does not know.
  perform set_config('enable_nestloop', 'off', true);
  with seen as materialized (
    select * from unnest(judged)),
  place as materialized (
    select address.live_host_id as host_id, address.address
    from public.ip_addresses as address
    where address.organization_id = organization
      and address.live_host_id = any (array(select distinct seen.host_id from seen))),
  mine as materialized (
    select credential.key as credential, credential.value as reach
    from app.scan_scopes as scope cross join lateral jsonb_each(scope.credentials) as credential
    where scope.organization_id = organization and scope.id = scope_of_scan),
  -- Credentials of earlier scans that this scan lacks, or has for other hosts and addresses.
  theirs as materialized (
    select scope.id as scope_id, credential.key as credential, credential.value as reach
    from app.scan_scopes as scope cross join lateral jsonb_each(scope.credentials) as credential
    left join mine on mine.credential = credential.key
    where scope.organization_id = organization
      and scope.id = any (array(select distinct seen.scope_id from seen))
      and not coalesce(mine.reach ? 'network', false)
      and (mine.reach is distinct from credential.value
        or exists (select from seen where seen.known_as <> seen.host_id))),
  their_hosts as materialized (
    select theirs.scope_id, theirs.credential, host.id::uuid as host_id
    from theirs cross join lateral jsonb_array_elements_text(theirs.reach->'hosts') as host (id)),
  their_addresses as materialized (
    select theirs.scope_id, theirs.credential, address.text::inet as address
    from theirs
    cross join lateral jsonb_array_elements_text(theirs.reach->'addresses') as address (text)),
  my_hosts as materialized (
    select mine.credential, host.id::uuid as host_id
    from mine cross join lateral jsonb_array_elements_text(mine.reach->'hosts') as host (id)
    where mine.credential in (select theirs.credential from theirs)),
  my_addresses as materialized (
    select mine.credential, address.text::inet as address
    from mine cross join lateral jsonb_array_elements_text(mine.reach->'addresses') as address (text)
    where mine.credential in (select theirs.credential from theirs)),
  my_places as materialized (
    select my_addresses.credential, place.host_id, place.address
    from my_addresses join place on place.address = my_addresses.address),
  -- The addresses for which earlier scans had these credentials: each is one of the host's, or null for addresses that
  -- it no longer has.
  had as (
    select seen.scope_id, seen.host_id, theirs.credential, place.address
    from seen join theirs on theirs.scope_id = seen.scope_id and theirs.reach ? 'network'
    left join place on place.host_id = seen.host_id
    union
    select seen.scope_id, seen.host_id, their_addresses.credential, place.address
    from their_addresses
    join place on place.address = their_addresses.address
    join seen on seen.scope_id = their_addresses.scope_id and seen.host_id = place.host_id
    union
    select seen.scope_id, seen.host_id, their_hosts.credential, null
    from their_hosts
    join seen on seen.scope_id = their_hosts.scope_id and seen.known_as = their_hosts.host_id),
  lacking as materialized (
    select distinct had.scope_id, had.host_id, theirs.reach->>'type' as type,
      (theirs.reach->>'port')::int as port
    from had
    join theirs on theirs.scope_id = had.scope_id and theirs.credential = had.credential
    left join my_places as there on there.credential = had.credential
      and there.host_id = had.host_id and there.address = had.address
    left join (
      select my_hosts.credential, my_hosts.host_id from my_hosts
      union
      select my_places.credential, my_places.host_id from my_places) as anywhere
      on anywhere.credential = had.credential and anywhere.host_id = had.host_id
    where case when had.address is null then anywhere.credential else there.credential end is null)
  select array_agg(candidate.id) into found
  from unnest(candidates) as candidate
  where candidate.id not in (
    select unseen.id
    from unnest(candidates) as unseen
    join lacking on lacking.scope_id = unseen.scope_id and lacking.host_id = unseen.host_id
    cross join lateral (
      select lacking.type like 'Snmp%' as is_snmp,
        lacking.type like 'Snmp%' or lacking.type in ('Gnmi', 'SshPassword', 'SshKey') as lists_interfaces,
        lacking.type in ('DockerProxy', 'DockerSocket') as lists_containers) as credential
    left join lateral (
      select known.live_id, known.type, known.port_id from public.bindings as known
      where known.organization_id = (select organization) and known.id = unseen.id
      offset 0) as binding on true
    left join lateral (
      select known.number, known.protocol = 'Tcp' as is_tcp from public.ports as known
      where known.organization_id = (select organization) and known.id = binding.port_id
      offset 0) as port on true
    where case
      when (credential.lists_interfaces or credential.lists_containers) is not true then true
      -- An interface or a neighbor.
      when binding.live_id is null then credential.lists_interfaces
      when binding.type = 'IPAddress' then true
      when credential.is_snmp then port.number in (161, 199, 1161) and not (port.is_tcp and is_full)
      when port.number = lacking.port and port.is_tcp and not is_full then true
      -- This includes bindings that a user has moved away from a container, and bindings whose container was edited.
      else credential.lists_containers and exists (
        select from public.bindings as version
        cross join lateral (
          select known.virtualization from public.services as known
          where known.organization_id = (select organization) and known.live_id = version.service_id
          offset 0) as holder
        where version.organization_id = (select organization) and version.live_id = binding.live_id
          and holder.virtualization->>'type' = 'Docker') end);
  perform set_config('enable_nestloop', 'on', true);
  return coalesce(found, '{}');
end
$$;

grant execute on function app.looked_with_credentials to inventory_ingest;
