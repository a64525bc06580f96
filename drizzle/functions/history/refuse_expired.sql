-- Aborts the transaction, because the request reads history that the caller's organization no longer keeps.
create or replace function app.refuse_expired(code text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform app.abort(code, jsonb_build_object('history_from',
    to_char(app.history_from(app.organization_id()) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
end
$$;

grant execute on function app.refuse_expired to inventory_api;
