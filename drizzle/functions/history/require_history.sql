-- Ends the transaction where the history of the caller's organization is no longer whole from an instant on that the
-- caller has sent; or behind a position, with the `entity` of its cursor. Goes behind what reads history: app.sweep_history
-- moves the limit before it deletes, so what was read is whole where this finds no fault.
create or replace function app.require_history(instant timestamptz, entity text default null) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  organization constant uuid := app.organization_id();
  -- Between changes of one instant, those before it must be there as well.
  needed constant timestamptz := case when entity <> '~' then instant - interval '1 millisecond' else instant end;
begin
  if needed < app.history_from(organization) and (entity is null or needed < app.kept_from(organization)) then
    perform app.refuse_expired(case when entity is null then 'history_expired' else 'cursor_expired' end);
  end if;
end
$$;

grant execute on function app.require_history(timestamptz, text) to inventory_api;
