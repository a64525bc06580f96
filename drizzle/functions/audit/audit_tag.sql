-- What was changed of a tag, for the audit log.
create or replace function app.audit_tag() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.audit_changed('Tag', new.organization_id, new.id, new.name, null, array[
    case when new.color is distinct from old.color then 'color' end,
    case when new.description is distinct from old.description then 'description' end,
    case when new.name is distinct from old.name then 'name' end]);
  return null;
end
$$;
