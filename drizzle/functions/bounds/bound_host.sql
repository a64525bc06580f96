-- Rejects a statement that adds records of one kind to a host, or moves them to it, beyond the maximum. Every writer of
-- these records has locked their host (app.change_host), and this function reads what has been committed by then: the
-- second of two writers sees everything that the first one wrote. The owner's commands are not limited. Neither are
-- closed versions, which the owner writes as well.
-- Argument: the plural name of the records, for the error.
create or replace function app.bound_host() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- This query is part of the statement executed below, which is planned each time.
  grown text;
  is_beyond boolean;
begin
  if tg_op = 'INSERT' then
    if not exists (select from changed where valid_to is null) then
      return null;
    end if;
    grown := 'select distinct organization_id, host_id from changed where valid_to is null';
  else
    if not exists (
      select from changed join former using (organization_id, id)
      where changed.host_id <> former.host_id)
    then
      return null;
    end if;
    grown := 'select distinct changed.organization_id, changed.host_id
      from changed join former using (organization_id, id)
      where changed.host_id <> former.host_id';
  end if;
  execute format('
    select exists (
      select from (%2$s) as host
      where exists (
        select from public.%1$I as record
        where record.organization_id = host.organization_id and record.live_host_id = host.host_id
        offset $1))', tg_table_name, grown)
  using app.maximum_of_host() into is_beyond;
  if is_beyond then
    perform app.refuse_too_many(tg_argv[0] || ' of one host', app.maximum_of_host());
  end if;
  return null;
end
$$;
