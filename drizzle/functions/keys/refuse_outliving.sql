-- Prevents a key from granting anything that outlives the key itself. `ends`: when the grant ends, or null for never.
create or replace function app.refuse_outliving(ends timestamptz) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  own timestamptz := (app.presented_key()).expires_at;
begin
  if own is not null and (ends is null or ends > own) then
    perform app.abort('auth_scope_denied',
      jsonb_build_object('reason', 'expires_earlier',
      'expires_at', to_char(own at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  end if;
end
$$;

grant execute on function app.refuse_outliving to inventory_api;
