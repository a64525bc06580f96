-- The instant at which a comparison ends. Transactions in progress may belong to networks that the key cannot access, so
-- if there are any, the comparison ends at the last change that the key can see.
create or replace function app.end_of_comparison(
  begins timestamptz, settled timestamptz, is_cut boolean, network uuid, entities text[], host uuid)
returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return greatest(
    begins, case when is_cut then app.last_change(begins, settled, network, entities, host) else settled end);
end
$$;

grant execute on function app.end_of_comparison to inventory_api;
