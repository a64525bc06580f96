-- Only app.changed_at writes to this table: none of the service's logins may insert, change or delete rows.
alter table transactions enable row level security;
create policy tenant on transactions to inventory_api
  using (organization_id = (select app.organization_id()));
grant select on transactions to inventory_api;
