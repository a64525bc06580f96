-- Records how the number of live records in each network changes when a statement inserts or deletes records. Closed
-- versions are not counted. The kind is the name of the trigger's table. Postgres keeps separate plans for each trigger.
create or replace function app.count_records() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Most statements that delete or close versions fire the triggers of tables in which no live row has changed.
  if not exists (select from changed where valid_to is null) then
    return null;
  end if;
  insert into public.count_deltas (organization_id, kind, network_id, change)
  select counted.organization_id, tg_table_name, counted.network_id,
    case tg_op when 'INSERT' then counted.records else -counted.records end
  from (
    select changed.organization_id, changed.network_id, count(*) as records
    from changed where changed.valid_to is null
    group by changed.organization_id, changed.network_id) as counted
  -- When an organization is deleted, so are its counts.
  where app.is_kept(counted.organization_id);
  return null;
end
$$;
