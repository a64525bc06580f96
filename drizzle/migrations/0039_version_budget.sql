-- What one organization may add to its history in a day: every version stays for ever.
--
-- The most versions of records of the inventory that one organization begins in 24 hours.
create function app.maximum_versions_of_day() returns bigint
language sql immutable parallel safe
return 1000000;
--> statement-breakpoint

-- How many versions an organization has begun in an hour, and tags that it has put on records, in as many
-- counters as it had writers at once: each takes one that is free, so none waits for another to commit.
create table app.version_counters (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  hour timestamptz not null,
  id bigint generated always as identity,
  versions bigint not null check (versions > 0),
  primary key (organization_id, hour, id)
) with (fillfactor = 50);
--> statement-breakpoint
create index version_counters_hour_index on app.version_counters (hour);
--> statement-breakpoint

-- The versions of an organization that count. An hour counts until it began 24 hours ago. Not in SQL, as
-- that would be planned for each change.
create function app.counted_versions(organization uuid) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce((
    select sum(counter.versions) from app.version_counters as counter
    where counter.organization_id = organization and counter.hour > now() - interval '24 hours'), 0);
end
$$;
--> statement-breakpoint

-- Counts versions that this transaction begins, and ends it where they are too many. One that is ended counts
-- nothing. Writers at the same moment do not see each other's.
create function app.count_versions(organization uuid, begun bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  this_hour constant timestamptz := date_trunc('hour', now(), 'UTC');
  maximum constant bigint := app.maximum_versions_of_day();
  counted bigint;
  free_at timestamptz;
begin
  update app.version_counters as counter set versions = counter.versions + begun
  where counter.organization_id = organization and counter.hour = this_hour and counter.id = (
    select free.id from app.version_counters as free
    where free.organization_id = organization and free.hour = this_hour
    limit 1 for no key update skip locked);
  if not found then
    insert into app.version_counters (organization_id, hour, versions)
    values (organization, this_hour, begun);
  end if;
  counted := app.counted_versions(organization);
  if counted > maximum then
    -- When so many of the oldest no longer count that there is room.
    select counter.hour + interval '24 hours' into free_at from (
      select known.hour, sum(sum(known.versions)) over (order by known.hour) as ended
      from app.version_counters as known
      where known.organization_id = organization and known.hour > now() - interval '24 hours'
      group by known.hour) as counter
    where counted - counter.ended <= maximum
    order by counter.hour limit 1;
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'versions_of_organization',
      'retry_after_seconds', greatest(1, ceil(extract(epoch from free_at - now())))::integer));
  end if;
end
$$;
--> statement-breakpoint

-- A sample: one version of a hundred counts for all of them, as to count each would take a tenth of a single
-- write. Of a million that is off by one percent on average. A new UUID draws it, as who writes SQL sets the
-- seed of random().
create function app.count_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.count_versions(new.organization_id, 100);
  return null;
end
$$;
--> statement-breakpoint
-- The owner's commands are not counted, nor are closed versions, which it writes as well. Where the
-- organization has begun all of a day (app.changed_at), the next version is one too many. A tag counts as
-- it is put on a record: each of those that history keeps was put there once, and to take one off, which a
-- deletion does too, is never refused.
do $$
declare
  record_table name;
  counted constant text := 'current_user in (''inventory_api'', ''inventory_ingest'')
    and (uuid_hash(gen_random_uuid()) % 100 = 0 or current_setting(''app.versions_are_spent'', true) = ''true'')';
