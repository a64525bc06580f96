-- Returns an issue for each host of the report that contradicts another one with the same link-local address. Two such
-- hosts are different if their links differ, according to their zones, or if their MAC addresses differ.
create or replace function app.link_contradictions(sent_addresses jsonb, addresses app.ingested_address[])
returns app.ingested_issue[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (twice.index, 'same_address', twice.position,
      case when twice.first_of_mac = twice.last_of_mac
        then case twice.index when twice.first then twice.last else twice.first end
        else case twice.index when twice.first_of_mac then twice.last_of_mac else twice.first_of_mac end
        end)::app.ingested_issue
    from (
      select sent.index, sent.position, min(sent.index) over same as first, max(sent.index) over same as last,
        bool_or(sent.mac is null) over same as is_unclear,
        min(sent.index) over same_mac as first_of_mac, max(sent.index) over same_mac as last_of_mac
      from unnest(addresses) as sent
      left join jsonb_to_recordset(sent_addresses) as every (index int, position int, zone text)
        on every.index = sent.index and every.position = sent.position
      where sent.identifies and app.is_link_local(sent.address)
      window same as (partition by sent.address, every.zone),
        same_mac as (partition by sent.address, every.zone, sent.mac)) as twice
    where twice.first_of_mac <> twice.last_of_mac or (twice.is_unclear and twice.first <> twice.last));
end
$$;

grant execute on function app.link_contradictions to inventory_api;
