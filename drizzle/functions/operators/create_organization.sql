-- Creates an organization with its first Owner key, for an operator: see section 15 of the API contract.
create or replace function app.create_organization(
  new_id uuid, new_name text, new_plan jsonb, new_key_id uuid, key_name text, new_hash bytea, new_hint text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.presented_operator();
  perform app.add_organization(new_id, new_name, new_plan);
  perform app.add_owner_key(new_id, new_key_id, key_name, new_hash, new_hint);
  perform app.write_audit(
    new_id, 'created', 'Organization', array[new_id], array[new_name], array[null::uuid], '{}');
end
$$;

grant execute on function app.create_organization to inventory_api;
