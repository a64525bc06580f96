-- Replaces the set of a locked record with exactly these members. Only the difference is written. For an unchanged set,
-- no statement runs at all, since even one that affects no rows would fire triggers. The function runs as the caller,
-- so that policies and triggers check each write.
-- `owner_column`: references the record that the set belongs to. `member_column`: references a member.
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
    -- A member that the caller cannot see may already be stored.
    execute format('
      insert into public.%1$I (organization_id, %3$I, %2$I) select (select app.organization_id()), $1, unnest($2)
      on conflict do nothing', set_table, member_column, owner_column)
    using owner, added;
  end if;
end
$$;

grant execute on function app.replace_members to inventory_api;
