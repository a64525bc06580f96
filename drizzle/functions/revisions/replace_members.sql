-- Makes the set of a locked record exactly these members. Only the difference is written, and nothing of a set that is
-- as it was: a statement without rows would fire triggers as well. As the caller, so that policies and triggers judge
-- what is written.
-- `owner_column`: that of the record which the set belongs to. `member_column`: that of its members.
create or replace function app.replace_members(
  set_table name, owner_column name, member_column name, owner uuid, members uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  stored uuid[];
  gone uuid[];
  added uuid[];
begin
  execute format('select array(select known.%2$I from public.%1$I as known where known.%3$I = $1)',
    set_table, member_column, owner_column)
  into stored using owner;
  gone := array(select unnest(stored) except select unnest(members));
  added := array(select unnest(members) except select unnest(stored));
  if gone <> '{}' then
    execute format('delete from public.%1$I where %3$I = $1 and %2$I = any ($2)', set_table, member_column, owner_column)
    using owner, gone;
  end if;
  if added <> '{}' then
    -- A member may be stored that the caller does not see.
    execute format('
      insert into public.%1$I (organization_id, %3$I, %2$I) select (select app.organization_id()), $1, unnest($2)
      on conflict do nothing', set_table, member_column, owner_column)
    using owner, added;
  end if;
end
$$;

grant execute on function app.replace_members(name, name, name, uuid, uuid[]) to inventory_api;
