-- Rejects bindings that conflict with each other (API contract, section 9), for all writers, including functions that
-- run as the owner: no setting exempts a writer. Every change to a binding locks its host first, so each change sees
-- the result of the previous one.
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
    -- Values are compared only for equality, since a host may have many thousands of bindings.
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
