-- Bounds on what is read and sent in one piece, whoever wrote it.
--
-- How large a page will be is told from how large its rows are stored: what a credential holds is stored as
-- it is, since a text that compresses well would pass for a small one.
alter table credentials alter column settings set storage external;
--> statement-breakpoint
-- The most live addresses, ports, services and bindings, each, that a host may have.
create function app.maximum_of_host() returns integer
language sql immutable parallel safe
return 5000;
--> statement-breakpoint

-- Refuses records of one kind that a statement adds to a host, or moves to it, beyond the bound. Every
-- writer of a part has locked its host (app.change_host), and this reads what is committed by then: of two
-- writers the second one sees all of the first one's. The owner's commands are not counted, nor are closed
-- versions, which it writes as well.
-- Argument: what the records are called.
create function app.bound_host() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- What is executed below is planned each time.
  grown text;
  is_beyond boolean;
begin
  if tg_op = 'INSERT' then
    if not exists (select from changed where valid_to is null) then
      return null;
    end if;
    grown := 'select distinct organization_id, host_id from changed where valid_to is null';
  else
    if not exists (
      select from changed join former using (organization_id, id)
      where changed.host_id <> former.host_id)
    then
      return null;
    end if;
    grown := 'select distinct changed.organization_id, changed.host_id
      from changed join former using (organization_id, id)
      where changed.host_id <> former.host_id';
  end if;
  execute format('
    select exists (
      select from (%2$s) as host
      where exists (
        select from public.%1$I as record
        where record.organization_id = host.organization_id and record.live_host_id = host.host_id
        offset $1))', tg_table_name, grown)
  using app.maximum_of_host() into is_beyond;
  if is_beyond then
    perform app.refuse_too_many(tg_argv[0] || ' of one host', app.maximum_of_host());
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
      ('ip_addresses', 'addresses'), ('ports', 'ports'), ('services', 'services'),
      ('bindings', 'bindings')
    ) as parts (name, what)
  loop
    execute format('create trigger bound_host_inserted after insert on %1$I
      referencing new table as changed for each statement
      when (current_user in (''inventory_api'', ''inventory_ingest''))
      execute function app.bound_host(%2$L)', bound.name, bound.what);
    execute format('create trigger bound_host_updated after update on %1$I
      referencing old table as former new table as changed for each statement
      when (current_user in (''inventory_api'', ''inventory_ingest''))
      execute function app.bound_host(%2$L)', bound.name, bound.what);
  end loop;
end
$$;
--> statement-breakpoint

-- The addresses of all assignments of a host are sent with it as well. Credentials that are assigned at the
-- same moment may come beyond the bound.
create function app.bound_assigned_addresses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from (select distinct organization_id, host_id from changed) as host
    where exists (
      select from public.credential_hosts as assignment
      join public.credential_host_ip_addresses as address
        on address.organization_id = assignment.organization_id
          and address.credential_id = assignment.credential_id
          and address.host_id = assignment.host_id
      where assignment.organization_id = host.organization_id and assignment.host_id = host.host_id
      offset app.maximum_of_host()))
  then
    perform app.refuse_too_many('assigned addresses of one host', app.maximum_of_host());
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger bound_host_inserted after insert on credential_host_ip_addresses
  referencing new table as changed for each statement
  when (current_user in ('inventory_api', 'inventory_ingest'))
  execute function app.bound_assigned_addresses();
--> statement-breakpoint

-- The places of records that hosts have no room for, the last ones of each.
-- `hosts`: of the records that are planned, in their order, the hosts of those that are new; null else.
create function app.beyond_bounds(part name, hosts uuid[]) returns bigint[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  beyond bigint[];
begin
  execute format('
    with added as (
      select host.id, host.place, row_number() over (partition by host.id order by host.place) as number
      from unnest($1) with ordinality as host (id, place) where host.id is not null)
    select array(
      select added.place
      from added join (
        select known.id, (
            select count(*) from public.%I as stored
            where stored.organization_id = $2 and stored.live_host_id = known.id) as number
        from (select distinct id from added) as known) as held using (id)
      where added.number + held.number > $3)', part)
  using hosts, app.organization_id(), app.maximum_of_host() into beyond;
  return beyond;
end
$$;
--> statement-breakpoint
grant execute on function app.maximum_of_host(), app.beyond_bounds(name, uuid[]) to inventory_api;
