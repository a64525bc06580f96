-- Folds up to `maximum` rows of app.usage_counts into app.usage_days, and then counts the hosts, versions and daemons of
-- up to `maximum_organizations` organizations for the day in UTC that has ended last. Deletes up to `maximum` days that
-- are more than 400 days old. Returns the number of folded rows, or `maximum` if organizations may be left to count.
create or replace function app.count_usage(maximum integer, maximum_organizations integer default 100) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  yesterday constant date := today - 1;
  begins constant timestamptz := yesterday::timestamp at time zone 'UTC';
  ends constant timestamptz := today::timestamp at time zone 'UTC';
  relations constant text[] := array(select kind.relation from app.change_kinds() as kind);
  folded integer;
  organization uuid;
  relation text;
  begun integer;
  versions_begun integer;
  counted_organizations integer := 0;
begin
  perform set_config('enable_seqscan', 'off', true);
  with gone as (
    delete from app.usage_counts as known where known.ctid = any (array(
      select counted.ctid from app.usage_counts as counted
      join public.organizations as owner on owner.id = counted.organization_id
      limit maximum for update of counted skip locked))
    returning known.organization_id, known.day, known.requests, known.webhook_deliveries),
  added as (
    insert into app.usage_days as total (organization_id, day, requests, webhook_deliveries)
    select gone.organization_id, gone.day, sum(gone.requests), sum(gone.webhook_deliveries)
    from gone group by gone.organization_id, gone.day
    order by gone.organization_id, gone.day
    on conflict (organization_id, day) do update set
      requests = total.requests + excluded.requests,
      webhook_deliveries = total.webhook_deliveries + excluded.webhook_deliveries)
  select count(*) into folded from gone;

  for organization in
    select owner.id from public.organizations as owner
    where owner.created_at < ends and not exists (
      select from app.usage_days as counted
      where counted.organization_id = owner.id and counted.day = yesterday and counted.hosts is not null)
    order by owner.id limit maximum_organizations
  loop
    counted_organizations := counted_organizations + 1;
    versions_begun := 0;
    foreach relation in array relations loop
      execute format('
        select (select count(*) from public.%1$I as live where live.organization_id = $1 and live.valid_to is null
            and live.valid_from >= $2 and live.valid_from < $3)
          + (select count(*) from public.%1$I as closed where closed.organization_id = $1
            and closed.valid_to is not null and closed.valid_from >= $2 and closed.valid_from < $3)', relation)
      into begun using organization, begins, ends;
      versions_begun := versions_begun + begun;
    end loop;
    insert into app.usage_days as total (organization_id, day, hosts, versions, daemons)
    select organization, yesterday, coalesce((
        select sum(counted.change) from public.count_deltas as counted
        where counted.organization_id = organization and counted.kind = 'hosts'), 0),
      versions_begun, (
        select count(*) from public.daemons as daemon where daemon.organization_id = organization)
    on conflict (organization_id, day) do update set
      hosts = excluded.hosts, versions = excluded.versions, daemons = excluded.daemons;
  end loop;

  delete from app.usage_days as old where old.ctid = any (array(
    select past.ctid from app.usage_days as past where past.day < today - 400 limit maximum));
  return case when counted_organizations < maximum_organizations then folded else maximum end;
end
$$;

grant execute on function app.count_usage to inventory_poller;
