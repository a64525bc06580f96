-- The advisory lock of a timestamp of an organization, under way: 22 bits tell the organization, 42 the milliseconds
-- since 1970. Organizations with the same bits delay each other's differences (app.settled_until) by as much as their
-- changes take.
create or replace function app.stamp_lock(organization uuid, stamp timestamptz) returns bigint
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return (hashtext(organization::text)::bigint & 4194303) << 42
    | ((extract(epoch from stamp) * 1000)::bigint & 4398046511103);
end
$$;
