-- Returns the rows of app.changes that the visited webhook may see, by running as a role to which row-level security
-- applies.
create or replace function app.visited_changes(behind app.change_key, entities text[], kinds_of_change text[])
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, host_label text, has_more boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select * from app.changes(
    null, $1.at, $1.entity, $1.entity_id, 100, false, null, $2, null, null, $3, null);
end
$$;

alter function app.visited_changes owner to inventory_ingest;
