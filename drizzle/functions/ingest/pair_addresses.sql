-- Pairs each reported address with the same stored address in the same subnet. A stored address without a subnet, or
-- one that discovery found, is treated as being in the subnet that contains it now. An address to which a user has
-- bound a service or assigned a credential is not free to move. A link-local address with another MAC address belongs
-- to a host on another link.
create or replace function app.pair_addresses(context app.ingest_context, addresses app.ingested_address[])
returns app.ingested_pair[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (pair.index, pair.position, pair.address, pair.host_id, pair.id, pair.is_exact, pair.likeness,
      pair.is_free, pair.is_free and exists (
        select from public.ip_addresses as other
        where other.organization_id = (select context.organization_id) and other.live_host_id = pair.host_id
          and other.last_seen_at > pair.last_seen_at and not app.is_loopback(other.address))
      )::app.ingested_pair
    from (
      select sent.index, sent.position, sent.address, stored.host_id, stored.id, stored.last_seen_at,
        stored.subnet_id is not distinct from sent.subnet_id as is_exact,
        case when app.is_shared_mac(sent.mac) or app.is_shared_mac(stored.mac_address) then 1
          else case sent.mac = stored.mac_address when true then 2 when false then 0 else 1 end
          end as likeness,
        coalesce(sent.mac <> stored.mac_address, false) and stored.first_discovery_id is not null
          and context.seen_at >= stored.last_seen_at and not sent.is_local
          and not app.is_shared_mac(sent.mac) and not app.is_shared_mac(stored.mac_address)
          and coalesce(to_jsonb(stored.mac_address) = stored.discovered->'mac_address', false)
          and not exists (
            select from public.bindings as bound where bound.organization_id = (select context.organization_id)
              and bound.live_ip_address_id = stored.id and bound.first_discovery_id is null)
          and not exists (
            select from public.credential_host_ip_addresses as assigned
            where assigned.organization_id = (select context.organization_id) and assigned.ip_address_id = stored.id)
          as is_free
      from unnest(addresses) as sent
      cross join lateral (
        select known.* from public.ip_addresses as known
        where known.organization_id = (select context.organization_id) and known.address = sent.address
        offset 0) as stored
      where sent.identifies and stored.network_id = context.network_id and stored.valid_to is null
        and (stored.subnet_id is not distinct from sent.subnet_id or stored.subnet_id is null
          or stored.first_discovery_id is not null)
        and not (app.is_link_local(sent.address) and coalesce(sent.mac <> stored.mac_address, false)
          and not app.is_shared_mac(sent.mac) and not app.is_shared_mac(stored.mac_address))
        -- An address that many hosts share identifies a stored host only if the host has no other address. `identifies`
        -- applies the same rule to reported hosts.
        and (not sent.is_local or app.is_link_local(sent.address) or not exists (
          select from public.ip_addresses as other
          left join public.subnets as home
            on home.organization_id = (select context.organization_id) and home.current_id = other.subnet_id
          where other.organization_id = (select context.organization_id) and other.live_host_id = stored.host_id
            and not app.is_loopback(other.address)
            and home.subnet_type is distinct from 'DockerBridge'))
      offset 0) as pair);
end
$$;

grant execute on function app.pair_addresses to inventory_api;
