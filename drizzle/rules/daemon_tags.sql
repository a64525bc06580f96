alter table daemon_tags enable row level security;
create policy tenant on daemon_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from daemons
    where daemons.organization_id = daemon_tags.organization_id
      and daemons.id = daemon_tags.daemon_id)));
grant select, insert, delete on daemon_tags to inventory_api;
