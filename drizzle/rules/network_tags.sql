alter table network_tags enable row level security;
create policy tenant on network_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on network_tags to inventory_api;

-- Restrictions on keys.
create trigger refuse_limited_key before insert or update or delete on network_tags
  for each statement execute function app.refuse_limited_key();
