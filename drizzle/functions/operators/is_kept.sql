-- True unless the grace of a deleted organization has ended. From then on, its rows are deleted as they are when the
-- organization's own row is deleted: without history, counts or entries in the audit log.
create or replace function app.is_kept(organization uuid) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
    select from public.organizations as owner
    where owner.id = organization and (owner.deletes_at is null or owner.deletes_at > now()));
end
$$;
