-- Stored hosts for which an entry of the report failed, so that its other entries do not describe them completely.
create or replace function app.contested_hosts(
  hosts app.ingested_host[], pairs app.ingested_pair[], failed int[])
returns uuid[]
language sql immutable parallel safe
return array(
  select pair.host_id from unnest(pairs) as pair where pair.index = any (failed)
  union
  select told.told_id from unnest(hosts) as told
  where told.told_id is not null and told.index = any (failed));

grant execute on function app.contested_hosts to inventory_api;
