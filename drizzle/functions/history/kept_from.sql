-- The instant from which none of an organization's changes has been deleted: app.history_from, or the last change up to
-- it, since nothing changed between the two. A reader that has read up to this instant has not missed anything.
create or replace function app.kept_from(organization uuid) returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  oldest constant timestamptz := app.history_from(organization);
begin
  return coalesce((
    select stamped.changed_at from public.transactions as stamped
    where stamped.organization_id = organization and stamped.changed_at <= oldest
    order by stamped.changed_at desc limit 1), oldest);
end
$$;

grant execute on function app.kept_from to inventory_api;
