-- Lists a secret among the fields of its credential, so that deleting the field's row deletes the secret. A new secret
-- replaces the one that its field already has.
create or replace function app.add_secret_field() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.credential_secret_fields (organization_id, credential_id, field)
  values (new.organization_id, new.credential_id, new.field) on conflict do nothing;
  if not found then
    delete from public.credential_secrets as replaced
    where replaced.organization_id = new.organization_id and replaced.credential_id = new.credential_id
      and replaced.field = new.field;
  end if;
  return new;
end
$$;
