-- Has the audit log tell of a table: the kind of its records, and the columns whose changes it tells of, each with the
-- name of its field behind it where callers know it by another one, in the order of the
-- fields' names. What the poller learns of a daemon is no change.
create or replace procedure app.audit(audited regclass, kind text, fields text[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  columns text[] := array(select split_part(field, ' ', 1) from unnest(fields) as field);
begin
  -- The log of an organization begins and ends with it.
  if audited <> 'public.organizations'::regclass then
    execute format('
      create trigger audit_created after insert on %1$s
        referencing new table as changed for each statement execute function app.audit_records(%2$L)',
      audited, kind);
    execute format('
      create trigger audit_deleted after delete on %1$s
        referencing old table as changed for each statement execute function app.audit_records(%2$L)',
      audited, kind);
  end if;
  execute format('
    create trigger audit_changed after update on %s
      for each row when (current_user <> ''inventory_poller'' and (%s) is distinct from (%s))
      execute function app.audit_change(%s)',
    audited,
    (select string_agg(format('new.%I', name), ', ') from unnest(columns) as name),
    (select string_agg(format('old.%I', name), ', ') from unnest(columns) as name),
    (select string_agg(quote_literal(argument), ', ') from unnest(kind || fields) as argument));
end
$$;
