-- Changes in the caller's organization that a statement sees although they were not yet settled when the gate
-- (app.enter) ran: the instant of the newest one, and their number. Null if there are none: the live records are then
-- the ones that were valid at the instant up to which everything was settled.
create or replace function app.seen_beyond_settled() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization constant uuid := app.organization_id();
  settled constant timestamptz := current_setting('app.settled');
begin
  return (
    select jsonb_build_object('newest', beyond.newest, 'count', beyond.count)
    from (
      select max(stamped.changed_at) as newest, count(*) as count from public.transactions as stamped
      where stamped.organization_id = organization and stamped.changed_at > settled) as beyond
    where beyond.count > 0);
end
$$;

grant execute on function app.seen_beyond_settled to inventory_api;
