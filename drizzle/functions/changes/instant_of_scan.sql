-- The instant from which everything that a scan wrote is visible, and from which the records that it did not find again
-- have ended. Aborts the transaction if the caller cannot see such a scan, or if it has not finished. `parameter` is
-- the query parameter that contains its id.
create or replace function app.instant_of_scan(scan uuid, parameter text) returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  known record;
begin
  select session.started_at, session.finished_at, greatest(session.finished_at, session.settled_at) as ended_at
  into known
  from public.discovery_sessions as session
  where session.organization_id = (select app.organization_id()) and session.id = scan;
  if not found then
    perform app.abort('entity_reference_invalid', jsonb_build_object(
      'entity', 'DiscoverySession', 'field', 'query.' || parameter, 'id', scan));
  elsif known.finished_at is null then
    perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
      jsonb_build_array(jsonb_build_object('path', 'query.' || parameter, 'code', 'custom', 'message',
        'is a scan that has not ended: repeat the request once it has a finished_at'))));
  end if;
  -- The timestamp of the last write is slightly later than the start of its transaction.
  return greatest(known.ended_at, (
    select made.changed_at from public.transactions as made
    where made.organization_id = (select app.organization_id()) and made.discovery_id = scan
      and made.changed_at between known.started_at and known.ended_at + interval '5 minutes'
    order by made.changed_at desc limit 1));
end
$$;

grant execute on function app.instant_of_scan to inventory_api;
