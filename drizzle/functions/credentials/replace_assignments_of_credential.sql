-- Replaces the hosts to which a locked credential is assigned, and the addresses to which the assignments are limited;
-- see app.update_credential, which has locked the hosts whose assignments change. The stored and the new assignments
-- are compared as hashed sets, since each set can have a thousand members.
create or replace function app.replace_assignments_of_credential(
  organization uuid, credential uuid, assignments jsonb)
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  gone uuid[];
  gone_from uuid[];
begin
  -- Turning a limited assignment into an unlimited one, or the reverse, replaces the assignment: its addresses are
  -- deleted with it.
  gone := array(
    select changed.host_id from (
      select assigned.host_id, assigned.is_limited_to_addresses from public.credential_hosts as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential
      except
      select sent.host_id, sent.ip_address_ids is not null
      from jsonb_to_recordset(assignments) as sent (host_id uuid, ip_address_ids uuid[])) as changed);
  if gone <> '{}' then
    delete from public.credential_hosts as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential
      and assigned.host_id = any (gone);
  end if;
  select array_agg(changed.host_id), array_agg(changed.ip_address_id) into gone_from, gone from (
    select assigned.host_id, assigned.ip_address_id from public.credential_host_ip_addresses as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential
    except
    select sent.host_id, unnest(sent.ip_address_ids)
    from jsonb_to_recordset(assignments) as sent (host_id uuid, ip_address_ids uuid[])) as changed;
  if gone is not null then
    delete from public.credential_host_ip_addresses as assigned
    using unnest(gone_from, gone) as left_out (host_id, ip_address_id)
    where assigned.organization_id = organization and assigned.credential_id = credential
      and assigned.host_id = left_out.host_id and assigned.ip_address_id = left_out.ip_address_id;
  end if;
  -- An assignment that has lost all its addresses is deleted as well: see app.drop_emptied_assignments.
  if exists (
    select sent.host_id from jsonb_to_recordset(assignments) as sent (host_id uuid)
    except
    select assigned.host_id from public.credential_hosts as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential)
  then
    insert into public.credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
    select organization, credential, added.host_id, added.is_limited from (
      select sent.host_id, sent.ip_address_ids is not null as is_limited
      from jsonb_to_recordset(assignments) as sent (host_id uuid, ip_address_ids uuid[])
      except
      select assigned.host_id, assigned.is_limited_to_addresses from public.credential_hosts as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential) as added;
  end if;
  if exists (
    select sent.host_id, unnest(sent.ip_address_ids)
    from jsonb_to_recordset(assignments) as sent (host_id uuid, ip_address_ids uuid[])
    except
    select assigned.host_id, assigned.ip_address_id from public.credential_host_ip_addresses as assigned
    where assigned.organization_id = organization and assigned.credential_id = credential)
  then
    insert into public.credential_host_ip_addresses (organization_id, credential_id, host_id, ip_address_id)
    select organization, credential, added.host_id, added.ip_address_id from (
      select sent.host_id, unnest(sent.ip_address_ids) as ip_address_id
      from jsonb_to_recordset(assignments) as sent (host_id uuid, ip_address_ids uuid[])
      except
      select assigned.host_id, assigned.ip_address_id
      from public.credential_host_ip_addresses as assigned
      where assigned.organization_id = organization and assigned.credential_id = credential) as added;
  end if;
end
$$;

grant execute on function app.replace_assignments_of_credential to inventory_api;
