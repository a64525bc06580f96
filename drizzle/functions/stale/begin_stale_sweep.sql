-- Makes the next run of app.sweep_stale_hosts check all hosts of an organization, after `stale_after_hours` has changed
-- in one of its networks. The organization keeps its place in the order: changing the setting repeatedly does not get
-- it checked more often.
create or replace function app.begin_stale_sweep() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app.stale_sweeps as sweep (organization_id) values (new.organization_id)
  on conflict (organization_id) do update set after_created_at = default, after_id = default;
  return null;
end
$$;
