-- Overwrites history columns that a caller sets on insert. Only a discovery can set `last_seen_at`, as it may have seen
-- the record some time ago; a record created by a user is treated as seen now. Fires for callers only. For the owner,
-- who seeds data and stores versions, these columns keep the values written.
create or replace function app.refuse_written_history() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.valid_from := null;
  new.valid_to := null;
  new.lineage_id := null;
  if new.first_discovery_id is null or new.last_seen_at > clock_timestamp() + interval '1 second' then
    new.last_seen_at := null;
  end if;
  new.created_at := now();
  new.updated_at := new.created_at;
  new.revision := 1;
  return new;
end
$$;
