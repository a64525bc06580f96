-- Aborts the transaction if the key's role is below the required one. No key may create, change or delete a key with a
-- higher role, since rotating a key gives the caller its role.
create or replace function app.require_role(needed public.role) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  own public.role := app.key_role();
begin
  if own is null or own < needed then
    perform app.abort('auth_permission_denied',
      jsonb_build_object('required_role', needed, 'role', own));
  end if;
end
$$;

grant execute on function app.require_role to inventory_api;
