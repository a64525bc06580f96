-- Aborts the transaction if an operator has suspended the organization of the presented key.
create or replace function app.refuse_suspended(organization uuid) returns void
language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
  suspended public.organizations;
begin
  select * into suspended from public.organizations as owner
  where owner.id = organization and owner.suspended_at is not null;
  if found then
    perform app.abort('organization_suspended', jsonb_strip_nulls(jsonb_build_object('deletes_at',
      to_char(suspended.deletes_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))));
  end if;
end
$$;
