-- The gate: the first statement of every batch. It aborts the transaction unless the key, or the token, is valid for the
-- operation.
-- The caller switches the role in the same statement, because a security definer function cannot switch it. `reach` is
-- a digest of the networks that the key can access; a caller that sends two or more batches compares their digests to
-- detect changes in between. A caller that reads live records with history passes `needs_settled` and gets `settled`:
-- the instant up to which all changes in the organization are settled, determined before any guarded data is read.
create or replace function app.enter(
  presented_hash bytea, required_role public.role, deadline_ms integer,
  needs_all_networks boolean default false, needs_settled boolean default false)
returns table (key_id uuid, organization_id uuid, reach text, key_role public.role, settled timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys;
begin
  -- A wait for a lock times out before the statement does, and the statement times out before the caller gives up. This
  -- order lets the caller know that nothing was committed, and why.
  perform set_config('app.key_hash', encode(presented_hash, 'hex'), true),
    set_config('lock_timeout', (deadline_ms - least(1000, deadline_ms / 4))::text, true);
  presented := app.presented_key();
  if presented.id is null then
    perform app.abort('auth_not_authenticated');
  end if;
  if presented.role < required_role then
    perform app.abort('auth_permission_denied',
      jsonb_build_object('required_role', required_role, 'role', presented.role));
  end if;
  if needs_all_networks and presented.is_limited_to_networks then
    perform app.abort('auth_scope_denied');
  end if;

  -- Written at most once a minute, and without waiting for another request with the same key.
  if presented.last_used_at is null or presented.last_used_at < now() - interval '1 minute' then
    update public.user_api_keys as key set last_used_at = now()
    where key.organization_id = presented.organization_id and key.id = (
      select locked.id from public.user_api_keys as locked
      where locked.organization_id = presented.organization_id and locked.id = presented.id
      for no key update skip locked);
  end if;

  -- Without this, Postgres would start parallel workers for each count in a large organization, and starting them takes
  -- more time than they save. If no index applies, Postgres still scans the table. Before version 18, the inflated cost
  -- of such a scan triggers JIT compilation, which takes longer than the statement.
  perform set_config('TimeZone', 'UTC', true),
    set_config('statement_timeout', (deadline_ms - least(500, deadline_ms / 8))::text, true),
    set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true);
  if needs_settled then
    settled := coalesce(app.settled_of(presented.organization_id),
      date_trunc('milliseconds', clock_timestamp()) - interval '1 millisecond');
    perform set_config('app.settled', settled::text, true);
  end if;
  key_id := presented.id;
  organization_id := presented.organization_id;
  key_role := presented.role;
  reach := 'all';
  if presented.is_limited_to_networks then
    reach := encode(sha256(convert_to(app.network_ids()::text, 'UTF8')), 'hex');
  end if;
  return next;
end
$$;
