-- Aborts the transaction if more versions began or ended between two instants than a comparison may read, or if the
-- organization already has the maximum number of large comparisons in progress. The count uses indexes and stops at one
-- beyond the maximum: each partial count is limited to what remains after the previous counts.
create or replace function app.bound_diff(
  from_at timestamptz, to_at timestamptz, network uuid, entities text[], host uuid)
returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := app.maximum_versions_of_diff();
  -- Beyond `large` versions, a comparison takes a second or more, so at most `at_once` such comparisons run at a time.
  large constant integer := 50000;
  at_once constant integer := 2;
  seconds constant integer := 5;
  condition text;
  counted integer;
  total integer := 0;
begin
  for condition in
    select format('public.%I as version where %s%s%s', kind.relation, edge.condition,
      case when network is not null then ' and version.network_id = $4' end,
      case when host is not null then ' and ' || app.may_be_of_host(kind.entity, '$3') end)
    from app.change_kinds() as kind
    cross join unnest(array[
      'version.valid_to is null and version.valid_from > $1 and version.valid_from <= $2',
      'version.valid_to is not null and version.valid_from > $1 and version.valid_from <= $2',
      'version.valid_to > $1 and version.valid_to <= $2 and version.valid_from <= $1']) as edge (condition)
    where (entities is null or kind.entity = any (entities))
      and (host is null or app.may_be_of_host(kind.entity, '$3') is not null)
  loop
    execute format('select count(*)::integer from (select from %s limit $5) as version', condition)
    into counted using from_at, to_at, host, network, maximum + 1 - total;
    total := total + counted;
    if total > maximum then
      perform app.abort('range_too_large', jsonb_build_object('versions', total, 'maximum', maximum));
    end if;
  end loop;
  if total > large and not exists (
    select from generate_series(1, at_once) as slot
    -- app.settled_until and app.settled_of read two-integer keys with a different first integer.
    where pg_try_advisory_xact_lock(20261126, hashtext(concat_ws(' ', app.organization_id(), slot))))
  then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('retry_after_seconds', seconds));
  end if;
end
$$;

grant execute on function app.bound_diff to inventory_api;
