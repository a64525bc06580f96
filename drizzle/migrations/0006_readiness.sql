-- Which sealing keys are in use: found by their names, without reading every secret.
create index credential_secrets_key_index
  on credential_secrets (split_part(sealed, '.', 1) collate "C");
--> statement-breakpoint
create index daemons_key_index on daemons (split_part(sealed_token, '.', 1) collate "C");
--> statement-breakpoint

-- What readiness needs to know, for the Worker's login alone: the newest migration, and one sealed
-- secret for every name of a key in use, at most 20 of credentials and 20 of daemons. Each step of a
-- recursion is one look-up in the index.
create function app.readiness() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive credential_sample as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name,
       secret.credential_id as id, secret.field, secret.sealed
     from public.credential_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.*
    from credential_sample as sample cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name,
        secret.credential_id, secret.field, secret.sealed
      from public.credential_secrets as secret
      where split_part(secret.sealed, '.', 1) collate "C" > sample.key_name
      order by split_part(secret.sealed, '.', 1) collate "C" limit 1) as next
  ),
  daemon_sample as (
    (select split_part(secret.sealed_token, '.', 1) collate "C" as key_name,
       secret.id, 'token' as field, secret.sealed_token as sealed
     from public.daemons as secret
     order by split_part(secret.sealed_token, '.', 1) collate "C" limit 1)
    union all
    select next.*
    from daemon_sample as sample cross join lateral (
      select split_part(secret.sealed_token, '.', 1) collate "C" as key_name,
        secret.id, 'token', secret.sealed_token
      from public.daemons as secret
      where split_part(secret.sealed_token, '.', 1) collate "C" > sample.key_name
      order by split_part(secret.sealed_token, '.', 1) collate "C" limit 1) as next
  )
  select jsonb_build_object(
    'newest_migration', (select max(created_at) from drizzle.__drizzle_migrations),
    'sealed', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'record', record, 'id', id, 'field', field, 'sealed', sealed)), '[]')
      from (
        (select 'credential' as record, * from credential_sample limit 20)
        union all
        (select 'daemon', * from daemon_sample limit 20)) as sample))
$$;
--> statement-breakpoint
revoke execute on function app.readiness() from public;
--> statement-breakpoint

-- A login of its own that may enter may ask for readiness as well.
do $$
declare
  login text;
begin
  for login in
    select pg_get_userbyid(acl.grantee)
    from pg_proc cross join lateral aclexplode(proacl) as acl
    where pronamespace = 'app'::regnamespace and proname = 'enter'
      and acl.grantee not in (0, proowner)
  loop
    execute format('grant execute on function app.readiness() to %I', login);
  end loop;
end
$$;
