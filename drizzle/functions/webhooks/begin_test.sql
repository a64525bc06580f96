-- Starts a test of a webhook that the caller can see: see section 12 of the API contract. Aborts the transaction if
-- there were too many tests in the last minute. It counts audit log entries, which callers cannot delete: deleting a
-- webhook and recreating it with the same id does not allow more tests.
create or replace function app.begin_test(webhook uuid)
returns table (organization_id uuid, url text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  organization constant uuid := app.organization_id();
  reaches_all constant boolean := app.reaches_all_networks();
  reached constant uuid[] := case when reaches_all then '{}' else app.network_ids() end;
  known public.webhooks;
  free_at timestamptz;
begin
  -- Locked, so that concurrent tests are counted.
  select * into known from public.webhooks as tested
  where tested.organization_id = organization and tested.id = webhook
    and (reaches_all or (tested.network_ids <> '{}' and tested.network_ids <@ reached))
  for no key update;
  if not found then
    return;
  end if;
  -- This may have waited for the lock, so it uses the clock and not the start of the transaction.
  select entry.at + interval '60 seconds' into free_at from public.audit_entries as entry
  where entry.organization_id = organization and entry.entity_id = webhook and entry.action = 'tested'
    and entry.at > clock_timestamp() - interval '60 seconds'
  order by entry.at desc offset app.maximum_tests_of_minute() - 1 limit 1;
  if free_at > clock_timestamp() then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'tests_of_webhook',
      'retry_after_seconds', ceil(extract(epoch from free_at - clock_timestamp()))::integer));
  end if;
  perform app.bound_audit_entries(organization, 1);
  perform app.write_audit(
    organization, 'tested', 'Webhook', array[webhook], array[known.name::text], array[null::uuid], '{}');
  return query select known.organization_id, known.url;
end
$$;

grant execute on function app.begin_test to inventory_api;
