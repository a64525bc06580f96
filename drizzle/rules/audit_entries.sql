-- Only triggers write to this table: none of the service's logins may insert, change or delete rows.
alter table audit_entries enable row level security;
create policy tenant on audit_entries to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select on audit_entries to inventory_api;

create trigger refuse_change before update or delete on audit_entries
  for each row execute function app.refuse_changed_audit();
