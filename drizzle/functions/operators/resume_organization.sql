-- Resumes a suspended organization, for an operator: see section 15 of the API contract. Nothing happens if it is active.
-- The time of the suspension does not count towards the time for which a webhook has been failing or a scan has made
-- no progress: otherwise the webhook would be disabled, and the scan would fail, before they could continue.
create or replace function app.resume_organization(organization uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  suspended public.organizations;
begin
  perform app.presented_operator();
  select * into suspended from public.organizations as owner
  where owner.id = organization for no key update;
  if not found or suspended.deletes_at <= now() then
    perform app.abort('entity_not_found',
      jsonb_build_object('entity', 'Organization', 'id', organization));
  end if;
  if suspended.suspended_at is null then
    return;
  end if;
  update public.organizations as owner set suspended_at = null, deletes_at = null
  where owner.id = organization;
  update public.webhooks as known set failing_since = known.failing_since + (now() - suspended.suspended_at)
  where known.organization_id = organization and known.failing_since is not null;
  update public.discovery_sessions as session set moved_at = now()
  where session.organization_id = organization
    and session.phase in ('Pending', 'Starting', 'Started', 'Scanning');
  perform app.write_audit(organization, 'resumed', 'Organization', array[organization],
    array[suspended.name::text], array[null::uuid], '{}');
end
$$;

grant execute on function app.resume_organization to inventory_api;
