-- Removes addresses from the interfaces of their previous host when they are deleted or move to another host. A deleted
-- host takes its interfaces with it.
create or replace function app.leave_interfaces() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ids uuid[];
  left_host record;
begin
  if tg_op = 'DELETE' then
    ids := array(select id from former where valid_to is null);
  -- Revisions only increase: if their sum is unchanged, all addresses were merely seen again.
  elsif (select sum(revision) from changed) = (select sum(revision) from former) then
    return null;
  else
    ids := array(
      select former.id from former
      where (former.id, former.host_id) not in (select changed.id, changed.host_id from changed));
  end if;
  if ids = '{}' then
    return null;
  end if;
  for left_host in
    select former.organization_id, former.host_id as id, array_agg(former.id) as address_ids
    from former
    where former.id = any (ids)
      and exists (
        select from public.hosts as host
        where host.organization_id = former.organization_id and host.current_id = former.host_id)
      and app.is_kept(former.organization_id)
    group by former.organization_id, former.host_id order by former.host_id
  loop
    -- `discovered` is updated as well, so that discovery may still change a value that it has set.
    update public.interfaces as known set
      ip_address_ids = array(
        select member from unnest(known.ip_address_ids) as member
        where member <> all (left_host.address_ids) order by member),
      discovered = case when known.discovered ? 'ip_address_ids'
        then jsonb_set(known.discovered, '{ip_address_ids}',
          (known.discovered->'ip_address_ids') - left_host.address_ids::text[])
        else known.discovered end
    where known.organization_id = left_host.organization_id and known.live_host_id = left_host.id
      and known.ip_address_ids && left_host.address_ids;
  end loop;
  return null;
end
$$;
