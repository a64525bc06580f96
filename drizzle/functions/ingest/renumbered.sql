-- The rows with a key in `numbers`, with the number that it has there as `if_index`.
create or replace function app.renumbered(rows jsonb, numbers jsonb) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_agg(sent || jsonb_build_object('if_index', numbers->(sent->>'if_index'))), '[]')
  from jsonb_array_elements(rows) as sent
  where numbers ? (sent->>'if_index')
$$;

grant execute on function app.renumbered to inventory_api;
