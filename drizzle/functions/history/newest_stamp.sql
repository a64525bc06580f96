-- The newest committed timestamp of an organization, or null if nothing has been changed yet.
create or replace function app.newest_stamp(organization uuid) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select stamped.changed_at from public.transactions as stamped
    where stamped.organization_id = organization
    order by stamped.changed_at desc limit 1);
end
$$;

grant execute on function app.newest_stamp to inventory_poller;
