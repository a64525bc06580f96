-- Records the result of a delivery while the caller holds the webhook's lease: see section 12 of the API contract. A
-- delivery that is accepted at once is not stored. Returns a row, unless the lease has ended or another poller has
-- taken over.
--
-- `delivery` is set for a retry. `taken_ms` is the receiver's response time; `failure` is null if it accepted the
-- delivery.
create or replace function app.record_delivery(
  organization uuid, webhook uuid, generation bigint, delivery uuid, message text,
  after_key app.change_key, until_key app.change_key, has_rest boolean, failure text, status integer,
  taken_ms integer, slow boolean)
returns table (disabled_reason text, state text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  -- Seconds until each retry. If the last retry fails, the delivery has failed.
  delays constant integer[] := '{5, 300, 1800, 7200, 18000, 36000, 36000}';
  failing_limit constant interval := '5 days';
  -- Maximum number of a webhook's deliveries that wait for a retry. Newer changes wait in the feed.
  maximum_waiting constant integer := 100;
  -- A failing receiver is sent newer changes once a minute.
  pause constant interval := '1 minute';
  unreadable_pause constant interval := '5 minutes';
  leased public.webhooks;
  became text;
  waiting integer;
begin
  select * into leased from public.webhooks as known
  where known.organization_id = organization and known.id = webhook
    and known.delivery_generation = generation and known.lease_expires_at > now()
  for no key update;
  if not found then
    return;
  end if;
  if failure = 'secret_unreadable' then
    -- An operator has to repair this: nothing was sent to the receiver.
    update public.webhooks as known set
      last_failure_at = now(), last_error = failure, last_error_http_status = null,
      newer_at = case when known.newer_at is not null then now() + unreadable_pause end,
      retry_at = greatest(known.retry_at, now() + unreadable_pause), lease_expires_at = null
    where known.organization_id = organization and known.id = webhook;
    return query select leased.disabled_reason, null::text;
    return;
  end if;

  -- For billing. A message that was not sent is not counted.
  insert into app.usage_counts (organization_id, day, webhook_deliveries)
  values (organization, (now() at time zone 'UTC')::date, 1);

  if delivery is not null and failure is null then
    update public.webhook_deliveries as known set
      attempt_count = known.attempt_count + 1, last_attempt_at = now(), duration_ms = taken_ms
    where known.organization_id = organization and known.id = delivery;
    perform app.end_delivery(organization, delivery, case when has_rest then until_key end);
    became := case when has_rest then 'retrying' else 'delivered' end;
  elsif delivery is not null then
    update public.webhook_deliveries as known set
      attempt_count = known.attempt_count + 1, last_attempt_at = now(), duration_ms = taken_ms,
      error = failure, http_status = status,
      state = case when known.attempt_count < cardinality(delays) then 'retrying' else 'failed' end,
      next_attempt_at = now() + make_interval(secs => delays[known.attempt_count + 1])
    where known.organization_id = organization and known.id = delivery
    returning known.state into became;
  elsif failure is not null then
    insert into public.webhook_deliveries (organization_id, webhook_id, message_id, after_at, after_entity,
      after_id, until_at, until_entity, until_id, state, attempt_count, last_attempt_at, next_attempt_at,
      duration_ms, error, http_status)
    values (organization, webhook, message, after_key.at, after_key.entity, after_key.entity_id,
      until_key.at, until_key.entity, until_key.entity_id, 'retrying', 1, now(),
      now() + make_interval(secs => delays[1]), taken_ms, failure, status);
    became := 'retrying';
  end if;
  select count(*) into waiting from public.webhook_deliveries as known
  where known.organization_id = organization and known.webhook_id = webhook and known.state = 'retrying';

  update public.webhooks as known set
    position_at = case when delivery is null then until_key.at else known.position_at end,
    position_entity = case when delivery is null then until_key.entity else known.position_entity end,
    position_id = case when delivery is null then until_key.entity_id else known.position_id end,
    last_success_at = case when failure is null then now() else known.last_success_at end,
    last_failure_at = case when failure is null then known.last_failure_at else now() end,
    last_error = coalesce(failure, known.last_error),
    last_error_http_status = case when failure is null then known.last_error_http_status else status end,
    failing_since = case when failure is not null then coalesce(known.failing_since, now()) end,
    newer_at = case
      when failure is null then now()
      when waiting >= maximum_waiting then null
      when delivery is null then now() + pause
      else coalesce(known.newer_at, now()) end,
    is_slow = slow,
    disabled_reason = coalesce(known.disabled_reason, case
      when failure = 'http_status' and status = 410 then 'gone'
      when failure is not null and known.failing_since <= now() - failing_limit then 'failing' end)
  where known.organization_id = organization and known.id = webhook
  returning known.disabled_reason into leased.disabled_reason;
  perform app.set_retry_time(organization, webhook);
  return query select leased.disabled_reason, became;
end
$$;

grant execute on function app.record_delivery to inventory_poller;
