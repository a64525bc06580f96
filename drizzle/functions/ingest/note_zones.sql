-- Adds to each planned new address the zone with which a program reached it: see app.on_same_link.
create or replace function app.note_zones(sent_addresses jsonb, planned_addresses app.ingested_record[])
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (planned.index, planned.key, planned.host_id, planned.id, planned.is_new,
      case when planned.is_new and sent.zone is not null
        then planned.changes || jsonb_build_object('zone', sent.zone) else planned.changes end,
      planned.evidence)::app.ingested_record
    from unnest(planned_addresses) as planned
    left join jsonb_to_recordset(sent_addresses) as sent (index int, ip inet, zone text)
      on sent.index = planned.index and sent.ip = planned.key::inet);
end
$$;

grant execute on function app.note_zones to inventory_api;
