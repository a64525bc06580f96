-- The data for the readiness check, for the Worker's login only: the newest migration; for each sealing key name in
-- use, one sealed credential secret with its owner; and the names of the keys that sealed daemons' tokens and webhooks'
-- secrets. There are at most 20 of each. Each recursion step is one index look-up.
create or replace function app.readiness() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive sample as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name,
       secret.organization_id, secret.credential_id as id, secret.field, secret.sealed
     from public.credential_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.*
    from sample cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name,
        secret.organization_id, secret.credential_id, secret.field, secret.sealed
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
  ),
  signing as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name
     from public.webhook_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.key_name
    from signing cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name
      from public.webhook_secrets as secret
      where split_part(secret.sealed, '.', 1) collate "C" > signing.key_name
      order by split_part(secret.sealed, '.', 1) collate "C" limit 1) as next
  )
  select jsonb_build_object(
    'newest_migration', (select max(created_at) from drizzle.__drizzle_migrations),
    'credential_secrets', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'organization_id', organization_id, 'id', id, 'field', field, 'sealed', sealed)), '[]')
      from (select * from sample limit 20) as sample),
    'token_keys', (
      select coalesce(jsonb_agg(distinct key_name), '[]')
      from (
        (select * from token limit 20) union all (select * from signing limit 20)) as known))
$$;
