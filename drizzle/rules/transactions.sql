-- Only app.changed_at writes: no login of the service may insert, change or delete.
alter table transactions enable row level security;
create policy tenant on transactions to inventory_api
  using (organization_id = (select app.organization_id()));
grant select on transactions to inventory_api;
