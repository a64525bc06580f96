-- Arguments: the most records that an organization may have, and what they are called. A query for each table: Postgres
-- plans it once for a connection, where one that is put together is planned anew for each creation.
create or replace function app.bound_records() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := tg_argv[0];
  organization uuid;
  number bigint;
begin
  for organization in select distinct changed.organization_id from changed loop
    case tg_table_name
      when 'credentials' then
        select count(*) into number from public.credentials as record where record.organization_id = organization;
      when 'daemons' then
        select count(*) into number from public.daemons as record where record.organization_id = organization;
      when 'networks' then
        select count(*) into number from public.networks as record where record.organization_id = organization;
      when 'tags' then
        select count(*) into number from public.tags as record where record.organization_id = organization;
      when 'user_api_keys' then
        select count(*) into number from public.user_api_keys as record where record.organization_id = organization;
      when 'webhooks' then
        select count(*) into number from public.webhooks as record where record.organization_id = organization;
    end case;
    if number > maximum then
      perform app.refuse_too_many(tg_argv[1], maximum);
    end if;
  end loop;
  return null;
end
$$;
