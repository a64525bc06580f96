-- What a record of a host takes from elsewhere: a binding its host from its service, and every part
-- its network from the host where the writer names none. What is found nowhere, foreign keys refuse.
create or replace function app.complete_part_of_host() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'bindings' then
    if new.valid_to is null or new.host_id is null then
      new.host_id := coalesce((
        select service.host_id from public.services as service
        where service.organization_id = new.organization_id and service.current_id = new.service_id),
        new.host_id, case when new.valid_to is null then new.service_id end);
    end if;
  elsif tg_table_name = 'services' then
    new.service_definition := coalesce(new.service_definition, new.name);
  end if;
  if new.network_id is null then
    new.network_id := (
      select host.network_id from public.hosts as host
      where host.organization_id = new.organization_id and host.current_id = new.host_id);
  end if;
  return new;
end
$$;
