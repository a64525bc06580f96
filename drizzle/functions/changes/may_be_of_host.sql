-- A condition for queries built from app.change_kinds. Using an index, it matches all versions that belonged to a host,
-- and possibly some that did not. `host` is an expression. Null if records of the kind do not belong to hosts.
create or replace function app.may_be_of_host(entity text, host text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select format(case entity
    when 'Binding' then 'version.service_id = any (array(
      select known.live_id from public.services as known where known.host_id = %s))'
    when 'Host' then 'version.live_id = %s'
    when 'Subnet' then null
    else 'version.host_id = %s' end, host)
$$;

grant execute on function app.may_be_of_host to inventory_api;
