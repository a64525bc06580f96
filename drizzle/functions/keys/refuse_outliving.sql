-- A key hands on nothing that lasts longer than itself. `ends`: when what it gives ends; null for never.
create or replace function app.refuse_outliving(ends timestamptz) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  own timestamptz := (app.presented_key()).expires_at;
begin
  if own is not null and (ends is null or ends > own) then
    perform app.abort('auth_scope_denied');
  end if;
end
$$;

grant execute on function app.refuse_outliving(timestamptz) to inventory_api;
