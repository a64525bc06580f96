-- Claims an Idempotency-Key for the records that this transaction creates (API contract, section 7). Of two
-- transactions with the same key, the second waits here for the first, on the primary key. Aborts the transaction if
-- the key has already been claimed. If the request is the same, the error is INV02 with the records that were created
-- then. `digests` are HMACs of the request, one with each sealing key; the first one is stored.
create or replace function app.claim_idempotency(
  claimed_key text, claimed_operation text, digests bytea[], created_ids uuid[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  presented public.user_api_keys := app.presented_key();
  -- Tokens with different subjects must not replay each other's requests.
  bearer constant text := coalesce((app.presented_token()).subject, '');
  stored public.idempotency_keys;
begin
  delete from public.idempotency_keys as old
  where old.organization_id = presented.organization_id and old.api_key_id = presented.id
    and old.subject = bearer and old.key = claimed_key and old.created_at <= now() - interval '24 hours';
  -- A conflicting row may be swept before it is read. The insert is then retried.
  loop
    insert into public.idempotency_keys
      (organization_id, api_key_id, subject, key, operation, request_digest, record_ids)
    values (presented.organization_id, presented.id, bearer, claimed_key, claimed_operation, digests[1],
      created_ids)
    on conflict on constraint idempotency_keys_pk do nothing;
    if found then
      return;
    end if;
    select * into stored from public.idempotency_keys as earlier
    where earlier.organization_id = presented.organization_id
      and earlier.api_key_id = presented.id and earlier.subject = bearer and earlier.key = claimed_key;
    exit when found;
  end loop;
  if stored.operation <> claimed_operation or stored.request_digest <> all (digests) then
    perform app.abort('idempotency_key_reused');
  end if;
  raise exception using
    errcode = 'INV02',
    message = 'the request was served before',
    detail = jsonb_build_object(
      'record_ids', stored.record_ids,
      'key_id', presented.id,
      'organization_id', presented.organization_id)::text;
end
$$;

grant execute on function app.claim_idempotency to inventory_api;
