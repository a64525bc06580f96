-- Replaces up to `maximum` rows that have not been folded, and the earlier sums of their records, with new sums. A sum
-- of zero is not kept. Returns the number of rows that have been folded.
--
-- The sum of all rows is the same in every snapshot, before and after. Several calls may run at the same time: each skips
-- rows that another one has locked, and a later call folds two sums of the same records into one.
create or replace function app.fold_count_deltas(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  folded integer;
begin
  -- As in app.enter, Postgres uses an index wherever it can.
  perform set_config('enable_seqscan', 'off', true);
  with taken as (
    delete from public.count_deltas as delta where delta.ctid = any (array(
      select unfolded.ctid from public.count_deltas as unfolded
      -- A transaction that deletes an organization locks the organization first, and then its other rows.
      join public.organizations as owner on owner.id = unfolded.organization_id
      where not unfolded.is_folded
      limit maximum
      for update of unfolded skip locked for key share of owner skip locked))
    returning delta.organization_id, delta.kind, delta.network_id, delta.change),
  earlier as (
    delete from public.count_deltas as delta where delta.ctid = any (array(
      select former.ctid from public.count_deltas as former
      join (select distinct taken.organization_id, taken.kind, taken.network_id from taken) as changed
        using (organization_id, kind, network_id)
      where former.is_folded
      for update of former skip locked))
    returning delta.organization_id, delta.kind, delta.network_id, delta.change),
  kept as (
    insert into public.count_deltas (organization_id, kind, network_id, change, is_folded)
    select deleted.organization_id, deleted.kind, deleted.network_id, sum(deleted.change), true
    from (select * from taken union all select * from earlier) as deleted
    group by deleted.organization_id, deleted.kind, deleted.network_id
    having sum(deleted.change) <> 0)
  select count(*) into folded from taken;
  return folded;
end
$$;

grant execute on function app.fold_count_deltas to inventory_poller;
