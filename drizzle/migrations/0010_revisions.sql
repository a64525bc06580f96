-- `revision` rises with every visible change of a record, and `updated_at` with it (migration
-- `hardening`), whoever writes.
create or replace function app.touch() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.revision := old.revision + 1;
  new.updated_at := greatest(
    date_trunc('milliseconds', clock_timestamp()), old.updated_at + interval '1 millisecond');
  return new;
end
$$;
--> statement-breakpoint
-- A poll changes what is shown of a daemon, but nothing that somebody has written.
create function app.revise() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  new.revision := old.revision + 1;
  return new;
end
$$;
--> statement-breakpoint
create trigger revise before update on daemons for each row
  when (current_user = 'inventory_poller' and (
    new.version, new.last_seen_at, new.consecutive_failures, new.unreachable_since, new.last_error,
    new.last_error_http_status, new.last_error_at, new.next_poll_at
  ) is distinct from (
    old.version, old.last_seen_at, old.consecutive_failures, old.unreachable_since, old.last_error,
    old.last_error_http_status, old.last_error_at, old.next_poll_at))
  execute function app.revise();
--> statement-breakpoint

-- A closed version keeps the revision that it had.
create or replace function app.keep_binding_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  closed_at timestamptz;
begin
  if tg_op = 'UPDATE' then
    closed_at := new.valid_from;
  else
    -- The organization goes with all its history.
    if not exists (select from public.organizations where id = old.organization_id) then
      return null;
    end if;
    if old.valid_to is not null then
      raise exception 'a closed version of a binding is history and cannot be deleted'
        using errcode = 'restrict_violation';
    end if;
    closed_at := greatest(date_trunc('milliseconds', clock_timestamp()), old.valid_from);
  end if;
  -- A version that lasted no time was never visible.
  if closed_at > old.valid_from then
    insert into public.bindings (
      created_at, updated_at, revision, organization_id, type, service_id, network_id, port_id,
      ip_address_id, last_seen_at, valid_from, valid_to, first_discovery_id, last_discovery_id,
      lineage_id)
    values (
      old.created_at, old.updated_at, old.revision, old.organization_id, old.type, old.service_id,
      old.network_id, old.port_id, old.ip_address_id, old.last_seen_at, old.valid_from, closed_at,
      old.first_discovery_id, old.last_discovery_id, old.id);
  end if;
  return null;
end
$$;
--> statement-breakpoint

-- A set of a record is part of it: what changes the set changes the record. Arguments: the table of
-- the records, and the column that names them. Records that this transaction has written before have
-- got their new revision with that; a deleted record needs none. Locks are taken in the order of ids.
create function app.revise_owners() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('
    with stale as (
      select record.organization_id, record.id from public.%1$I as record
      where (record.organization_id, record.id) in (select organization_id, %2$I from changed)
        and (record.xmin <> pg_current_xact_id()::xid or %3$s)
      order by record.id for no key update)
    update public.%1$I as record set revision = record.revision from stale
    where record.organization_id = stale.organization_id and record.id = stale.id',
    tg_argv[0], tg_argv[1],
    -- The gate has written when the key was used, for which its revision does not rise.
    case tg_argv[0] when 'user_api_keys' then 'record.last_used_at = now()::timestamptz(3)'
      else 'false' end);
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  part record;
begin
  for part in
    select * from (values
      ('credential_tags', 'credentials', 'credential_id'),
      ('credential_networks', 'credentials', 'credential_id'),
      ('credential_networks', 'networks', 'network_id'),
      ('credential_hosts', 'credentials', 'credential_id'),
      ('credential_host_ip_addresses', 'credentials', 'credential_id'),
      ('network_tags', 'networks', 'network_id'),
      ('daemon_tags', 'daemons', 'daemon_id'),
      ('user_api_key_networks', 'user_api_keys', 'api_key_id')
    ) as parts (child, owner, owner_id)
  loop
    execute format('create trigger revise_%2$s_inserted after insert on %1$I
      referencing new table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L)', part.child, part.owner, part.owner_id);
    execute format('create trigger revise_%2$s_updated after update on %1$I
      referencing new table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L)', part.child, part.owner, part.owner_id);
    execute format('create trigger revise_%2$s_deleted after delete on %1$I
      referencing old table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L)', part.child, part.owner, part.owner_id);
  end loop;
end
$$;
--> statement-breakpoint

-- The entity tag of a record, quotes included (RFC 9110, 8.8.3): strong and opaque. The time of its
-- creation is in it, so that a record under the id of a deleted one never has a tag of that one.
create function app.etag(created_at timestamptz, revision bigint) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select '"' || to_hex((extract(epoch from created_at) * 1000)::bigint) || '-' || to_hex(revision) || '"'
$$;
--> statement-breakpoint

