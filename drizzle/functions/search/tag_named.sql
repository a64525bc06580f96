-- The id of the organization's tag with this name, ignoring case. The function bypasses the policy, because behind a
-- policy Postgres uses no index on `lower(name)`. It need not check networks: every key sees all tags.
create or replace function app.tag_named(name text) returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  return (
    select tag.id from public.tags as tag
    where tag.organization_id = organization
      and lower(tag.name collate "und-x-icu") = lower(tag_named.name collate "und-x-icu"));
end
$$;

grant execute on function app.tag_named to inventory_api;
