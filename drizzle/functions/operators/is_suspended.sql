-- True while an operator has suspended an organization. The poller leaves such organizations alone.
create or replace function app.is_suspended(organization uuid) returns boolean
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
    select from public.organizations as owner
    where owner.id = organization and owner.suspended_at is not null);
end
$$;

grant execute on function app.is_suspended to inventory_poller;
