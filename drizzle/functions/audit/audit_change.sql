-- A field of a record that was changed, for the audit log. Arguments: the kind of the record, and the field. The first
-- field of a transaction, which mostly is the only one, needs no look at what it has written before.
create or replace function app.audit_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  kind constant text := tg_argv[0];
  fields constant text[] := array[tg_argv[1]];
  organization uuid;
  network uuid;
  who record;
begin
  if kind = 'Organization' then
    organization := new.id;
  else
    organization := new.organization_id;
  end if;
  if kind = 'Network' then
    network := new.id;
  elsif kind = 'Daemon' then
    network := new.network_id;
  end if;
  -- What our own triggers change goes on. What a foreign key clears is not told apart: its triggers fire at the end
  -- of the statement, at the same depth.
  if pg_trigger_depth() = 1 then
    perform app.bound_audit_entries(organization, 1);
    if coalesce(current_setting('app.is_audited', true), '') <> 'true' then
      who := app.current_actor(organization);
      insert into public.audit_entries (
        organization_id, at, action, entity, entity_id, network_id, label, changed,
        actor_type, actor_id, actor_name, request_id)
      select organization, date_trunc('milliseconds', greatest(clock_timestamp(), now())), 'updated', kind, new.id,
        network, new.name::text, fields, who.actor_type, who.actor_id, who.actor_name, who.request_id
      -- An organization that is deleted goes with its log.
      from public.organizations as owner where owner.id = organization;
      perform set_config('app.is_audited', 'true', true);
      return null;
    end if;
  end if;
  perform app.write_audit(
    organization, 'updated', kind, array[new.id], array[new.name::text], array[network], fields);
  return null;
end
$$;
