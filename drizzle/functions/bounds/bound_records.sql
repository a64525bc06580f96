-- Arguments: the most records that an organization may have, and what they are called.
create or replace function app.bound_records() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_beyond boolean;
begin
  execute format('
    select exists (
      select from (select distinct organization_id from changed) as owner
      where (
        select count(*) from public.%1$I as record
        where record.organization_id = owner.organization_id) > $1)',
    tg_table_name) using tg_argv[0]::integer into is_beyond;
  if is_beyond then
    perform app.refuse_too_many(tg_argv[1], tg_argv[0]::integer);
  end if;
  return null;
end
$$;
