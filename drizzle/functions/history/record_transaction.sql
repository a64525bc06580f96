-- Records the author of an organization's changes at a timestamp (app.current_actor). A transaction that returns to
-- this organization after changing another one already has its row.
create or replace function app.record_transaction(organization uuid, stamp timestamptz) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- When an organization is deleted, so is all its history.
  if not app.is_kept(organization) then
    return;
  end if;
  insert into public.transactions (
    organization_id, changed_at, actor_type, actor_id, actor_name, request_id, discovery_id)
  select organization, stamp, who.actor_type, who.actor_id, who.actor_name, who.request_id, who.discovery_id
  from app.current_actor(organization) as who
  on conflict do nothing;
end
$$;
