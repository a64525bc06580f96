-- Waits for an organization's changes that are in progress now, so that later statements see everything stamped with a
-- timestamp that has passed. Without a key, it waits for the changes in all organizations.
create or replace function app.await_changes() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- As an unsigned integer, as in pg_locks.
  organization bigint := hashtext(app.organization_id()::text)::bigint & 4294967295;
  under_way text[];
begin
  -- This does not wait for changes that begin after this point, since they get later timestamps.
  under_way := array(
    select virtualtransaction from pg_locks
    where locktype = 'advisory' and granted and classid = 20261121 and pid <> pg_backend_pid()
      and mode = 'ShareLock'
      and database = (select oid from pg_database where datname = current_database())
      and (organization is null or objid::bigint = organization));
  while exists (
    select from pg_locks
    where locktype = 'advisory' and granted and classid = 20261121 and mode = 'ShareLock'
      and virtualtransaction = any (under_way))
  loop
    perform pg_sleep(0.001);
  end loop;
end
$$;

grant execute on function app.await_changes to inventory_api;
