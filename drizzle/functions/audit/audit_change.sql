-- A record that was changed, for the audit log. Arguments: its kind, and columns, each with the name of its field
-- behind it where callers know it by another one.
create or replace function app.audit_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before constant jsonb := to_jsonb(old);
  after constant jsonb := to_jsonb(new);
  known text;
  field text;
  fields text[] := '{}';
begin
  foreach known in array tg_argv[1:] loop
    field := split_part(known, ' ', -1);
    if after -> split_part(known, ' ', 1) is distinct from before -> split_part(known, ' ', 1)
      and field <> all (fields)
    then
      fields := fields || field;
    end if;
  end loop;
  -- What a deletion leads to goes on: a foreign key that clears a field is a trigger of its own.
  if pg_trigger_depth() = 1 then
    perform app.bound_audit_entries(coalesce((after ->> 'organization_id')::uuid, new.id), 1);
  end if;
  perform app.write_audit(
    coalesce((after ->> 'organization_id')::uuid, new.id), 'updated', tg_argv[0], array[new.id],
    array[new.name::text],
    array[case tg_argv[0] when 'Network' then new.id else (after ->> 'network_id')::uuid end], fields);
  return null;
end
$$;
