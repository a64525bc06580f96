-- Ends a transaction that writes into the audit log of an organization which has too many entries of 24 hours.
create or replace function app.refuse_many_audit_entries(organization uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  free_at timestamptz;
begin
  -- One more than may be: there is room again once it no longer counts.
  select entry.at + interval '24 hours' into free_at from public.audit_entries as entry
  where entry.organization_id = organization and entry.at > now() - interval '24 hours'
  order by entry.at desc offset app.maximum_audit_entries_of_day() limit 1;
  if free_at is not null then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'audit_entries_of_organization',
      'retry_after_seconds', greatest(1, ceil(extract(epoch from free_at - now())))::integer));
  end if;
end
$$;
