-- Increments `revision` and advances `updated_at` on every visible change to a record, for every role. `updated_at` is
-- the instant at which this writer has the row locked, not the start of its transaction: a transaction that began
-- earlier may get the row later.
create or replace function app.touch() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.revision := old.revision + 1;
  new.updated_at := greatest(
    date_trunc('milliseconds', clock_timestamp()), old.updated_at + interval '1 millisecond');
  return new;
end
$$;
