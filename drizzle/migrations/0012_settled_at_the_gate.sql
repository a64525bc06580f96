-- The gate has one more parameter, and answers one more column. Logins keep their right to pass it.
do $$
declare
  former constant regprocedure := to_regprocedure('app.enter(bytea, public.role, integer, boolean)');
  grantee text;
begin
  if former is null then
    return;
  end if;
  -- Its text is in its file, which is applied after this.
  create function app.enter(
    presented_hash bytea, required_role public.role, deadline_ms integer,
    needs_all_networks boolean default false, needs_settled boolean default false)
  returns table (key_id uuid, organization_id uuid, reach text, key_role public.role, settled timestamptz)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as 'begin end';
  for grantee in
    select allowed.grantee::regrole::text
    from pg_proc, aclexplode(proacl) as allowed
    where pg_proc.oid = former and allowed.privilege_type = 'EXECUTE'
      and allowed.grantee not in (0, proowner)
  loop
    execute format('grant execute on function app.enter(bytea, public.role, integer, boolean, boolean) to %s', grantee);
  end loop;
  drop function app.enter(bytea, public.role, integer, boolean);
end
$$;
