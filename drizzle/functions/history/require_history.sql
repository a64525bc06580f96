-- Aborts the transaction if the history of the caller's organization is no longer complete from `instant` on, or after
-- the position of a cursor, given with its `entity`. Runs after the statement that reads history: app.sweep_history
-- moves the limit before it deletes, so if this check passes, the read was complete.
create or replace function app.require_history(instant timestamptz, entity text default null) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  organization constant uuid := app.organization_id();
  -- To continue between changes at the same instant, the changes before that instant must be kept as well.
  needed constant timestamptz := case when entity <> '~' then instant - interval '1 millisecond' else instant end;
begin
  if needed < app.history_from(organization) and (entity is null or needed < app.kept_from(organization)) then
    perform app.refuse_expired(case when entity is null then 'history_expired' else 'cursor_expired' end);
  end if;
end
$$;

grant execute on function app.require_history to inventory_api;
