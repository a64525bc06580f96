-- A key limited to specific networks can see and create only webhooks that are limited to some of those networks. A
-- webhook whose networks were all deleted is visible only to unlimited keys.
alter table webhooks enable row level security;
create policy tenant on webhooks to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks())
    or (network_ids <> '{}' and network_ids <@ (select app.network_ids())::uuid[])));
create policy poller on webhooks to inventory_poller using (true);
grant select, insert, delete on webhooks to inventory_api;
grant update (
  name, url, entities, changes, network_ids, disabled_reason, secret_hint, failing_since, position_at,
  position_entity, position_id, replays, newer_at, retry_at, lease_expires_at, delivery_generation
) on webhooks to inventory_api;
grant select on webhooks to inventory_poller;
grant update (lease_expires_at, delivery_generation) on webhooks to inventory_poller;

-- The audit log.
create trigger audit_replayed after update of replays on webhooks
  for each row when (new.replays > old.replays) execute function app.audit_act('Webhook', 'replayed');
