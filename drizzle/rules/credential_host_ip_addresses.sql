-- Deferrable: an address that moves to another host keeps its assignments.
call app.constrain('credential_host_ip_addresses', 'credential_host_ip_addresses_address_fk', '
  FOREIGN KEY (organization_id, host_id, ip_address_id)
  REFERENCES public.ip_addresses(organization_id, host_id, current_id) ON DELETE CASCADE DEFERRABLE');

alter table credential_host_ip_addresses enable row level security;
create policy tenant on credential_host_ip_addresses to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks())
    or app.reaches_host(organization_id, host_id, (select app.network_ids())::uuid[])))
  with check (organization_id = (select app.organization_id()));
grant select, insert, delete on credential_host_ip_addresses to inventory_api;

-- Limits.
create trigger bound_host_inserted after insert on credential_host_ip_addresses
  referencing new table as changed for each statement
  when (current_user in ('inventory_api', 'inventory_ingest'))
  execute function app.bound_assigned_addresses();
create trigger refuse_too_many_addresses after insert on credential_host_ip_addresses
  referencing new table as changed for each statement execute function app.refuse_too_many_addresses();

-- Relations between records.
create trigger drop_emptied_assignments after delete on credential_host_ip_addresses
  referencing old table as gone for each statement execute function app.drop_emptied_assignments();
