-- Which sealing keys are in use: found by their names, without reading every secret.
create index credential_secrets_key_index
  on credential_secrets (split_part(sealed, '.', 1) collate "C");
--> statement-breakpoint
create index daemon_secrets_key_index
  on daemon_secrets (split_part(sealed, '.', 1) collate "C");
--> statement-breakpoint

-- What readiness needs to know, for the Worker's login alone: the newest migration, one sealed secret
-- of a credential for every name of a key in use, and the names of the keys that sealed daemons'
-- tokens, at most 20 of either. Each step of a recursion is one look-up in the index.
create function app.readiness() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive sample as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name,
       secret.credential_id as id, secret.field, secret.sealed
     from public.credential_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.*
    from sample cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name,
        secret.credential_id, secret.field, secret.sealed
      from public.credential_secrets as secret
      where split_part(secret.sealed, '.', 1) collate "C" > sample.key_name
      order by split_part(secret.sealed, '.', 1) collate "C" limit 1) as next
  ),
  token as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name
     from public.daemon_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.key_name
    from token cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name
      from public.daemon_secrets as secret
      where split_part(secret.sealed, '.', 1) collate "C" > token.key_name
      order by split_part(secret.sealed, '.', 1) collate "C" limit 1) as next
  )
  select jsonb_build_object(
    'newest_migration', (select max(created_at) from drizzle.__drizzle_migrations),
    'credential_secrets', (
      select coalesce(jsonb_agg(jsonb_build_object('id', id, 'field', field, 'sealed', sealed)), '[]')
      from (select * from sample limit 20) as sample),
    'token_keys', (
      select coalesce(jsonb_agg(key_name), '[]') from (select * from token limit 20) as token))
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
