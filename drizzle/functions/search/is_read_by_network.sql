-- True if a search reads all rows of a table in the networks that a key can access, because there are few. Text indexes do
-- not contain the network, so with them the duration would reveal the content of other networks.
create or replace function app.is_read_by_network(searched name, organization uuid, reached uuid[])
returns boolean language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  many constant integer := 10000;
  held bigint;
begin
  if reached is null then
    return false;
  end if;
  execute format(
    $sql$select count(*) from (
      select from public.%I as record
      where record.organization_id = $1 and record.network_id = any ($2) and record.valid_to is null
      limit $3) as record$sql$, searched)
  into held using organization, reached, many;
  return held < many;
end
$$;
