-- A network's live subnets that the caller can see and whose blocks a daemon is attached to. This is a function so that
-- its plan is cached; few lists of daemons need it.
create or replace function app.interfaced_subnet_ids(organization uuid, network uuid, cidrs cidr[]) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce((
    select jsonb_agg(subnet.id order by subnet.id) from public.subnets as subnet
    where subnet.organization_id = organization and subnet.network_id = network
      and subnet.cidr = any (cidrs) and subnet.valid_to is null), '[]');
end
$$;

grant execute on function app.interfaced_subnet_ids to inventory_api;
