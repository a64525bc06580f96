-- The instants of a comparison, whether sent directly or given as the ends of scans: its start, and the instant up to
-- which everything is settled (app.settled_until). Aborts the transaction if the comparison ends before it starts, or
-- would read too much.
create or replace function app.compared(
  from_at timestamptz, from_scan uuid, to_at timestamptz, to_scan uuid, network uuid, entities text[], host uuid,
  out begins timestamptz, out settled timestamptz, out is_cut boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  asked constant timestamptz := case when to_scan is null then coalesce(to_at, 'infinity')
    else app.instant_of_scan(to_scan, 'to_session') end;
begin
  begins := case when from_scan is null then from_at else app.instant_of_scan(from_scan, 'from_session') end;
  if asked < begins then
    perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
      jsonb_build_array(jsonb_build_object('path', case when to_scan is null then 'query.to' else 'query.to_session' end,
        'code', 'custom', 'message', 'must not be before the start of the comparison'))));
  end if;
  select known.settled, known.is_cut into settled, is_cut from app.settled_until(asked) as known;
  perform app.bound_diff(begins, settled, network, entities, host);
  -- Keeps the joins and groups in memory even with the maximum number of versions.
  perform set_config('work_mem', '32MB', true);
end
$$;

grant execute on function app.compared to inventory_api;
