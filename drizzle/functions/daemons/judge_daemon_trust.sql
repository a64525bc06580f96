-- Decides whether a daemon receives credentials, which its operator can then read. Only an Admin, who may change
-- credentials, can enable this. If another caller changes the origin of a daemon's URL, the daemon no longer receives
-- credentials.
create or replace function app.judge_daemon_trust() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    new.receives_credentials := coalesce(app.key_role() >= 'Admin', false);
  elsif coalesce(app.key_role() < 'Admin', true) then
    if new.receives_credentials and not old.receives_credentials then
      perform app.require_role('Admin');
    end if;
    new.receives_credentials := new.receives_credentials
      and app.origin_of(new.url) = app.origin_of(old.url);
  end if;
  return new;
end
$$;
