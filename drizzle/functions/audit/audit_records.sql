-- Logs created and deleted records. The argument is their kind.
create or replace function app.audit_records() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  written record;
begin
  for written in
    select changed.organization_id, array_agg(changed.id) as ids, array_agg(changed.name::text) as names,
      array_agg(case tg_argv[0] when 'Network' then changed.id
        when 'Daemon' then (to_jsonb(changed) ->> 'network_id')::uuid end) as networks
    from changed group by changed.organization_id
  loop
    if tg_op = 'INSERT' then
      perform app.bound_audit_entries(written.organization_id, cardinality(written.ids));
    end if;
    perform app.write_audit(written.organization_id, case tg_op when 'INSERT' then 'created' else 'deleted' end,
      tg_argv[0], written.ids, written.names, written.networks, '{}');
  end loop;
  return null;
end
$$;
