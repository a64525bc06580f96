-- Sets a new record's `created_at` to the timestamp from which it is valid, so that a list as of its `created_at`
-- includes it. The column's default is the start of the transaction, which may then wait for locks. Only the owner, who
-- seeds data, can set an earlier creation time.
create or replace function app.begin_record() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed_at timestamptz;
begin
  if new.valid_to is not null then
    new.last_seen_at := coalesce(new.last_seen_at, new.valid_to);
    return new;
  end if;
  if tg_argv[0] = 'host_id' then
    changed_at := app.change_host(new.organization_id, new.host_id);
  else
    changed_at := app.changed_at(new.organization_id);
  end if;
  if new.valid_from is null then
    new.valid_from := changed_at;
    if new.created_at < date_trunc('milliseconds', now()) then
      new.updated_at := greatest(new.updated_at, changed_at);
    else
      new.created_at := changed_at;
      new.updated_at := changed_at;
    end if;
  end if;
  new.last_seen_at := coalesce(new.last_seen_at, changed_at);
  return new;
end
$$;
