-- Returns the next changes to deliver to a webhook while the caller holds its lease: the changes of a delivery whose
-- retry is due, or else the changes after the webhook's position. `changes` is null if the webhook does not receive any
-- of the changes that were read; in that case, call again. If nothing is due, or the organization is suspended, ends the
-- lease and returns no row.
-- Changes that the organization no longer keeps are not delivered, and are recorded as the webhook's last error.
create or replace function app.next_delivery(
  organization uuid, webhook uuid, generation bigint, takes_retries boolean, takes_newer boolean)
returns table (
  delivery_id uuid, message_id text, replays integer, after_at timestamptz, after_entity text, after_id uuid,
  until_at timestamptz, until_entity text, until_id uuid, has_rest boolean, changes json, url text,
  sealed_secrets json)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  leased public.webhooks;
  retried public.webhook_deliveries;
  start app.change_key;
  bound app.change_key;
  oldest constant timestamptz := app.history_from(organization);
  is_lost boolean;
  page record;
  read json[] := '{}';
  -- True if there may be more changes after those that were read.
  is_more boolean := false;
begin
  select * into leased from public.webhooks as known
  where known.organization_id = organization and known.id = webhook
    and known.delivery_generation = generation and known.lease_expires_at > now()
  for no key update;
  if not found then
    return;
  end if;
  if app.is_suspended(organization) then
    update public.webhooks as known set lease_expires_at = null
    where known.organization_id = organization and known.id = webhook;
    return;
  end if;
  if leased.is_enabled and takes_retries then
    select * into retried from public.webhook_deliveries as known
    where known.organization_id = organization and known.webhook_id = webhook
      and known.state = 'retrying' and known.next_attempt_at <= now()
    order by known.next_attempt_at, known.id limit 1;
  end if;
  if retried.id is not null then
    start := (retried.after_at, retried.after_entity, retried.after_id);
    bound := (retried.until_at, retried.until_entity, retried.until_id);
  elsif leased.is_enabled and takes_newer and leased.newer_at <= now() then
    start := (leased.position_at, leased.position_entity, leased.position_id);
  else
    update public.webhooks as known set lease_expires_at = null
    where known.organization_id = organization and known.id = webhook;
    return;
  end if;

  if (start.at, start.entity collate "C") < (oldest, '~') then
    is_lost := start.at < app.kept_from(organization)
      or (start.at = app.kept_from(organization) and start.entity <> '~');
    start := (oldest, '~', '00000000-0000-0000-0000-000000000000');
    if is_lost then
      update public.webhooks as known set
        last_failure_at = now(), last_error = 'history_expired', last_error_http_status = null
      where known.organization_id = organization and known.id = webhook;
    end if;
    if is_lost and retried.id is not null
      and (bound.at, bound.entity collate "C", bound.entity_id) <= (start.at, start.entity, start.entity_id)
    then
      update public.webhook_deliveries as known set
        state = 'failed', next_attempt_at = null, error = 'history_expired', http_status = null
      where known.organization_id = organization and known.id = retried.id;
      perform app.set_retry_time(organization, webhook);
      return query select retried.id, retried.message_id, leased.replays, start.at, start.entity, start.entity_id,
        bound.at, bound.entity, bound.entity_id, false, null::json, leased.url, null::json;
      return;
    end if;
  end if;

  -- The same settings as in app.enter. A key that was presented earlier on the same connection does not belong to this
  -- transaction.
  perform set_config('app.key_hash', '', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);
  insert into app.webhook_visits (organization_id, network_ids) values (organization, leased.network_ids);
  for page in
    select * from app.visited_changes(
      start, nullif(leased.entities, '{}'), nullif(leased.changes, '{}'))
  loop
    if page.change is null then
      is_more := page.has_more and (retried.id is null or (page.at, page.entity collate "C", page.entity_id)
        < (bound.at, bound.entity, bound.entity_id));
      if retried.id is null or is_more then
        bound := (page.at, page.entity, page.entity_id);
      end if;
    elsif retried.id is null or (page.at, page.entity collate "C", page.entity_id)
      <= (bound.at, bound.entity, bound.entity_id)
    then
      read := read || row_to_json(page);
    end if;
  end loop;
  delete from app.webhook_visits where transaction_id = pg_current_xact_id_if_assigned();

  if cardinality(read) = 0 then
    if retried.id is null then
      update public.webhooks as known set
        position_at = bound.at, position_entity = bound.entity, position_id = bound.entity_id,
        lease_expires_at = case when is_more then known.lease_expires_at end
      where known.organization_id = organization and known.id = webhook;
      if not is_more then
        return;
      end if;
    else
      -- The webhook is no longer allowed to receive any of these changes.
      perform app.end_delivery(organization, retried.id, case when is_more then bound end);
      perform app.set_retry_time(organization, webhook);
    end if;
  end if;
  return query select retried.id, retried.message_id, leased.replays, start.at, start.entity, start.entity_id,
    bound.at, bound.entity, bound.entity_id, is_more,
    case when cardinality(read) > 0 then array_to_json(read) end, leased.url,
    array_to_json(array(
      select secret.sealed from public.webhook_secrets as secret
      where secret.organization_id = organization and secret.webhook_id = webhook
        and (not secret.is_former or secret.expires_at > now())
      order by secret.is_former));
end
$$;

grant execute on function app.next_delivery to inventory_poller;
