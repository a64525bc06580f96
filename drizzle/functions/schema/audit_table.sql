-- Has the audit log tell of a table: the kind of its records, and the columns whose changes it tells of, each with the
-- name of its field behind it where callers know it by another one. A trigger of its own for each field costs nothing
-- where that stays as it is, and need not compare rows. What the poller learns of a daemon is no change.
create or replace procedure app.audit_table(audited regclass, kind text, fields text[])
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  told record;
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
  for told in
    select split_part(each, ' ', -1) as field,
      string_agg(format('new.%I', split_part(each, ' ', 1)), ', ') as after,
      string_agg(format('old.%I', split_part(each, ' ', 1)), ', ') as before
    from unnest(fields) as each group by field
  loop
    execute format('
      create trigger audit_changed_%1$s after update on %2$s
        for each row when (current_user <> ''inventory_poller'' and (%3$s) is distinct from (%4$s))
        execute function app.audit_change(%5$L, %1$L)',
      told.field, audited, told.after, told.before, kind);
  end loop;
end
$$;
