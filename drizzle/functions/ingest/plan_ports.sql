-- Ports of the planned hosts, by number and protocol.
create or replace function app.plan_ports(
  context app.ingest_context, sent_ports jsonb, planned_hosts app.ingested_record[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (sent.index, sent.number || '/' || sent.protocol, host.id,
      coalesce(stored.id, app.uuid_v7()), stored.id is null,
      jsonb_build_object('number', sent.number, 'protocol', sent.protocol), null)::app.ingested_record
    from jsonb_to_recordset(sent_ports) as sent (index int, number int, protocol text)
    join unnest(planned_hosts) as host on host.index = sent.index
    left join public.ports as stored on stored.organization_id = context.organization_id
      and stored.live_host_id = host.id and stored.number = sent.number
      and stored.protocol = sent.protocol);
end
$$;

grant execute on function app.plan_ports(app.ingest_context, jsonb, app.ingested_record[]) to inventory_api;
