-- Sets `is_stale` on hosts that have not been seen for the number of hours configured for their network, and clears it
-- on hosts that are no longer stale because that number has changed (section 9 of the API contract). Changes at most
-- `maximum` hosts, all in the same organization, so that the transaction and its instant belong to that organization.
-- Checks at most `maximum_looked_at` hosts. Skips suspended organizations, whose daemons are not polled.
--
-- Organizations are checked in order, starting with the one least recently checked, and each is checked once per run. A
-- run begins with `run_began_at` null, and passes the returned `began_at` to its later calls. `has_more` is true if
-- another call is needed. `changed_organization` is the
-- organization whose hosts were changed; null if none were.
--
-- The sweep does not wait for locked rows. A walk over the hosts of an organization advances only once it has made all
-- changes that were due. So if no network has such a number when the walk reaches the end, no host is stale, and the
-- organization's row can be deleted.
create or replace function app.sweep_stale_hosts(
  run_began_at timestamptz, maximum integer, maximum_looked_at integer,
  out began_at timestamptz, out swept integer, out has_more boolean, out changed_organization uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- Maximum number of organizations that one call checks.
  maximum_organizations constant integer := 100;
  organizations integer := 0;
  hosts_left integer := maximum_looked_at;
  organization uuid;
  latest timestamptz;
  walk record;
  looked record;
  locked record;
begin
  -- A table contains the rows of all organizations, so this makes Postgres use an index wherever it can, as app.enter
  -- does.
  perform set_config('enable_seqscan', 'off', true);
  began_at := coalesce(run_began_at, clock_timestamp());
  swept := 0;
  has_more := false;
  for organization in
    select known.organization_id from app.stale_sweeps as known
    where known.looked_at < began_at and not app.is_suspended(known.organization_id)
    order by known.looked_at, known.organization_id limit maximum_organizations
  loop
    if swept > 0 or hosts_left <= 0 then
      has_more := true;
      exit;
    end if;
    organizations := organizations + 1;
    -- A transaction that deletes the organization locks the organization's own row first, and then its other rows.
    perform from public.organizations as owner where owner.id = organization for key share skip locked;
    continue when not found;
    select known.after_created_at, known.after_id into walk
    from app.stale_sweeps as known
    where known.organization_id = organization and known.looked_at < began_at
    for no key update skip locked;
    continue when not found;

    select count(*) as hosts,
      coalesce(array_agg(host.id) filter (where host.is_due), '{}') as due,
      (array_agg(host.created_at order by host.created_at desc, host.id desc))[1] as last_created_at,
      (array_agg(host.id order by host.created_at desc, host.id desc))[1] as last_id
    into looked
    from (
      select known.created_at, known.live_id as id,
        known.is_stale <> app.is_stale(known.last_seen_at, network.stale_after_hours) as is_due
      from public.hosts as known
      join public.networks as network
        on network.organization_id = known.organization_id and network.id = known.network_id
      where known.organization_id = organization and known.valid_to is null
        and (known.created_at, known.live_id) > (walk.after_created_at, walk.after_id)
      order by known.created_at, known.live_id limit hosts_left) as host;

    if looked.due <> '{}' then
      latest := app.latest_credible(organization);
      -- Hosts are locked in the order of their ids, as in all writers that lock several hosts. A host that has been
      -- seen in the meantime is checked again.
      select coalesce(array_agg(host.id), '{}') as ids,
        max(host.updated_at) filter (where host.updated_at < latest) + interval '1 millisecond' as earliest
      into locked
      from (
        select known.id, known.updated_at
        from public.hosts as known
        join public.networks as network
          on network.organization_id = known.organization_id and network.id = known.network_id
        where known.organization_id = organization and known.current_id = any (looked.due)
          and known.is_stale <> app.is_stale(known.last_seen_at, network.stale_after_hours)
        order by known.id limit maximum
        for no key update of known skip locked) as host;
      if locked.ids <> '{}' then
        perform app.changed_at(organization, locked.earliest);
        update public.hosts as known set is_stale = not known.is_stale
        where known.organization_id = organization and known.id = any (locked.ids);
        get diagnostics swept = row_count;
        changed_organization := organization;
      end if;
    end if;

    if swept < cardinality(looked.due) then
      update app.stale_sweeps as known set looked_at = clock_timestamp()
      where known.organization_id = organization;
    elsif looked.hosts >= hosts_left then
      update app.stale_sweeps as known
      set looked_at = clock_timestamp(), after_created_at = looked.last_created_at, after_id = looked.last_id
      where known.organization_id = organization;
    elsif exists (
      select from public.networks as network
      where network.organization_id = organization and network.stale_after_hours is not null)
    then
      update app.stale_sweeps as known
      set looked_at = clock_timestamp(), after_created_at = default, after_id = default
      where known.organization_id = organization;
    else
      delete from app.stale_sweeps as known where known.organization_id = organization;
    end if;
    hosts_left := hosts_left - looked.hosts;
  end loop;
  has_more := has_more or swept > 0 or organizations = maximum_organizations or hosts_left <= 0;
end
$$;

grant execute on function app.sweep_stale_hosts to inventory_poller;
