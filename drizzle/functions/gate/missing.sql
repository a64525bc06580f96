-- Those of some ids that the caller sees no record of. As the caller, so that policies hide what others have. A
-- function, as its plans are kept: to plan what policies ask of a table takes longer than to look ids up.
create or replace function app.missing(entity text, ids uuid[]) returns uuid[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
        where not exists (
          select from public.hosts as known where known.id = wanted.id and known.valid_to is null));
  end case;
end
$$;

grant execute on function app.missing(text, uuid[]) to inventory_api;
