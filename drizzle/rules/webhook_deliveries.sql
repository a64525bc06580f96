-- Callers can see the deliveries of the webhooks that they can see.
alter table webhook_deliveries enable row level security;
create policy tenant on webhook_deliveries to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from webhooks as known
    where known.organization_id = webhook_deliveries.organization_id
      and known.id = webhook_deliveries.webhook_id)));
grant select on webhook_deliveries to inventory_api;
grant update (state, next_attempt_at) on webhook_deliveries to inventory_api;

-- The audit log: callers' retries of deliveries.
create trigger audit_retried after update of state on webhook_deliveries
  for each row when (current_user = 'inventory_api') execute function app.audit_act('Webhook', 'retried');
