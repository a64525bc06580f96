-- Rejects a statement that adds neighbors to an interface, or moves them to it, beyond the maximum. Every writer of these
-- records has locked their host (app.change_host), as in app.bound_neighbors.
create or replace function app.bound_neighbors_of_interface() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := (select changed.organization_id from changed limit 1);
  grown uuid[];
begin
  if tg_op = 'INSERT' then
    grown := array(select distinct changed.interface_id from changed where changed.valid_to is null);
  else
    grown := array(
      select distinct changed.interface_id from changed join former using (organization_id, id)
      where changed.interface_id <> former.interface_id);
  end if;
  -- The offset hides the organization from the planner: see app.bound_neighbors.
  if exists (
    select from unnest(grown) as interface (id), (select organization as id offset 0) as owner
    where exists (
      select from public.neighbors as record
      where record.organization_id = owner.id and record.live_interface_id = interface.id
      offset app.maximum_neighbors_of_interface()))
  then
    perform app.refuse_too_many('neighbors of one interface', app.maximum_neighbors_of_interface());
  end if;
  return null;
end
$$;
