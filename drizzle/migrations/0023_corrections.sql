-- Which bindings do not go together (API contract, section 9), whoever writes them, functions of the
-- owner included: no setting lets any pass. Every change of a binding locks its host first, so each
-- sees what the one before it left.
create or replace function app.refuse_binding_conflict() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  in_the_way uuid;
begin
  select other.id into in_the_way from (
    select other.id, other.created_at, other.ip_address_id, changed.id as changed_id,
      changed.ip_address_id as changed_address
    from changed join public.bindings as other
      on other.organization_id = changed.organization_id and other.live_host_id = changed.host_id
        and other.port_id = changed.port_id
    where changed.valid_to is null
    union all
    -- Equalities alone: a host may have many thousands of bindings.
    select other.id, other.created_at, other.ip_address_id, changed.id, changed.ip_address_id
    from changed join public.bindings as other
      on other.organization_id = changed.organization_id and other.live_host_id = changed.host_id
        and other.service_id = changed.service_id
        and other.type = case changed.type when 'Port' then 'IPAddress' else 'Port' end
    where changed.valid_to is null) as other
  where other.id <> other.changed_id
    and (other.changed_address is null or other.ip_address_id is null
      or other.changed_address = other.ip_address_id)
  order by other.created_at, other.id limit 1;
  if found then
    perform app.abort('binding_conflict', jsonb_build_object('id', in_the_way));
  end if;
  return null;
end
$$;
--> statement-breakpoint

-- A record is created at the timestamp from which on it is valid, so that a list at its `created_at`
-- shows it. The column's default is the start of the transaction, which then waits for its locks. Only
-- the owner, who seeds, says that a record was created before.
create or replace function app.begin_record() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed_at timestamptz;
begin
  if new.valid_to is not null then
    new.last_seen_at := coalesce(new.last_seen_at, new.valid_to);
    return new;
  end if;
  if tg_argv[0] = 'host_id' then
    changed_at := app.change_host(new.organization_id, new.host_id);
  else
    changed_at := app.changed_at(new.organization_id);
  end if;
  if new.valid_from is null then
    new.valid_from := changed_at;
    if new.created_at < date_trunc('milliseconds', now()) then
      new.updated_at := greatest(new.updated_at, changed_at);
    else
      new.created_at := changed_at;
      new.updated_at := changed_at;
    end if;
  end if;
  new.last_seen_at := coalesce(new.last_seen_at, changed_at);
  return new;
end
$$;
--> statement-breakpoint

-- At most ten scans of a daemon wait or run. Two callers that add one follow each other, so that the
-- second counts the first one's. The schedule looks for itself: it must not end a transaction.
create or replace function app.bound_sessions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 10;
  waiting integer;
begin
  perform from public.daemons as daemon
  where daemon.organization_id = new.organization_id and daemon.id = new.daemon_id
  for no key update;
  select count(*) into waiting from public.discovery_sessions as session
  where session.organization_id = new.organization_id and session.daemon_id = new.daemon_id
    and session.finished_at is null;
  if waiting >= maximum then
    perform app.abort('too_many_scans',
      jsonb_build_object('id', new.daemon_id, 'maximum', maximum));
  end if;
  return new;
end
$$;
