-- Those of the external ids that live hosts of the organization have, including hosts that the key cannot access.
create or replace function app.held_external_ids(external_ids text[]) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select stored.external_id from public.hosts as stored
    where stored.organization_id = (select app.organization_id()) and stored.external_id = any (external_ids)
      and stored.valid_to is null);
end
$$;

grant execute on function app.held_external_ids to inventory_api;
