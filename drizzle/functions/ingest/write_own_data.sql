-- Stores planned changes to the external ids, the metadata and the tags of hosts: see app.plan_own_data. An update
-- without a change would report a change to a set, so hosts of which only tags change are not updated here.
create or replace function app.write_own_data(context app.ingest_context, planned jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  update public.hosts as known set external_id = new.external_id, metadata = new.metadata
  from jsonb_to_recordset(planned) as new (id uuid, external_id text, metadata jsonb)
  where known.organization_id = (select context.organization_id) and known.current_id = new.id
    and (known.external_id, known.metadata) is distinct from (new.external_id, new.metadata);
  delete from public.host_tags as tagged
  using jsonb_to_recordset(planned) as new (id uuid, removed uuid[])
  where tagged.organization_id = (select context.organization_id) and tagged.host_id = new.id
    and tagged.tag_id = any (new.removed);
  insert into public.host_tags (organization_id, host_id, tag_id)
  select (select context.organization_id), new.id, unnest(new.added)
  from jsonb_to_recordset(planned) as new (id uuid, added uuid[]);
end
$$;

grant execute on function app.write_own_data to inventory_api;