begin
  foreach record_table in array
    array['subnets', 'hosts', 'ip_addresses', 'ports', 'services', 'bindings']
  loop
    execute format('create trigger count_begun after insert on %I for each row when (%s)
      execute function app.count_version()', record_table, counted);
    execute format('create trigger count_changed after update on %I for each row
      when (new.valid_from is distinct from old.valid_from and %s)
      execute function app.count_version()', record_table, counted);
  end loop;
  foreach record_table in array array['subnet_tags', 'host_tags', 'service_tags'] loop
    execute format('create trigger count_begun after insert on %I for each row when (%s)
      execute function app.count_version()', record_table, counted);
  end loop;
end
$$;
--> statement-breakpoint

-- As in migration `inventory`, but the first change of a transaction looks whether the organization may still
-- begin versions. It does not refuse itself: deletions, and what is only seen again, begin none.
create or replace function app.changed_at(organization uuid, earliest timestamptz default null)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  fixed timestamptz := nullif(current_setting('app.changed_at', true), '')::timestamptz;
begin
  -- Anybody may set the setting, but not to change the past.
  if fixed >= date_trunc('milliseconds', now()) and fixed < clock_timestamp() + interval '1 second' then
    return fixed;
  end if;
  perform pg_advisory_xact_lock_shared(20261121, hashtext(organization::text));
  fixed := date_trunc('milliseconds', clock_timestamp());
  -- Changes that follow each other within a millisecond run ahead of the clock a little; a row of the
  -- far future, from a clock that was wrong, must not take all others with it.
  if earliest < fixed + interval '1 second' then
    fixed := greatest(fixed, earliest);
  end if;
  perform set_config('app.changed_at', fixed::text, true);
  if app.counted_versions(organization) >= app.maximum_versions_of_day() then
    perform set_config('app.versions_are_spent', 'true', true);
  end if;
  return fixed;
end
$$;
--> statement-breakpoint
revoke execute on function app.maximum_versions_of_day(), app.counted_versions(uuid),
  app.count_versions(uuid, bigint), app.count_version() from public;
--> statement-breakpoint

-- Addresses outlive their subnet, and its change. Their hosts are locked in order, and before the
-- timestamp of the change is fixed. A host has an address once in no subnet: one that would be a
-- second there keeps its subnet from going. Where discovery had placed one, its new place is discovery's
-- to change too. They begin versions, which count where a subnet changes.
create or replace function app.leave_subnet(organization uuid, left_id uuid, held cidr) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  earliest timestamptz;
  stuck bigint;
  moved bigint;
begin
  select max(locked.updated_at) + interval '1 millisecond' into earliest from (
    select host.updated_at from public.hosts as host
    where host.organization_id = organization and host.current_id in (
      select leaving.host_id from app.leaving_subnet(organization, left_id, held) as leaving)
      and host.updated_at < clock_timestamp() + interval '1 second'
    order by host.id for no key update) as locked;
  perform app.changed_at(organization, earliest);
  select count(*) into stuck
  from app.leaving_subnet(organization, left_id, held) as leaving
  join public.ip_addresses as double
    on double.organization_id = organization and double.live_host_id = leaving.host_id
      and double.subnet_id is null and double.address = leaving.address
  where leaving.home is null;
  if stuck > 0 then
    perform app.abort('entity_in_use', jsonb_build_object(
      'entity', 'Subnet', 'id', left_id, 'used_by', jsonb_build_object('addresses', stuck)));
  end if;
  update public.ip_addresses as address set subnet_id = leaving.home,
    discovered = case when to_jsonb(address.subnet_id) = address.discovered->'subnet_id'
      then address.discovered || jsonb_build_object('subnet_id', leaving.home)
      else address.discovered end
  from app.leaving_subnet(organization, left_id, held) as leaving
  where address.organization_id = organization and address.id = leaving.id;
  get diagnostics moved = row_count;
  -- A deletion is never refused, nor is the owner, who has no organization.
  if moved > 0 and held is not null and app.organization_id() is not null then
    perform app.count_versions(organization, moved);
  end if;
end
$$;
--> statement-breakpoint

-- Deletes so many counters at most that count no more. Returns how many.
create function app.sweep_version_counters(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
begin
  delete from app.version_counters as old where old.ctid = any (array(
    select due.ctid from app.version_counters as due
    where due.hour <= now() - interval '24 hours'
    order by due.hour limit maximum for update skip locked));
  get diagnostics swept = row_count;
  return swept;
end
$$;
--> statement-breakpoint
grant execute on function app.sweep_version_counters(integer) to inventory_poller;
