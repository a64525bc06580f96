alter table subnet_tags enable row level security;
create policy tenant on subnet_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from subnets as record
    where record.organization_id = subnet_tags.organization_id
      and record.id = subnet_tags.subnet_id)));
grant select, insert, delete on subnet_tags to inventory_api;

-- The budget of versions.
create trigger count_begun after insert on subnet_tags
  for each row when (
    current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();

-- Since when a tag is on a record, and until when. Only the owner, who seeds, says since when. By their names,
-- `set_keep_*` fires after `revise_*`, which finds the timestamp that the records need.
create trigger begin_changed_tag before update on subnet_tags
  for each row execute function app.begin_tag('subnets', 'subnet_id');
create trigger begin_tag before insert on subnet_tags
  for each row when (new.valid_from is null or row_security_active('subnet_tags'::regclass))
  execute function app.begin_tag('subnets', 'subnet_id');
create trigger set_keep_updated after update on subnet_tags
  referencing old table as changed for each statement execute function app.keep_tags('subnet_id');
create trigger set_keep_deleted after delete on subnet_tags
  referencing old table as changed for each statement execute function app.keep_tags('subnet_id');

-- What changes a set of a record changes the record.
create trigger revise_subnets_inserted after insert on subnet_tags
  referencing new table as changed for each statement
  execute function app.revise_subnets();
create trigger revise_subnets_updated after update on subnet_tags
  referencing new table as changed for each statement
  execute function app.revise_subnets();
create trigger revise_subnets_deleted after delete on subnet_tags
  referencing old table as changed for each statement
  execute function app.revise_subnets();
