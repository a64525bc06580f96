-- Sets a record tag's `valid_from` to the timestamp of the change that adds it. Arguments: the table of the records,
-- and the column that references the record.
create or replace function app.begin_tag() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  earliest timestamptz;
begin
  if nullif(current_setting('app.changed_at', true), '') is null then
    -- The change to the record follows, and its timestamp must be later than that of the record's previous change.
    execute format('
      select record.updated_at + interval ''1 millisecond'' from public.%I as record
      where record.organization_id = $1 and record.current_id = ($2).%I for no key update',
      tg_argv[0], tg_argv[1])
    into earliest using new.organization_id, new;
  end if;
  new.valid_from := app.changed_at(new.organization_id, earliest);
  return new;
end
$$;
