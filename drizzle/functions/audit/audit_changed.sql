-- Writes the changed fields of a record to the audit log; nulls in `fields` are skipped. The first change in a
-- transaction, usually the only one, does not have to read earlier entries. With `is_bound` false, the entry is written
-- even if the log is full.
--
-- The triggers that call this function fire for the columns that a statement sets. If an earlier trigger changes
-- another column, the new value must follow from one of the columns that the statement sets.
create or replace function app.audit_changed(
  kind text, organization uuid, record_id uuid, record_name text, network uuid, fields text[],
  is_bound boolean default true)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  told constant text[] := array_remove(fields, null);
  who record;
begin
  if told = '{}' then
    return;
  end if;
  -- Changes by the schema's own triggers are not limited. Fields cleared by a foreign key cannot be told apart from the
  -- caller's changes: the foreign key's triggers fire at the end of the statement, at the same depth.
  if pg_trigger_depth() = 1 then
    if is_bound then
      perform app.bound_audit_entries(organization, 1);
    end if;
    if coalesce(current_setting('app.is_audited', true), '') <> 'true' then
      who := app.current_actor(organization);
      insert into public.audit_entries (
        organization_id, at, action, entity, entity_id, network_id, label, changed,
        actor_type, actor_id, actor_name, request_id)
      select organization, date_trunc('milliseconds', greatest(clock_timestamp(), now())), 'updated', kind, record_id,
        network, record_name, told, who.actor_type, who.actor_id, who.actor_name, who.request_id
      -- When an organization is deleted, so is its log.
      from public.organizations as owner where owner.id = organization and app.is_kept(owner.id);
      perform set_config('app.is_audited', 'true', true);
      return;
    end if;
  end if;
  perform app.write_audit(
    organization, 'updated', kind, array[record_id], array[record_name], array[network], told);
end
$$;
