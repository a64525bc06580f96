-- Counts versions that this transaction starts, and aborts the transaction if there are too many. If the transaction is
-- rolled back, so is its count. Concurrent writers do not see each other's versions.
create or replace function app.count_versions(organization uuid, begun bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  maximum constant bigint := app.maximum_versions_of_day();
  counted bigint;
  free_at timestamptz;
begin
  update app.version_counters as counter set versions = counter.versions + begun
  where counter.organization_id = organization and counter.hour = this_hour and counter.id = (
    select free.id from app.version_counters as free
    where free.organization_id = organization and free.hour = this_hour
    limit 1 for no key update skip locked);
  if not found then
    insert into app.version_counters (organization_id, hour, versions)
    values (organization, this_hour, begun);
  end if;
  counted := app.counted_versions(organization);
  if counted > maximum then
    -- The instant at which enough of the oldest versions no longer count toward the limit.
    select counter.hour + interval '24 hours' into free_at from (
      select known.hour, sum(sum(known.versions)) over (order by known.hour) as ended
      from app.version_counters as known
      where known.organization_id = organization and known.hour > now() - interval '24 hours'
      group by known.hour) as counter
    where counted - counter.ended <= maximum
    order by counter.hour limit 1;
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'versions_of_organization',
      'retry_after_seconds', greatest(1, ceil(extract(epoch from free_at - now())))::integer));
  end if;
end
$$;
