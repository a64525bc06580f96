-- Adds an organization without keys. Called by `npm run organization -- create` and by app.create_organization.
create or replace function app.add_organization(new_id uuid, new_name text, new_plan jsonb) returns void
language sql set search_path = pg_catalog, pg_temp as $$
  insert into public.organizations (id, name, plan, onboarding)
  values (new_id, new_name, new_plan, array['OrgCreated'])
$$;
