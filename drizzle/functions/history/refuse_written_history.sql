-- A discovery says when it saw what it creates, which may be some time ago; what a person creates is
-- seen now. Fires for callers alone: the owner, who seeds and keeps versions, writes them as they are.
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
