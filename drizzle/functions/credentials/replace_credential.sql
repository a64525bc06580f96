-- Replaces everything in a locked credential except its id and its creation time. Only the differences between sets are
-- written. For an unchanged set, no statement runs at all, since even one that affects no rows would fire triggers. The
-- function runs as the caller, so that policies and triggers check each write.
-- `kept`: the fields whose secrets are kept. `sealed`: the new secrets, each with `field` and `sealed`.
-- `assignments`: each with `host_id` and `ip_address_ids`, which is null for the whole host.
create or replace function app.replace_credential(
  organization uuid, credential uuid, new_name text, new_settings jsonb, kept text[], sealed jsonb,
  tag_ids uuid[], network_ids uuid[], assignments jsonb)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  stored uuid[];
  gone uuid[];
  added uuid[];
begin
  update public.credentials as replaced set name = new_name, settings = new_settings
  where replaced.organization_id = organization and replaced.id = credential;

  if exists (
    select from public.credential_secret_fields as secret
    where secret.organization_id = organization and secret.credential_id = credential
      and secret.field <> all (kept))
  then
    delete from public.credential_secret_fields as secret
    where secret.organization_id = organization and secret.credential_id = credential
      and secret.field <> all (kept);
  end if;
  if sealed <> '[]' then
    insert into public.credential_secrets (organization_id, credential_id, field, sealed)
    select organization, credential, sent.field, sent.sealed
    from jsonb_to_recordset(sealed) as sent (field text, sealed text);
  end if;

  stored := array(
    select tagged.tag_id from public.credential_tags as tagged
    where tagged.organization_id = organization and tagged.credential_id = credential);
  gone := array(select unnest(stored) except select unnest(tag_ids));
  added := array(select unnest(tag_ids) except select unnest(stored));
  if gone <> '{}' then
    delete from public.credential_tags as tagged
    where tagged.organization_id = organization and tagged.credential_id = credential
      and tagged.tag_id = any (gone);
  end if;
  if added <> '{}' then
    insert into public.credential_tags (organization_id, credential_id, tag_id)
    select organization, credential, unnest(added);
  end if;

  stored := array(
    select assigned.network_id from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential);
  gone := array(select unnest(stored) except select unnest(network_ids));
  added := array(select unnest(network_ids) except select unnest(stored));
  if gone <> '{}' then
    delete from public.credential_networks as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential
      and assigned.network_id = any (gone);
  end if;
  if added <> '{}' then
    insert into public.credential_networks (organization_id, credential_id, network_id)
    select organization, credential, unnest(added);
  end if;

  perform app.replace_assignments_of_credential(organization, credential, assignments);
end
$$;

grant execute on function app.replace_credential(
  uuid, uuid, text, jsonb, text[], jsonb, uuid[], uuid[], jsonb) to inventory_api;