-- Locks records of the caller's organization, always in the same order: what changes sets on both
-- sides, or deletes what sets refer to, locks here first all that it will write, and so never
-- deadlocks with another that does. Tags are only kept from being deleted, as a set refers to them.
create function app.lock_records(
  tag_ids uuid[] default '{}', credential_ids uuid[] default '{}', daemon_ids uuid[] default '{}',
  network_ids uuid[] default '{}', key_ids uuid[] default '{}')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
  perform from public.tags as record
  where record.organization_id = organization and record.id = any (tag_ids)
  order by record.id for key share;
  perform from public.credentials as record
  where record.organization_id = organization and record.id = any (credential_ids)
  order by record.id for no key update;
  perform from public.daemons as record
  where record.organization_id = organization and record.id = any (daemon_ids)
  order by record.id for no key update;
  perform from public.networks as record
  where record.organization_id = organization and record.id = any (network_ids)
  order by record.id for no key update;
  perform from public.user_api_keys as record
  where record.organization_id = organization and record.id = any (key_ids)
  order by record.id for no key update;
end
$$;
--> statement-breakpoint
grant execute on function app.etag(timestamptz, bigint),
  app.lock_records(uuid[], uuid[], uuid[], uuid[], uuid[]) to inventory_api;
--> statement-breakpoint

-- Milestones of onboarding that organizations have reached already.
update organizations as organization set onboarding = onboarding || reached.milestones
from (
  select known.id, array_agg(milestone order by position) as milestones
  from organizations as known
  cross join lateral (values
    (1, 'FirstUserApiKeyCreated',
      exists (select from user_api_keys where organization_id = known.id)),
    (2, 'SecondNetworkCreated',
      (select count(*) > 1 from networks where organization_id = known.id)),
    (3, 'FirstTagCreated', exists (select from tags where organization_id = known.id)),
    (4, 'FirstCredentialCreated', exists (select from credentials where organization_id = known.id)),
    (5, 'FirstSnmpCredentialCreated', exists (
      select from credentials where organization_id = known.id and type like 'Snmp%')),
    (6, 'FirstDaemonRegistered', exists (select from daemons where organization_id = known.id))
  ) as milestone (position, milestone, is_reached)
  where is_reached and milestone <> all (known.onboarding)
  group by known.id) as reached
where organization.id = reached.id;
--> statement-breakpoint
create function app.reach_milestone(organization uuid, milestone text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update public.organizations as reaching set onboarding = reaching.onboarding || milestone
  where reaching.id = organization and milestone <> all (reaching.onboarding)
$$;
--> statement-breakpoint
create function app.reach_milestones() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid;
begin
  for organization in select distinct added.organization_id from added loop
    case tg_table_name
      when 'user_api_keys' then
        perform app.reach_milestone(organization, 'FirstUserApiKeyCreated');
      when 'tags' then
        perform app.reach_milestone(organization, 'FirstTagCreated');
      when 'daemons' then
        perform app.reach_milestone(organization, 'FirstDaemonRegistered');
      when 'credentials' then
        perform app.reach_milestone(organization, 'FirstCredentialCreated');
        if exists (
          select from added where added.organization_id = organization and added.type like 'Snmp%')
        then
          perform app.reach_milestone(organization, 'FirstSnmpCredentialCreated');
        end if;
      when 'networks' then
        -- Two transactions that each add one follow each other, so that the second counts both.
        perform from public.organizations as counting
        where counting.id = organization and 'SecondNetworkCreated' <> all (counting.onboarding)
        for no key update;
        if found and (
          select count(*) from public.networks as network
          where network.organization_id = organization) > 1
        then
          perform app.reach_milestone(organization, 'SecondNetworkCreated');
        end if;
    end case;
  end loop;
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  record_table text;
begin
  foreach record_table in array array['user_api_keys', 'networks', 'tags', 'credentials', 'daemons']
  loop
    execute format('create trigger reach_milestones after insert on %I
      referencing new table as added for each statement
      execute function app.reach_milestones()', record_table);
  end loop;
end
$$;
--> statement-breakpoint

-- Bounds on what callers can make large: the records of an organization. Commands and cascades write as the owner and are not counted.
create function app.refuse_too_many(what text, maximum integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
    jsonb_build_array(jsonb_build_object('path', 'body', 'code', 'too_big', 'message',
      format('would make more than %s %s: remove some first', to_char(maximum, 'FM999,999'), what)))));
end
$$;
--> statement-breakpoint
grant execute on function app.refuse_too_many(text, integer) to inventory_api;
--> statement-breakpoint
-- Arguments: the most records that an organization may have, and what they are called.
create function app.bound_records() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_beyond boolean;
begin
  execute format('
    select exists (
      select from (select distinct organization_id from changed) as owner
      where (
        select count(*) from public.%1$I as record
        where record.organization_id = owner.organization_id) > $1)',
    tg_table_name) using tg_argv[0]::integer into is_beyond;
  if is_beyond then
    perform app.refuse_too_many(tg_argv[1], tg_argv[0]::integer);
  end if;
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  bound record;
begin
  for bound in
    select * from (values
      ('user_api_keys', 1000, 'API keys'), ('networks', 10000, 'networks'), ('tags', 10000, 'tags'),
      ('credentials', 10000, 'credentials'), ('daemons', 10000, 'daemons')
    ) as records (name, maximum, what)
  loop
    execute format('create trigger bound_records after insert on %1$I
      referencing new table as changed for each statement
      when (current_user = ''inventory_api'')
      execute function app.bound_records(%2$L, %3$L)', bound.name, bound.maximum::text, bound.what);
  end loop;
end
$$;
