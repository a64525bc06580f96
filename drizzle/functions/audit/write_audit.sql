-- Writes an action on records of one kind to the audit log, with their current names. For each record and action, a
-- transaction writes one entry, with all changed fields. Changes to a record that the same transaction created belong
-- to its creation, except for assignments.
create or replace function app.write_audit(
  organization uuid, made text, kind text, ids uuid[], names text[], networks uuid[], fields text[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  instant constant timestamptz := date_trunc('milliseconds', greatest(clock_timestamp(), now()));
  began constant timestamptz := date_trunc('milliseconds', now());
  known uuid[] := '{}';
  incomplete uuid[];
  who record;
begin
  -- The setting app.is_audited only saves a query. If a session clears it, changes that this transaction has made to
  -- the same record get separate entries.
  if made not in ('created', 'deleted') and current_setting('app.is_audited', true) = 'true' then
    select coalesce(array_agg(entry.entity_id), '{}'),
      array_agg(entry.entity_id) filter (where entry.action = made and not entry.changed @> fields)
    into known, incomplete
    from public.audit_entries as entry
    where entry.organization_id = organization and entry.entity_id = any (ids) and entry.at >= began
      and entry.entity = kind and entry.xmin = pg_current_xact_id()::xid
      and (entry.action = made or (entry.action = 'created' and made in ('updated', 'rotated')));
    if incomplete is not null then
      update public.audit_entries as entry
      set changed = array(
        select distinct field.name from unnest(entry.changed || fields) as field (name) order by field.name)
      where entry.organization_id = organization and entry.entity_id = any (incomplete) and entry.at >= began
        and entry.entity = kind and entry.xmin = pg_current_xact_id()::xid and entry.action = made;
    end if;
    if cardinality(ids) = 1 and known <> '{}' then
      return;
    end if;
  end if;
  who := app.current_actor(organization);
  insert into public.audit_entries (
    organization_id, at, action, entity, entity_id, network_id, label, changed,
    actor_type, actor_id, actor_name, request_id)
  select organization, instant, made, kind, record.id, record.network_id, record.name, fields,
    who.actor_type, who.actor_id, who.actor_name, who.request_id
  -- When an organization is deleted, so is its log.
  from public.organizations as owner
  cross join unnest(ids, names, networks) as record (id, name, network_id)
  where owner.id = organization and app.is_kept(owner.id) and record.id <> all (known);
  perform set_config('app.is_audited', 'true', true);
end
$$;
