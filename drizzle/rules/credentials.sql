-- The size of a page is estimated from the stored size of its rows. A credential's settings are stored uncompressed,
-- since text that compresses well would otherwise make a page seem small.
alter table credentials alter column settings set storage external;

alter table credentials enable row level security;
create policy tenant on credentials to inventory_api
  using (organization_id = (select app.organization_id()));
create policy reach on credentials as restrictive for update to inventory_api
  using ((select app.reaches_all_networks()) or app.holds_credential(id));
create policy reach_of_deletion on credentials as restrictive for delete to inventory_api
  using ((select app.reaches_all_networks()) or app.holds_credential(id));
grant select, insert, delete on credentials to inventory_api;
grant update (updated_at, name, settings, external_id, metadata) on credentials to inventory_api;
