-- Adds an Owner key that can access every network of an organization. Called by `npm run key -- create` and by
-- app.create_organization. The key and its hash are added together, since the hash could not be added later.
create or replace function app.add_owner_key(
  organization uuid, new_id uuid, new_name text, new_hash bytea, new_hint text)
returns void
language sql set search_path = pg_catalog, pg_temp as $$
  insert into public.user_api_keys (id, organization_id, name, role, key_hint)
  values (new_id, organization, new_name, 'Owner', new_hint);
  insert into public.user_api_key_secrets (organization_id, api_key_id, key_hash)
  values (organization, new_id, new_hash)
$$;
