-- Aborts a transaction that has read from the beginning of the kept history, if that beginning has moved in the
-- meantime. The caller may retry.
create or replace function app.refuse_moved_history(oldest timestamptz) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if app.history_from(app.organization_id()) is distinct from oldest then
    raise exception 'the kept history has changed at the same time'
      using errcode = 'serialization_failure';
  end if;
end
$$;

grant execute on function app.refuse_moved_history to inventory_api;
