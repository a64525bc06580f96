-- Deletes up to `maximum` rows of an organization whose grace has ended, and the organization itself with the last of
-- them. Returns the number of deleted rows; fewer than `maximum` if nothing is left. Children are deleted before their
-- parents, so that no deletion cascades to an unknown number of rows.
create or replace function app.delete_organization_rows(organization uuid, maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  relations constant text[] := '{
    app.scan_hosts, app.scan_gaps, app.handed_scans, app.scan_scopes, app.scan_cancellations, app.requested_scans,
    app.version_counters, app.usage_counts, app.usage_days, public.closed_host_tags, public.closed_service_tags, public.closed_subnet_tags,
    public.credential_host_ip_addresses, public.credential_hosts, public.credential_networks, public.credential_tags,
    public.credential_secrets, public.credential_secret_fields, public.credentials,
    public.discovery_sessions, public.daemon_tags, public.daemon_secrets, public.daemons,
    public.webhook_deliveries, public.webhook_secrets, public.webhooks,
    public.host_tags, public.service_tags, public.subnet_tags, public.network_tags, public.tags,
    public.bindings, public.neighbors, public.services, public.ports, public.interfaces, public.ip_addresses,
    public.hosts, public.subnets, public.count_deltas, public.transactions, public.audit_entries,
    public.idempotency_keys, public.user_api_tokens, public.user_api_key_networks, public.user_api_key_secrets,
    public.user_api_keys, public.networks}';
  relation text;
  deleted integer;
  swept integer := 0;
begin
  -- Without this, a table that contains the rows of all organizations may be read as a whole.
  perform set_config('enable_seqscan', 'off', true);
  perform from public.organizations as owner
  where owner.id = organization and owner.deletes_at <= now() for update skip locked;
  if not found then
    return 0;
  end if;
  foreach relation in array relations loop
    execute format('
      delete from %1$s as gone where gone.ctid = any (array(
        select known.ctid from %1$s as known where known.organization_id = $1 limit $2))', relation)
    using organization, maximum - swept;
    get diagnostics deleted = row_count;
    swept := swept + deleted;
    if swept >= maximum then
      return swept;
    end if;
  end loop;
  delete from public.organizations as owner where owner.id = organization;
  return swept;
end
$$;
