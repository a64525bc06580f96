-- Plans the subnets of a report, by their blocks. For an existing subnet, only the time of the last sighting changes. A
-- host's loopback block is not a subnet of the network, and is left out.
create or replace function app.plan_subnets(context app.ingest_context, sent_subnets jsonb)
returns app.ingested_record[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (null, sent.cidr::text, null, coalesce(known.id, app.uuid_v7()), known.id is null,
      jsonb_build_object('cidr', sent.cidr, 'name', sent.name, 'description', sent.description,
        'subnet_type', sent.subnet_type, 'sent', sent.sent), null)::app.ingested_record
    from (
      select distinct on (every.cidr) every.*,
        array_agg(every.position) over (partition by every.cidr) as sent
      from (
        select network(sent.cidr)::cidr as cidr, sent.name, sent.description, sent.subnet_type,
          sent.position
        from jsonb_to_recordset(sent_subnets)
          as sent (position int, cidr inet, name text, description text, subnet_type text)
        where not app.is_loopback(network(sent.cidr))) as every
      order by every.cidr, every.position) as sent
    left join public.subnets as known
      on known.organization_id = (select context.organization_id) and known.network_id = context.network_id
        and known.valid_to is null and known.cidr = sent.cidr);
end
$$;

grant execute on function app.plan_subnets to inventory_api;
