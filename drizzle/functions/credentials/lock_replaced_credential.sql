-- Locks a credential that is to be replaced, with the records that change with it, in the order of app.lock_records, and
-- compares its sets with the new ones. Returns null as `etag` if the caller's organization does not have the credential.
-- A key that may not change the credential receives only its tag and its type, since it may not see every assignment.
--
-- Only the networks that the credential loses or gains change, so writers of other credentials in the same networks do
-- not wait. The sets are read once the credential is locked, because no other transaction can change them from then on.
-- The function bypasses policies: looking up the key in each of them takes longer than reading the sets. `assignments`:
-- as in app.update_credential. `added_tags` and `added_networks` are in the order of the arguments. `reassigned_hosts`:
-- the hosts whose assignments change.
create or replace function app.lock_replaced_credential(
  credential uuid, tag_ids uuid[], network_ids uuid[], assignments jsonb,
  out organization uuid, out etag text, out type text, out is_held boolean, out fields text[],
  out gone_tags uuid[], out added_tags uuid[], out gone_networks uuid[], out added_networks uuid[],
  out reassigned_hosts uuid[])
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  organization := app.organization_id();
  if tag_ids <> '{}' then
    perform from public.tags as record
    where record.organization_id = organization and record.id = any (tag_ids)
    order by record.id for key share;
  end if;
  select app.etag(record.created_at, record.revision), record.type into etag, type
  from public.credentials as record
  where record.organization_id = organization and record.id = credential for no key update;
  is_held := etag is not null and (app.reaches_all_networks() or app.holds_credential(credential));
  if not is_held then
    return;
  end if;
  with
    stored as materialized (
      select assigned.host_id, assigned.is_limited_to_addresses, null::uuid as ip_address_id
      from public.credential_hosts as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential
      union all
      select assigned.host_id, true, assigned.ip_address_id from public.credential_host_ip_addresses as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential),
    sent as materialized (
      select sent.host_id, sent.ip_address_ids is not null, limit_to.ip_address_id
      from jsonb_to_recordset(assignments) as sent (host_id uuid, ip_address_ids uuid[])
      cross join unnest(sent.ip_address_ids || null::uuid) as limit_to (ip_address_id)),
    tagged as materialized (
      select member.tag_id from public.credential_tags as member
      where member.organization_id = organization and member.credential_id = credential),
    assigned as materialized (
      select member.network_id from public.credential_networks as member
      where member.organization_id = organization and member.credential_id = credential)
  select
    array(
      select secret.field from public.credential_secret_fields as secret
      where secret.organization_id = organization and secret.credential_id = credential),
    array(table tagged except select unnest(tag_ids)),
    array(
      select sent.id from unnest(tag_ids) with ordinality as sent (id, position)
      where sent.id not in (table tagged) order by sent.position),
    array(table assigned except select unnest(network_ids)),
    array(
      select sent.id from unnest(network_ids) with ordinality as sent (id, position)
      where sent.id not in (table assigned) order by sent.position),
    array(
      select changed.host_id from (
        (table stored except table sent) union all (table sent except table stored)) as changed)
  into fields, gone_tags, added_tags, gone_networks, added_networks, reassigned_hosts;
  if gone_networks <> '{}' or added_networks <> '{}' then
    perform from public.networks as record
    where record.organization_id = organization and record.id = any (gone_networks || added_networks)
    order by record.id for no key update;
  end if;
end
$$;

grant execute on function app.lock_replaced_credential to inventory_api;
