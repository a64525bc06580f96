-- The networks that the key can access. With a token: those of its networks that still exist and that its key can
-- access. Without a key: the network of the visited daemon, or the networks of the visited webhook.
create or replace function app.network_ids() returns uuid[]
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  listed uuid[];
begin
  if presented.id is null then
    return array(
      select visit.network_id from app.daemon_visits as visit
      where visit.transaction_id = pg_current_xact_id_if_assigned()
      union all
      select unnest(visit.network_ids) from app.webhook_visits as visit
      where visit.transaction_id = pg_current_xact_id_if_assigned());
  end if;
  listed := (app.presented_token()).network_ids;
  if listed is not null then
    return array(
      select network.id from public.networks as network
      where network.organization_id = presented.organization_id and network.id = any (listed)
        and (
          not (
            select key.is_limited_to_networks from public.user_api_keys as key
            where key.organization_id = presented.organization_id and key.id = presented.id)
          or exists (
            select from public.user_api_key_networks as reached
            where reached.organization_id = presented.organization_id and reached.api_key_id = presented.id
              and reached.network_id = network.id))
      order by network.id);
  end if;
  return array(
    select reached.network_id from public.user_api_key_networks as reached
    where reached.organization_id = presented.organization_id and reached.api_key_id = presented.id
    order by reached.network_id);
end
$$;

grant execute on function app.network_ids to inventory_api;
