-- Keeps tags that were removed from a record as closed rows. The argument is the column that references the record.
create or replace function app.keep_tags() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- When an organization is deleted, so is all its history. A zero-length tag was never visible.
  execute format('
    insert into public.%1$I (organization_id, %2$I, tag_id, valid_from, valid_to)
    select changed.organization_id, changed.%2$I, changed.tag_id, changed.valid_from, ended.at
    from changed
    join (
      select known.id, app.changed_at(known.id) as at from public.organizations as known
      where known.id in (select organization_id from changed)) as ended
      on ended.id = changed.organization_id
    where changed.valid_from < ended.at', 'closed_' || tg_table_name, tg_argv[0]);
  return null;
end
$$;
