-- Stores the secret of a webhook that the caller can access. For `overlap_seconds`, the previous secret continues to be
-- used for signing.
create or replace function app.store_webhook_secret(webhook uuid, sealed_secret text, overlap_seconds integer)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reaches_all boolean := app.reaches_all_networks();
  reached uuid[] := case when reaches_all then '{}' else app.network_ids() end;
begin
  if not exists (
    select from public.webhooks as known
    where known.organization_id = organization and known.id = webhook
      and (reaches_all or (known.network_ids <> '{}' and known.network_ids <@ reached)))
  then
    perform app.abort('entity_not_found', jsonb_build_object('entity', 'Webhook', 'id', webhook));
  end if;
  perform app.bound_audit_entries(organization, 1);
  delete from public.webhook_secrets as secret
  where secret.organization_id = organization and secret.webhook_id = webhook and secret.is_former;
  if overlap_seconds > 0 then
    update public.webhook_secrets as secret set
      is_former = true, expires_at = now() + make_interval(secs => overlap_seconds)
    where secret.organization_id = organization and secret.webhook_id = webhook;
  end if;
  insert into public.webhook_secrets (organization_id, webhook_id, is_former, sealed)
  values (organization, webhook, false, sealed_secret)
  on conflict on constraint webhook_secrets_pk do update set sealed = excluded.sealed;
  perform app.write_audit(organization, 'rotated', 'Webhook', array[webhook], array[(
    select known.name::text from public.webhooks as known
    where known.organization_id = organization and known.id = webhook)], array[null::uuid], '{}');
end
$$;

grant execute on function app.store_webhook_secret to inventory_api;
