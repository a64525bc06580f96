-- Deletes up to `maximum` rows of organizations whose grace has ended, the one that ended first before the others.
-- Returns the number of deleted rows.
create or replace function app.sweep_organizations(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended uuid;
  swept integer := 0;
begin
  for ended in
    select owner.id from public.organizations as owner where owner.deletes_at <= now()
    order by owner.deletes_at, owner.id limit 100
  loop
    swept := swept + app.delete_organization_rows(ended, maximum - swept);
    exit when swept >= maximum;
  end loop;
  return swept;
end
$$;

grant execute on function app.sweep_organizations to inventory_poller;
