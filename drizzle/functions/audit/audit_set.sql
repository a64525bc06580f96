-- Records of which a set was changed, for the audit log. Arguments: the kind of the records, their table, the column
-- that names them, the field, and the action, if it is another one than `updated`. What belonged to a deleted
-- record goes with its deletion.
--
-- A query for each table: Postgres plans it once for a connection, where one that is put together is planned anew for
-- each write, which takes longer than all else.
create or replace function app.audit_set() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_records refcursor;
  written record;
begin
  if not exists (select from changed) then
    return null;
  end if;
  case tg_argv[1]
    when 'credentials' then
      open found_records for
        select record.organization_id, array_agg(record.id) as ids, array_agg(record.name::text) as names,
          array_agg(null::uuid) as networks
        from public.credentials as record
        where (record.organization_id, record.id) in (
          select changed.organization_id, changed.credential_id from changed)
        group by record.organization_id;
    when 'daemons' then
      open found_records for
        select record.organization_id, array_agg(record.id) as ids, array_agg(record.name::text) as names,
          array_agg(record.network_id) as networks
        from public.daemons as record
        where (record.organization_id, record.id) in (
          select changed.organization_id, changed.daemon_id from changed)
        group by record.organization_id;
    when 'networks' then
      open found_records for
        select record.organization_id, array_agg(record.id) as ids, array_agg(record.name::text) as names,
          array_agg(record.id) as networks
        from public.networks as record
        where (record.organization_id, record.id) in (
          select changed.organization_id, changed.network_id from changed)
        group by record.organization_id;
    when 'user_api_keys' then
      open found_records for
        select record.organization_id, array_agg(record.id) as ids, array_agg(record.name::text) as names,
          array_agg(null::uuid) as networks
        from public.user_api_keys as record
        where (record.organization_id, record.id) in (
          select changed.organization_id, changed.api_key_id from changed)
        group by record.organization_id;
  end case;
  loop
    fetch found_records into written;
    exit when not found;
    if tg_op = 'INSERT' then
      perform app.bound_audit_entries(written.organization_id, cardinality(written.ids));
    end if;
    perform app.write_audit(written.organization_id, coalesce(tg_argv[4], 'updated'), tg_argv[0],
      written.ids, written.names, written.networks, array_remove(array[tg_argv[3]], ''));
  end loop;
  close found_records;
  return null;
end
$$;
