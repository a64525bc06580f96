-- Analyzes a table that an import has enlarged considerably. With the statistics of an empty table, the planner would
-- read the whole table for each row of the next import.
create or replace function app.refresh_statistics(grown name, added integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Runs only for a large report that at least doubles the table. Autovacuum handles other cases, but would come too
  -- late for a report that follows immediately.
  if added >= 100
    and grown in (
      'subnets', 'hosts', 'ip_addresses', 'ports', 'interfaces', 'neighbors', 'services', 'bindings')
    and added > (select reltuples from pg_class where oid = ('public.' || grown)::regclass)
  then
    execute format('analyze (skip_locked) public.%I', grown);
  end if;
end
$$;

grant execute on function app.refresh_statistics to inventory_api;
