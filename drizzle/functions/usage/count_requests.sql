-- Adds requests of the caller's organization to its usage. An isolate calls this at most once a minute for each
-- organization, with the number of requests since its last call. The number is for billing only; the organization is
-- that of the presented key.
create or replace function app.count_requests(counted integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into app.usage_counts (organization_id, day, requests)
  select organization, (now() at time zone 'UTC')::date, counted
  from (select app.organization_id()) as caller (organization)
  where organization is not null;
end
$$;

grant execute on function app.count_requests to inventory_api;
