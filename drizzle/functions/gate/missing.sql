-- Those of some ids that the caller sees no record of; of the inventory, no live one. As the caller, so that policies hide
-- what others have. A function, as its plans are kept: to plan what policies ask of a table takes longer than to look ids
-- up. Postgres would plan anew for each array, as it expects less of a short one.
create or replace function app.missing(entity text, ids uuid[]) returns uuid[]
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  case entity
    when 'Tag' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.tags as known where known.id = wanted.id));
    when 'Network' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.networks as known where known.id = wanted.id));
    when 'Credential' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.credentials as known where known.id = wanted.id));
    when 'Host' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.hosts as known where known.id = wanted.id and known.valid_to is null));
    when 'Service' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.services as known where known.id = wanted.id and known.valid_to is null));
    when 'Port' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.ports as known where known.id = wanted.id and known.valid_to is null));
    when 'IPAddress' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (
          select from public.ip_addresses as known where known.id = wanted.id and known.valid_to is null));
    when 'Binding' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.bindings as known where known.id = wanted.id and known.valid_to is null));
    when 'Subnet' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.subnets as known where known.id = wanted.id and known.valid_to is null));
    when 'Interface' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (
          select from public.interfaces as known where known.id = wanted.id and known.valid_to is null));
    when 'Daemon' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.daemons as known where known.id = wanted.id));
    when 'DiscoverySession' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.discovery_sessions as known where known.id = wanted.id));
    when 'Webhook' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.webhooks as known where known.id = wanted.id));
    when 'ApiKey' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        where not exists (select from public.user_api_keys as known where known.id = wanted.id));
  end case;
end
$$;

grant execute on function app.missing(text, uuid[]) to inventory_api;
