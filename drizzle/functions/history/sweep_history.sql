-- Deletes history that organizations no longer keep (section 11 of the API contract), at most `maximum` rows.
-- Organizations that are due are checked in order, starting with the one least recently checked. Returns the number of
-- deleted rows. Suspended organizations keep their history, since their webhooks deliver it when they are resumed.
--
-- The limit moves by whole days, and only if something ended before the new limit. It moves before anything is deleted,
-- and readers check it last (app.require_history). Versions that are valid at the limit are kept, and so is the newest
-- transaction up to it (app.kept_from).
create or replace function app.sweep_history(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- Maximum number of organizations that one sweep checks.
  maximum_looked_at constant integer := 100;
  relations constant text[] := array(select kind.relation from app.change_kinds() as kind)
    || '{closed_host_tags, closed_service_tags, closed_subnet_tags}';
  today constant timestamptz := date_trunc('day', now(), 'UTC');
  due record;
  target timestamptz;
  relation text;
  has_ended boolean;
  deleted integer;
  swept integer := 0;
begin
  for due in
    select known.id from (
      select owner.id, sweep.looked_at, sweep.swept_to,
        greatest(owner.history_from, today - make_interval(hours => 24 * owner.history_days)) as target
      from public.organizations as owner
      left join app.history_sweeps as sweep on sweep.organization_id = owner.id
      where owner.suspended_at is null) as known
    where known.target > coalesce(known.swept_to, '-infinity')
    order by known.looked_at nulls first, known.id limit maximum_looked_at
  loop
    exit when swept >= maximum;
    -- Read again, so that a changed number of days takes effect at once. The sweep does not wait for an organization
    -- that is locked by another sweep, a change or a deletion; the organization keeps its place in the order.
    select greatest(owner.history_from, today - make_interval(hours => 24 * owner.history_days)) into target
    from public.organizations as owner where owner.id = due.id for no key update skip locked;
    continue when target is null;
    insert into app.history_sweeps as sweep (organization_id, looked_at, transaction_id)
    values (due.id, clock_timestamp(), pg_current_xact_id())
    on conflict (organization_id) do update
      set looked_at = excluded.looked_at, transaction_id = excluded.transaction_id;
    if coalesce(app.history_from(due.id) < target, true) then
      foreach relation in array relations loop
        execute format('
          select exists (
            select from public.%I as ended
            where ended.organization_id = $1 and ended.valid_to is not null and ended.valid_to <= $2)', relation)
        into has_ended using due.id, target;
        exit when has_ended;
      end loop;
      if has_ended then
        update public.organizations as owner set history_from = target where owner.id = due.id;
      end if;
    end if;
    foreach relation in array relations loop
      exit when swept >= maximum;
      execute format('
        delete from public.%1$I as old where old.ctid = any (array(
          select ended.ctid from public.%1$I as ended
          where ended.organization_id = $1 and ended.valid_to is not null
            and ended.valid_to <= app.history_from($1)
          order by ended.valid_to limit $2))', relation)
      using due.id, maximum - swept;
      get diagnostics deleted = row_count;
      swept := swept + deleted;
    end loop;
    delete from public.transactions as old where old.ctid = any (array(
      select ended.ctid from public.transactions as ended
      where ended.organization_id = due.id and ended.changed_at < app.kept_from(due.id)
      order by ended.changed_at limit maximum - swept));
    get diagnostics deleted = row_count;
    swept := swept + deleted;
    if swept < maximum then
      update app.history_sweeps as sweep set swept_to = target where sweep.organization_id = due.id;
    end if;
  end loop;
  return swept;
end
$$;

grant execute on function app.sweep_history to inventory_poller;
