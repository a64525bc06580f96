alter table host_tags enable row level security;
create policy tenant on host_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks())
    or app.reaches_host(organization_id, host_id, (select app.network_ids())::uuid[])));
grant select, insert, delete on host_tags to inventory_api;

-- The budget of versions.
create trigger count_begun after insert on host_tags
  for each row when (
    current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();

-- Since when a tag is on a record, and until when. Only the owner, who seeds, says since when. By their names,
-- `set_keep_*` fires after `revise_*`, which finds the timestamp that the records need.
create trigger begin_changed_tag before update on host_tags
  for each row execute function app.begin_tag('hosts', 'host_id');
create trigger begin_tag before insert on host_tags
  for each row when (new.valid_from is null or row_security_active('host_tags'::regclass))
  execute function app.begin_tag('hosts', 'host_id');
create trigger set_keep_updated after update on host_tags
  referencing old table as changed for each statement execute function app.keep_tags('host_id');
create trigger set_keep_deleted after delete on host_tags
  referencing old table as changed for each statement execute function app.keep_tags('host_id');

-- What changes a set of a record changes the record.
create trigger revise_hosts_inserted after insert on host_tags
  referencing new table as changed for each statement
  execute function app.revise_hosts();
create trigger revise_hosts_updated after update on host_tags
  referencing new table as changed for each statement
  execute function app.revise_hosts();
create trigger revise_hosts_deleted after delete on host_tags
  referencing old table as changed for each statement
  execute function app.revise_hosts();
