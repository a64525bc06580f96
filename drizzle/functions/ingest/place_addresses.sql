-- Assigns each address in a report to the network's smallest subnet that contains it; loopback addresses are not
-- assigned to a subnet. Loopback addresses, link-local addresses and addresses of container bridges are shared by many
-- hosts, so they identify a host only if it has no other addresses. Within a subnet an address belongs to only one
-- host, so a shared address that another host has is not assigned to a subnet.
create or replace function app.place_addresses(
  context app.ingest_context, sent_addresses app.reported_address[], subnets app.ingested_record[])
returns app.ingested_address[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- Subnets are looked up by the blocks that contain an address, one for each prefix length in use.
  lengths int[] := array(
    select distinct masklen(known.cidr) from public.subnets as known
    where known.organization_id = (select context.organization_id) and known.network_id = context.network_id
      and known.valid_to is null);
begin
  return array(
    select (sent.index, sent.position, sent.ip, sent.mac, sent.name,
      case when not (sent.is_bridged or app.is_link_local(sent.ip)) or sent.index = min(sent.index) over (
          partition by sent.subnet_id, sent.ip) then sent.subnet_id end,
      not sent.is_local or bool_and(sent.is_local) over (partition by sent.index), sent.is_local,
      sent.mac is not null and not app.is_shared_mac(sent.mac)
        and min(sent.index) over (partition by sent.mac) = max(sent.index) over (partition by sent.mac)
      )::app.ingested_address
    from (
      select every.*, home.id as subnet_id, home.is_bridge as is_bridged,
        app.is_loopback(every.ip) or app.is_link_local(every.ip) or coalesce(home.is_bridge, false) as is_local
      from unnest(sent_addresses) as every
      left join lateral (
        select subnet.id, subnet.type = 'DockerBridge' as is_bridge from (
          (select known.id, sized.length, known.type
          from (
            select length from unnest(lengths) as length
            where length <= case family(every.ip) when 4 then 32 else 128 end
            offset 0) as sized
          cross join lateral (
            select stored.id, stored.subnet_type as type from public.subnets as stored
            where stored.organization_id = (select context.organization_id)
              and stored.network_id = context.network_id and stored.valid_to is null
              and stored.cidr = set_masklen(every.ip, sized.length)::cidr
            offset 0) as known
          order by sized.length desc limit 1)
          union all
          (select added.id, masklen(added.key::cidr), added.changes->>'subnet_type'
          from unnest(subnets) as added
          where added.is_new and added.key::cidr >>= every.ip
          order by masklen(added.key::cidr) desc limit 1)) as subnet
        where not app.is_loopback(every.ip)
        order by subnet.length desc limit 1) as home on true) as sent);
end
$$;

grant execute on function app.place_addresses to inventory_api;
