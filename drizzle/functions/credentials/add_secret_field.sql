-- Lists a secret among the fields of its credential, so that deleting the field's row deletes the secret.
create or replace function app.add_secret_field() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.credential_secret_fields (organization_id, credential_id, field)
  values (new.organization_id, new.credential_id, new.field) on conflict do nothing;
  return new;
end
$$;
