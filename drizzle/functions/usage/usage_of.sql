-- The usage of an organization from one day to another in UTC, one row per day, for an operator.
create or replace function app.usage_of(organization uuid, first_day date, last_day date)
returns table (
  day text, requests double precision, webhook_deliveries double precision, hosts integer, versions integer,
  daemons integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  perform app.presented_operator();
  if not exists (select from public.organizations as owner where owner.id = organization) then
    perform app.abort('entity_not_found',
      jsonb_build_object('entity', 'Organization', 'id', organization));
  end if;
  return query
    select to_char(date.at, 'YYYY-MM-DD'),
      (coalesce(known.requests, 0) + coalesce(waiting.requests, 0))::double precision,
      (coalesce(known.webhook_deliveries, 0) + coalesce(waiting.webhook_deliveries, 0))::double precision,
      known.hosts, known.versions, known.daemons
    from generate_series(first_day::timestamp, last_day::timestamp, interval '1 day') as date (at)
    left join app.usage_days as known
      on known.organization_id = organization and known.day = date.at::date
    left join (
      select counted.day, sum(counted.requests) as requests, sum(counted.webhook_deliveries) as webhook_deliveries
      from app.usage_counts as counted where counted.organization_id = organization
      group by counted.day) as waiting on waiting.day = date.at::date
    order by date.at;
end
$$;

grant execute on function app.usage_of to inventory_api;
