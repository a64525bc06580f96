-- Records of which a set was changed, for the audit log. Arguments: the kind of the records, their table, the column
-- that names them, the field, and the action, if it is another one than `updated`. What belonged to a deleted
-- record goes with its deletion.
create or replace function app.audit_set() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  written record;
begin
  if not exists (select from changed) then
    return null;
  end if;
  for written in execute format('
    select record.organization_id, array_agg(record.id) as ids, array_agg(record.name::text) as names,
      array_agg(%s::uuid) as networks
    from public.%I as record
    where (record.organization_id, record.id) in (select changed.organization_id, changed.%I from changed)
    group by record.organization_id',
    case tg_argv[0] when 'Network' then 'record.id' when 'Daemon' then 'record.network_id' else 'null' end,
    tg_argv[1], tg_argv[2])
  loop
    if tg_op = 'INSERT' then
      perform app.bound_audit_entries(written.organization_id, cardinality(written.ids));
    end if;
    perform app.write_audit(written.organization_id, coalesce(tg_argv[4], 'updated'), tg_argv[0],
      written.ids, written.names, written.networks, array_remove(array[tg_argv[3]], ''));
  end loop;
  return null;
end
$$;
