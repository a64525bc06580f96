alter table organizations enable row level security;
create policy tenant on organizations to inventory_api using (id = (select app.organization_id()));
create policy reach on organizations as restrictive for update to inventory_api
  using ((select app.reaches_all_networks()));
grant select on organizations to inventory_api;
grant update (updated_at, name, history_days) on organizations to inventory_api;
