-- Fills in columns of a record that belongs to a host: a binding's host from its service, a neighbor's host from its
-- interface, a service's definition from its name, and the network from the host if the writer does not specify it. If
-- the source does not exist, foreign keys reject the record.
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
  elsif tg_table_name = 'neighbors' then
    new.host_id := coalesce((
      select interface.host_id from public.interfaces as interface
      where interface.organization_id = new.organization_id and interface.current_id = new.interface_id),
      new.host_id, case when new.valid_to is null then new.interface_id end);
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
