-- Only triggers and the job that folds rows write to this table: none of the service's logins may insert, change or
-- delete rows.
alter table count_deltas enable row level security;
create policy tenant on count_deltas to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select on count_deltas to inventory_api;
