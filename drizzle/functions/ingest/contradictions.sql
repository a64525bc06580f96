-- Returns an issue for each host of the report that contradicts another one. Both are rejected, regardless of their
-- order. See also app.link_contradictions.
create or replace function app.contradictions(hosts app.ingested_host[], addresses app.ingested_address[])
returns app.ingested_issue[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    select (twice.index, 'same_address', twice.position,
      case twice.index when twice.first then twice.last else twice.first end)::app.ingested_issue
    from (
      select sent.index, sent.position, min(sent.index) over same as first,
        max(sent.index) over same as last
      from unnest(addresses) as sent where sent.identifies and not app.is_link_local(sent.address)
      window same as (partition by sent.address)) as twice
    where twice.first <> twice.last
    union all
    select (twice.index, 'same_id', null,
      case twice.index when twice.first then twice.last else twice.first end)::app.ingested_issue
    from (
      select sent.index, min(sent.index) over same as first, max(sent.index) over same as last
      from unnest(hosts) as sent where sent.told_id is not null
      window same as (partition by sent.told_id)) as twice
    where twice.first <> twice.last);
end
$$;

grant execute on function app.contradictions to inventory_api;
