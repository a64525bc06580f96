-- Those of some ids that the caller sees no record of; of the inventory, no live one. As the caller, so that policies
-- hide what others have. A function, as its plans are kept: to plan what policies ask of a table takes longer than to look
-- ids up. Postgres would plan anew for each array, as it expects less of a short one. Each id is looked up by itself,
-- with a column that no index has: where most organizations are small, Postgres would rather read all that a large one has,
-- or a whole index of it that ends with the id.
create or replace function app.missing(entity text, ids uuid[]) returns uuid[]
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  case entity
    when 'ApiKey' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.user_api_keys as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'Binding' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.bindings as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'Credential' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.credentials as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'Daemon' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.daemons as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'DiscoverySession' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.discovery_sessions as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'Host' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.hosts as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'Interface' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.interfaces as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'IPAddress' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.ip_addresses as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'Network' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.networks as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'Organization' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.organizations as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'Port' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.ports as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'Service' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.services as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'Subnet' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.subnets as record
          where record.id = wanted.id and record.valid_to is null limit 1
        ) as known on true
        where known.revision is null);
    when 'Tag' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.tags as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
    when 'Webhook' then
      return array(
        select wanted.id from unnest(ids) as wanted (id)
        left join lateral (
          select record.revision from public.webhooks as record where record.id = wanted.id limit 1
        ) as known on true
        where known.revision is null);
  end case;
end
$$;

grant execute on function app.missing(text, uuid[]) to inventory_api;
