-- The timestamp of this transaction (app.stamp_transaction), for a change that is about to be written. Because all of a
-- transaction's changes share it, a reader at any timestamp sees either all of the transaction or none of it. The first
-- change also records its author, and checks whether the organization may still start versions. This check only sets a
-- flag and does not reject the write, since deletions and repeated sightings do not start versions.
create or replace function app.changed_at(organization uuid, earliest timestamptz default null)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  fixed timestamptz;
begin
  if current_setting('app.recorded_organization', true) = organization::text then
    fixed := current_setting('app.changed_at', true)::timestamptz;
    -- Any session can change this setting, but must not be able to alter the past by doing so.
    if fixed >= date_trunc('milliseconds', now()) and (
      fixed < clock_timestamp() + interval '1 second'
      -- The clock was set back, so timestamps run ahead of it.
      or exists (
        select from public.transactions as known
        where known.organization_id = organization and known.changed_at = fixed
          and known.xmin = pg_current_xact_id()::xid))
    then
      return fixed;
    end if;
  end if;
  fixed := app.stamp_transaction(organization, earliest);
  perform app.record_transaction(organization, fixed);
  perform set_config('app.recorded_organization', organization::text, true);
  if app.counted_versions(organization) >= app.maximum_versions_of_day() then
    perform set_config('app.versions_are_spent', 'true', true);
  end if;
  return fixed;
end
$$;
