-- The number of an organization's versions that count towards the maximum. Versions are counted per hour, and each hour
-- counts until 24 hours after it began. The function is not written in SQL, because it would then be planned for each
-- change.
create or replace function app.counted_versions(organization uuid) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce((
    select sum(counter.versions) from app.version_counters as counter
    where counter.organization_id = organization and counter.hour > now() - interval '24 hours'), 0);
end
$$;
