-- Deletes an organization, for an operator: see section 15 of the API contract. It is suspended at once, and deleted for
-- good after the grace. Nothing happens if it is already deleted.
create or replace function app.delete_organization(organization uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  grace constant interval := '30 days';
  known_name text;
begin
  perform app.presented_operator();
  update public.organizations as owner
  set suspended_at = coalesce(owner.suspended_at, now()), deletes_at = now() + grace
  where owner.id = organization and owner.deletes_at is null
  returning owner.name::text into known_name;
  if found then
    perform app.write_audit(organization, 'deleted', 'Organization', array[organization],
      array[known_name], array[null::uuid], '{}');
  elsif not exists (select from public.organizations as owner where owner.id = organization) then
    perform app.abort('entity_not_found',
      jsonb_build_object('entity', 'Organization', 'id', organization));
  end if;
end
$$;

grant execute on function app.delete_organization to inventory_api;
