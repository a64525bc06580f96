-- Returns the first error among the references of credentials: for each kind in turn, the first reference, in the order
-- of the request, that is not visible to the caller. An organization other than the caller's does not exist for the
-- caller. The function runs as the caller, so that policies hide other callers' records.
-- `sent`: the credentials, each with the `path` of its fields in the body.
create or replace function app.invalid_references_of_credentials(sent jsonb)
returns table (code text, params jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  kind record;
  ids uuid[];
begin
  code := 'entity_reference_invalid';
  select jsonb_build_object('entity', 'Organization', 'field', own.path || 'organization_id', 'id', own.organization_id)
  into params
  from jsonb_to_recordset(sent) as own (path text, organization_id uuid)
  where own.organization_id <> (select app.organization_id()) limit 1;
  if found then
    return next;
    return;
  end if;

  for kind in
    select * from (values ('Tag', 'tags'), ('Network', 'assigned_network_ids')) as known (entity, field)
  loop
    ids := array(
      select member.id::uuid
      from jsonb_array_elements(sent) as own, jsonb_array_elements_text(own.value -> kind.field) as member (id));
    continue when ids = '{}';
    ids := app.missing(kind.entity, ids);
    if ids <> '{}' then
      select jsonb_build_object(
        'entity', kind.entity, 'field', (own.value ->> 'path') || kind.field, 'id', member.id::uuid)
      into params
      from jsonb_array_elements(sent) as own, jsonb_array_elements_text(own.value -> kind.field) as member (id)
      where member.id::uuid = any (ids) limit 1;
      return next;
      return;
    end if;
  end loop;

  ids := array(
    select assigned.host_id from jsonb_to_recordset(sent) as own (host_assignments jsonb),
      jsonb_to_recordset(own.host_assignments) as assigned (host_id uuid));
  if ids = '{}' then
    return;
  end if;
  ids := app.missing('Host', ids);
  if ids <> '{}' then
    select jsonb_build_object('entity', 'Host', 'id', assigned.host_id,
      'field', own.path || format('host_assignments[%s].host_id', assigned.position - 1))
    into params
    from jsonb_to_recordset(sent) as own (path text, host_assignments jsonb),
      rows from (jsonb_to_recordset(own.host_assignments) as (host_id uuid))
        with ordinality as assigned (host_id, position)
    where assigned.host_id = any (ids) limit 1;
    return next;
    return;
  end if;

  -- An address of another host is invalid too.
  select jsonb_build_object('entity', 'IPAddress', 'id', address.id,
    'field', own.path || format('host_assignments[%s].ip_address_ids', assigned.position - 1))
  into params
  from jsonb_to_recordset(sent) as own (path text, host_assignments jsonb),
    rows from (jsonb_to_recordset(own.host_assignments) as (host_id uuid, ip_address_ids uuid[]))
      with ordinality as assigned (host_id, ip_address_ids, position),
    unnest(assigned.ip_address_ids) as address (id)
  where not exists (
    select from public.ip_addresses as known
    where known.id = address.id and known.host_id = assigned.host_id and known.valid_to is null)
  limit 1;
  if found then
    return next;
  end if;
end
$$;

grant execute on function app.invalid_references_of_credentials to inventory_api;
