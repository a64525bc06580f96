-- Aborts the transaction, because it would exceed the maximum number of records that callers can create in an
-- organization. Commands and cascades write as the owner and are not counted.
create or replace function app.refuse_too_many(what text, maximum integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
    jsonb_build_array(jsonb_build_object('path', 'body', 'code', 'too_big', 'message',
      format('would exceed the maximum of %s %s: remove some first', to_char(maximum, 'FM999,999'), what)))));
end
$$;

grant execute on function app.refuse_too_many to inventory_api;
