-- The gate of operators: the first statement of their batches after the one that sets the role. It aborts the
-- transaction unless the operator key is valid, and returns the id of the key. It gives no access to any table: every
-- function for operators looks up the key itself.
create or replace function app.enter_operator(presented_hash bytea, deadline_ms integer) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented app.operator_keys;
begin
  -- As in app.enter: a wait for a lock times out before the statement does.
  perform set_config('app.key_hash', encode(presented_hash, 'hex'), true),
    set_config('lock_timeout', (deadline_ms - least(1000, deadline_ms / 4))::text, true);
  presented := app.presented_operator();
  -- Written at most once a minute, and without waiting for another request with the same key.
  if presented.last_used_at is null or presented.last_used_at < now() - interval '1 minute' then
    update app.operator_keys as key set last_used_at = now()
    where key.id = (
      select locked.id from app.operator_keys as locked
      where locked.id = presented.id for no key update skip locked);
  end if;
  perform set_config('TimeZone', 'UTC', true),
    set_config('statement_timeout', (deadline_ms - least(500, deadline_ms / 8))::text, true),
    set_config('jit', 'off', true);
  return presented.id;
end
$$;

grant execute on function app.enter_operator to inventory_api;
