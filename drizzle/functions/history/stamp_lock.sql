-- The key of the advisory lock on an organization's timestamp while its transaction is in progress: 22 bits for the
-- organization, 42 for the milliseconds since 1970. Organizations with the same bits delay each other's comparisons
-- (app.settled_until) for the duration of their changes.
create or replace function app.stamp_lock(organization uuid, stamp timestamptz) returns bigint
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return (hashtext(organization::text)::bigint & 4194303) << 42
    | ((extract(epoch from stamp) * 1000)::bigint & 4398046511103);
end
$$;
