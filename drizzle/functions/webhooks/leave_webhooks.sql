-- Removes deleted networks from the webhooks that are limited to them.
create or replace function app.leave_webhooks() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update public.webhooks as limited set network_ids = array(
    select kept.id from unnest(limited.network_ids) as kept (id)
    where not exists (
      select from deleted where deleted.organization_id = limited.organization_id and deleted.id = kept.id)
    order by kept.id)
  where (limited.organization_id, limited.id) in (
    select known.organization_id, known.id from deleted
    join public.webhooks as known
      on known.organization_id = deleted.organization_id and known.network_ids @> array[deleted.id]);
  return null;
end
$$;
