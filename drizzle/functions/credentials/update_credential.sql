-- Replaces everything in a credential except its id and its creation time: locks it and the records that change with it,
-- checks the request, and writes only the differences between sets. For an unchanged set, no statement runs at all,
-- since even one that affects no rows would fire triggers. The function runs as the caller, so that policies and
-- triggers check each write.
--
-- Only references that the credential does not have yet are checked: foreign keys keep the others valid, and a key that
-- may change a credential sees all its assignments.
-- `expected`: the entity tags of If-Match, or null if any tag is allowed.
-- `kept`: the fields whose secrets are kept, each with the `issue` to report if there is no secret to keep.
-- `sealed`: the new secrets, each with `field` and `sealed`. They replace the stored secrets of their fields.
-- `assignments`: each with `host_id` and `ip_address_ids`, which is null for the whole host.
-- `maximum`: the maximum number of credentials in a network; `too_many` is the message for a network with more, a format
-- string that takes the network's id.
-- `path`: the prefix of the credential's fields in the body, such as `body[2].`.
create or replace function app.update_credential(
  organization uuid, credential uuid, expected text[], new_name text, new_external_id text, new_metadata jsonb,
  new_settings jsonb, kept jsonb, sealed jsonb, tag_ids uuid[], network_ids uuid[], assignments jsonb, maximum integer, too_many text,
  path text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  stored record;
  invalid record;
  gone_fields text[];
begin
  stored := app.lock_replaced_credential(credential, tag_ids, network_ids, assignments);
  if stored.etag is null then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Credential', 'id', credential));
  end if;
  if stored.etag <> all (expected) then
    perform app.abort('precondition_failed', jsonb_strip_nulls(jsonb_build_object(
      'etag', stored.etag, 'is_weak', case when expected = '{}' then true end)));
  end if;
  if not stored.is_held then
    perform app.abort('auth_scope_denied');
  end if;
  if kept <> '[]' then
    select jsonb_build_object('issues', jsonb_agg(mask.issue), 'issue_count', count(*)) as params, count(*) as missing
    into invalid from jsonb_to_recordset(kept) as mask (field text, issue jsonb)
    where stored.type <> new_settings ->> 'type' or mask.field <> all (stored.fields);
    if invalid.missing > 0 then
      perform app.abort('validation_failed', invalid.params);
    end if;
  end if;
  if organization <> stored.organization or stored.reassigned_hosts <> '{}'
    or (stored.added_tags <> '{}' and app.missing('Tag', stored.added_tags) <> '{}')
    or (stored.added_networks <> '{}' and app.missing('Network', stored.added_networks) <> '{}')
  then
    perform app.abort(reference.code, reference.params)
    from app.invalid_references_of_credentials(jsonb_build_array(jsonb_build_object(
      'path', path, 'organization_id', organization, 'tags', stored.added_tags,
      'assigned_network_ids', stored.added_networks,
      'host_assignments', case when stored.reassigned_hosts <> '{}' then assignments else '[]' end))) as reference;
  end if;

  if new_external_id is not null then
    perform app.abort('entity_already_exists', jsonb_build_object(
      'entity', 'Credential', 'field', path || 'external_id', 'id', taken.id))
    from public.credentials as taken
    where taken.organization_id = stored.organization and taken.external_id = new_external_id
      and taken.id <> credential;
  end if;

  update public.credentials as replaced
  set name = new_name, external_id = new_external_id, metadata = new_metadata, settings = new_settings
  where replaced.organization_id = stored.organization and replaced.id = credential;
  gone_fields := array(
    select unnest(stored.fields) except
    select secret.field from jsonb_to_recordset(kept || sealed) as secret (field text));
  if gone_fields <> '{}' then
    delete from public.credential_secret_fields as secret
    where secret.organization_id = stored.organization and secret.credential_id = credential
      and secret.field = any (gone_fields);
  end if;
  if sealed <> '[]' then
    insert into public.credential_secrets (organization_id, credential_id, field, sealed)
    select stored.organization, credential, sent.field, sent.sealed
    from jsonb_to_recordset(sealed) as sent (field text, sealed text);
  end if;
  if stored.gone_tags <> '{}' then
    delete from public.credential_tags as tagged
    where tagged.organization_id = stored.organization and tagged.credential_id = credential
      and tagged.tag_id = any (stored.gone_tags);
  end if;
  if stored.added_tags <> '{}' then
    insert into public.credential_tags (organization_id, credential_id, tag_id)
    select stored.organization, credential, unnest(stored.added_tags);
  end if;
  if stored.gone_networks <> '{}' then
    delete from public.credential_networks as assigned
    where assigned.organization_id = stored.organization and assigned.credential_id = credential
      and assigned.network_id = any (stored.gone_networks);
  end if;
  if stored.added_networks <> '{}' then
    insert into public.credential_networks (organization_id, credential_id, network_id)
    select stored.organization, credential, unnest(stored.added_networks);
  end if;
  if stored.reassigned_hosts <> '{}' then
    -- In the order of their ids, since another transaction may be assigning another credential to some of them.
    perform app.lock_hosts(stored.reassigned_hosts);
    perform app.replace_assignments_of_credential(stored.organization, credential, assignments);
  end if;

  if stored.added_networks <> '{}' then
    perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues', jsonb_build_array(
      jsonb_build_object('path', path || 'assigned_network_ids', 'code', 'too_big',
        'message', format(too_many, grown.id)))))
    from unnest(stored.added_networks) as grown (id)
    where (
      select count(*) from public.credential_networks as member where member.network_id = grown.id) > maximum
    limit 1;
  end if;
end
$$;

grant execute on function app.update_credential to inventory_api;
