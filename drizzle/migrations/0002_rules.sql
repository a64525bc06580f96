-- The history of bindings, kept by the database so that it holds whoever writes.
alter table bindings add constraint bindings_one_version_at_a_time
  exclude using gist (live_id with =, tstzrange(valid_from, valid_to) with &&);
--> statement-breakpoint
create function app.version_binding() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  -- The instant at which this writer holds the row, not its transaction's start: a transaction that
  -- began earlier may get the row later, and versions must follow each other.
  changed_at timestamptz := greatest(date_trunc('milliseconds', clock_timestamp()), old.valid_from);
begin
  if old.valid_to is not null then
    raise exception 'a closed version of a binding is history and cannot be changed'
      using errcode = 'restrict_violation';
  end if;
  if (new.id, new.organization_id, new.created_at, new.valid_from, new.valid_to, new.lineage_id)
    is distinct from
    (old.id, old.organization_id, old.created_at, old.valid_from, old.valid_to, old.lineage_id)
  then
    raise exception 'the identity and the interval of a binding are not for writers'
      using errcode = 'restrict_violation',
            hint = 'Change what it binds, and the interval follows; delete it to close it.';
  end if;
  if (new.type, new.service_id, new.network_id, new.port_id, new.ip_address_id)
    is distinct from
    (old.type, old.service_id, old.network_id, old.port_id, old.ip_address_id)
  then
    new.valid_from := changed_at;
  end if;
  new.updated_at := greatest(new.updated_at, changed_at);
  return new;
end
$$;
--> statement-breakpoint
create trigger version_binding before update on bindings
  for each row execute function app.version_binding();
--> statement-breakpoint
-- After the row has left the interval, so that its copy can take the interval over.
create function app.keep_binding_version() returns trigger
language plpgsql security definer set search_path = '' as $$
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
  -- A version that lasted no instant was never visible at any.
  if closed_at > old.valid_from then
    insert into public.bindings (
      created_at, updated_at, organization_id, type, service_id, network_id, port_id, ip_address_id,
      last_seen_at, valid_from, valid_to, first_discovery_id, last_discovery_id, lineage_id)
    values (
      old.created_at, old.updated_at, old.organization_id, old.type, old.service_id, old.network_id,
      old.port_id, old.ip_address_id, old.last_seen_at, old.valid_from, closed_at,
      old.first_discovery_id, old.last_discovery_id, old.id);
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger keep_changed_binding_version after update on bindings
  for each row when (new.valid_from is distinct from old.valid_from)
  execute function app.keep_binding_version();
--> statement-breakpoint
create trigger keep_deleted_binding_version after delete on bindings
  for each row execute function app.keep_binding_version();
--> statement-breakpoint

-- An assignment that was limited to addresses must not come to mean the whole host, nor nothing.
create function app.drop_emptied_assignments() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.credential_hosts as assignment
  using (select distinct credential_id, host_id from gone) as emptied
  where assignment.credential_id = emptied.credential_id
    and assignment.host_id = emptied.host_id
    and assignment.is_limited_to_addresses
    and not exists (
      select from public.credential_host_ip_addresses as address
      where address.credential_id = emptied.credential_id and address.host_id = emptied.host_id);
  return null;
end
$$;
--> statement-breakpoint
create trigger drop_emptied_assignments after delete on credential_host_ip_addresses
  referencing old table as gone
  for each statement execute function app.drop_emptied_assignments();
--> statement-breakpoint

-- Fixes the instant of a list that is read in several transactions. Returns only once that
-- millisecond has passed, so that what follows sees every change stamped with it or before, and
-- every later change is stamped later.
create function app.fix_instant() returns timestamptz
language plpgsql as $$
declare
  instant timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  while clock_timestamp() < instant + interval '1 millisecond' loop
    perform pg_sleep(0.0005);
  end loop;
  perform set_config('app.instant', instant::text, true);
  return instant;
end
$$;
