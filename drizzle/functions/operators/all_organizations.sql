-- The organizations in creation order, for an operator: up to `maximum` rows after a position and an offset. With
-- `wanted`, only that organization; with `wanted_state`, only those in that state. It returns what operators manage, and
-- no data of the organizations.
create or replace function app.all_organizations(
  wanted uuid, wanted_state text, after_at timestamptz, after_id uuid, skipped integer, maximum integer)
returns table (
  id uuid, created_at timestamptz, updated_at timestamptz, name text, plan jsonb, state text,
  suspended_at timestamptz, deletes_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  perform app.presented_operator();
  return query
    select known.id, known.created_at, known.updated_at, known.name::text, known.plan,
      app.organization_state(known.suspended_at, known.deletes_at), known.suspended_at, known.deletes_at
    from public.organizations as known
    where (wanted is null or known.id = wanted)
      and (wanted_state is null or app.organization_state(known.suspended_at, known.deletes_at) = wanted_state)
      and (after_at is null or (known.created_at, known.id) > (after_at, after_id))
    order by known.created_at, known.id offset skipped limit maximum;
end
$$;

grant execute on function app.all_organizations to inventory_api;
