-- Plans the hosts of a report. Merging: see app.fillable. The name of a host, with its rank, comes from the host
-- itself: its sys_name (4) or its hostname (3), if the record keeps these values. Otherwise it comes from an import (2)
-- or a daemon (1), or is an address (0). A daemon names a host after any service that it finds there, so a daemon's
-- name does not replace the current name if a daemon has used it for this host before, or if daemons have already used
-- eight different names for it.
create or replace function app.plan_hosts(
  context app.ingest_context, hosts app.ingested_host[], addresses app.ingested_address[],
  matched app.ingested_match[], moved_addresses uuid[], failed int[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    with sighting as materialized (
      select every.index, array_agg(every.address) as addresses, array_agg(every.mac) as macs,
        host((array_agg(every.address order by every.position))[1]) as place
      from unnest(addresses) as every group by every.index),
    -- A host's addresses at which this report does not see the host. If a user consolidated two or more hosts into this
    -- one, these are all its other addresses. Otherwise they are the addresses of other interfaces, and addresses at
    -- which a daemon sees the host separately, in this scan or in an earlier one.
    apart as (
      select known.index, array_agg(host(known.address)) as addresses
      from (
        select own.index, stored.address, stored.mac_address,
          stored.address = any (sighting.addresses) as is_seen,
          case when context.daemon_id <> context.discovery_id
            then stored.last_discovery_id = context.discovery_id or exists (
            select from jsonb_each(holder.evidence) as field
            where field.value->>'address' = host(stored.address)) end as is_apart,
          bool_or(stored.evidence ? 'host_id') over same as is_united,
          sighting.macs || array_agg(stored.mac_address) filter (
            where stored.address = any (sighting.addresses)) over same as macs
        from unnest(matched) as own
        join sighting on sighting.index = own.index
        cross join lateral (
          select host.evidence from public.hosts as host
          where host.organization_id = (select context.organization_id) and host.current_id = own.host_id
          offset 0) as holder
        cross join lateral (
          select known.* from public.ip_addresses as known
          where known.organization_id = (select context.organization_id) and known.live_host_id = own.host_id
          offset 0) as stored
        where not app.is_loopback(stored.address) and stored.id <> all (moved_addresses)
        window same as (partition by own.index)) as known
      where not known.is_seen and (known.is_united or known.is_apart or (
        known.mac_address <> all (array_remove(known.macs, null))
        and array_remove(known.macs, null) <> '{}'))
      group by known.index)
    select (sent.index, null, host.id, host.id, own.host_id is null,
      case when named.changes is null then filled.changes
        else coalesce(filled.changes, '{}') || named.changes end,
      case when named.evidence_of_changes is null then filled.evidence_of_changes
        else coalesce(filled.evidence_of_changes, '{}') || case when candidate.rank <> 1
            then named.evidence_of_changes
          else jsonb_set(named.evidence_of_changes, '{name,called}', held.called
            || case when held.called ? candidate.name then '[]' else to_jsonb(candidate.name) end) end
        end)::app.ingested_record
    from unnest(hosts) as sent
    cross join lateral (select app.uuid_v7() as id where sent.index is not null) as fresh
    left join unnest(matched) as own on own.index = sent.index
    left join lateral (
      select stored.*, stored as record from public.hosts as stored
      where stored.organization_id = (select context.organization_id) and stored.current_id = own.host_id
      offset 0) as known on true
    left join sighting as seen on seen.index = sent.index
    left join apart on apart.index = sent.index
    cross join lateral (
      select coalesce(known.id, fresh.id) as id,
        case when known.id is not null then app.details_of(known.record) end as details,
        -- Polling a daemon proves that its host is there, but does not confirm the host's fields. The fields were last
        -- seen when one of the host's addresses was.
        known.id is null or context.seen_at >= known.last_seen_at or (
          exists (
            select from public.daemons as daemon
            where daemon.host_id = known.id and daemon.organization_id = (select context.organization_id))
          and context.seen_at >= all (
            select stored.last_seen_at from public.ip_addresses as stored
            where stored.organization_id = (select context.organization_id)
              and stored.live_host_id = known.id)) as is_newer,
        coalesce(apart.addresses, '{}') as elsewhere
      offset 0) as host
    cross join lateral app.fillable(host.details, sent.details, known.discovered, known.evidence,
      sent.ranks, context.daemon_id, context.watching, host.is_newer, seen.place, host.elsewhere) as filled
    cross join lateral (
      select one.rank, app.host_name(case one.rank when 4 then one.sys_name when 3 then one.hostname
        when 0 then sent.fallback_name else sent.given_name end) as name
      from (
        select said.*, case
          -- An address is not a name, even if the host reports it as its own.
          when said.sys_name = coalesce(filled.changes->>'sys_name', known.sys_name)
            and not app.is_address(said.sys_name) then 4
          when said.hostname = coalesce(filled.changes->>'hostname', known.hostname)
            and not app.is_address(said.hostname) then 3
          when not app.is_address(sent.given_name) then case when context.daemon_id is null then 2 else 1 end
          else 0 end as rank
        from (
          select sent.details->>'sys_name' as sys_name, sent.details->>'hostname' as hostname) as said
        offset 0) as one
      offset 0) as candidate
    cross join lateral (
      select coalesce(known.evidence #> '{name,called}', '[]') as called,
        -- Some hosts have no evidence.
        jsonb_build_object('name', coalesce(known.evidence->'name', case
          when app.is_address(known.name) then '{}'
          when known.name = app.host_name(known.sys_name) then '{"rank": 4}'
          when known.name = app.host_name(known.hostname) then '{"rank": 3}'
          else '{}' end::jsonb)) as evidence
      offset 0) as held
    cross join lateral app.fillable(
      case when known.id is not null then jsonb_build_object('name', known.name) end,
      case when known.id is null or known.name = candidate.name or candidate.rank > 1
          or (candidate.rank = 1 and not held.called ? candidate.name
            and jsonb_array_length(held.called) < 8)
        then jsonb_build_object('name', candidate.name) end,
      known.discovered, held.evidence,
      case when candidate.rank = 0 then '{}'
        else jsonb_build_object('name', jsonb_build_object('rank', candidate.rank)) end,
      context.daemon_id, context.watching, host.is_newer, seen.place, host.elsewhere) as named
    where sent.index <> all (failed));
end
$$;

grant execute on function app.plan_hosts to inventory_api;
