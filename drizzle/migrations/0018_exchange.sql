-- Ports of a host exchange their numbers, and addresses their places, in one statement: what is unique
-- is so at its end. No `on conflict` goes with such rules.
drop index ports_host_unique;
--> statement-breakpoint
drop index ip_addresses_host_unique;
--> statement-breakpoint
drop index ip_addresses_subnet_unique;
--> statement-breakpoint
-- References are null in closed versions, which stand in nobody's way.
alter table ports add constraint ports_host_unique
  unique (organization_id, live_host_id, number, protocol) deferrable;
--> statement-breakpoint
alter table ip_addresses
  add constraint ip_addresses_subnet_unique
    unique (organization_id, live_subnet_id, address) deferrable,
  -- In no subnet; an address of one is of one host anyway.
  add constraint ip_addresses_host_unique
    exclude using btree (organization_id with =, host_id with =, address with =)
    where (valid_to is null and subnet_id is null) deferrable;
--> statement-breakpoint

-- Which bindings do not go together (API contract, section 9), whoever writes them, functions of the
-- owner included. Every change of a binding locks its host first, so each sees what the one before it
-- left. Only an owner who says so, to seed, may leave bindings in each other's way: callers cannot.
create or replace function app.refuse_binding_conflict() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  in_the_way uuid;
begin
  if not row_security_active(tg_relid) and current_setting('app.seeds_conflicts', true) = 'on' then
    return null;
  end if;
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
