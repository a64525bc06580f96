-- A key limited to networks can see and create only webhooks that are limited to some of these networks. A webhook
-- whose networks were all deleted is visible only to unlimited keys.
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

-- Deliveries and replays are not changes to the record, unless they disable it.
create trigger touch before update on webhooks
  for each row when (
    (new.name, new.url, new.entities, new.changes, new.network_ids, new.disabled_reason, new.secret_hint)
      is distinct from
      (old.name, old.url, old.entities, old.changes, old.network_ids, old.disabled_reason, old.secret_hint)
    or (new.position_at, new.position_entity, new.position_id, new.replays, new.newer_at, new.retry_at,
        new.lease_expires_at, new.delivery_generation, new.is_slow, new.failing_since, new.last_success_at,
        new.last_failure_at)
      is not distinct from
      (old.position_at, old.position_entity, old.position_id, old.replays, old.newer_at, old.retry_at,
        old.lease_expires_at, old.delivery_generation, old.is_slow, old.failing_since, old.last_success_at,
        old.last_failure_at))
  execute function app.touch();

-- The audit log.
create trigger audit_replayed after update of replays on webhooks
  for each row when (new.replays > old.replays) execute function app.audit_act('Webhook', 'replayed');
