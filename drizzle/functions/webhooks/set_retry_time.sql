-- Sets the time at which the first retry of a webhook is due.
create or replace function app.set_retry_time(organization uuid, webhook uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update public.webhooks as known set retry_at = waiting.first
  from (
    select min(delivery.next_attempt_at) as first from public.webhook_deliveries as delivery
    where delivery.organization_id = organization and delivery.webhook_id = webhook
      and delivery.state = 'retrying') as waiting
  where known.organization_id = organization and known.id = webhook
    and known.retry_at is distinct from waiting.first
$$;
