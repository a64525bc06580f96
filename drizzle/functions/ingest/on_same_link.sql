-- Removes pairs whose link-local address is on another link. It compares the zone with which a program has just reached
-- the address and the zone recorded when discovery stored it. A matching MAC address outweighs the zone, which only the
-- program can interpret.
create or replace function app.on_same_link(
  context app.ingest_context, sent_addresses jsonb, pairs app.ingested_pair[])
returns app.ingested_pair[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select pair from unnest(pairs) as pair
    left join jsonb_to_recordset(sent_addresses) as sent (index int, position int, zone text)
      on sent.index = pair.index and sent.position = pair.position
    where sent.zone is null or pair.likeness = 2 or not app.is_link_local(pair.address) or not exists (
      select from public.ip_addresses as stored
      where stored.organization_id = (select context.organization_id) and stored.id = pair.address_id
        and stored.discovered->>'zone' <> sent.zone));
end
$$;

grant execute on function app.on_same_link to inventory_api;
