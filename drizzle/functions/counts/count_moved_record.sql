-- Notes that an update has moved a live record to another network. The kind is the name of the trigger's table.
create or replace function app.count_moved_record() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.count_deltas (organization_id, kind, network_id, change)
  values
    (old.organization_id, tg_table_name, old.network_id, -1),
    (new.organization_id, tg_table_name, new.network_id, 1);
  return null;
end
$$;
