-- Ends a delivery that the receiver accepted. If the message did not cover the whole range, the rest becomes another
-- message, which is due at once.
create or replace function app.end_delivery(organization uuid, delivery uuid, rest_begins app.change_key)
returns void
language sql set search_path = pg_catalog, pg_temp as $$
  update public.webhook_deliveries as known set
    error = case when rest_begins is not null then known.error end,
    http_status = case when rest_begins is not null then known.http_status end,
    state = case when rest_begins is null then 'delivered' else 'retrying' end,
    next_attempt_at = case when rest_begins is not null then now() end,
    after_at = coalesce(rest_begins.at, known.after_at),
    after_entity = coalesce(rest_begins.entity, known.after_entity),
    after_id = coalesce(rest_begins.entity_id, known.after_id),
    message_id = case when rest_begins is null then known.message_id
      else 'msg_' || replace(gen_random_uuid()::text, '-', '') end
  where known.organization_id = organization and known.id = delivery
$$;
