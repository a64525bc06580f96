-- Ends the transaction: an index told of a version that was then not found. Nobody is told a change without what it was;
-- the caller may try again.
create or replace function app.lost_version() returns uuid
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'a version was not found that an index told of'
    using errcode = 'serialization_failure';
end
$$;

grant execute on function app.lost_version() to inventory_api;
