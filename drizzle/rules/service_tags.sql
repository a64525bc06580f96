alter table service_tags enable row level security;
create policy tenant on service_tags to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or exists (
    select from services as record
    where record.organization_id = service_tags.organization_id
      and record.id = service_tags.service_id)));
grant select, insert, delete on service_tags to inventory_api;

-- The budget of versions.
create trigger count_begun after insert on service_tags
  for each row when (
    current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();

-- Since when a tag is on a record, and until when. Only the owner, who seeds, says since when. By their names,
-- `set_keep_*` fires after `revise_*`, which finds the timestamp that the records need.
create trigger begin_changed_tag before update on service_tags
  for each row execute function app.begin_tag('services', 'service_id');
create trigger begin_tag before insert on service_tags
  for each row when (new.valid_from is null or row_security_active('service_tags'::regclass))
  execute function app.begin_tag('services', 'service_id');
create trigger set_keep_updated after update on service_tags
  referencing old table as changed for each statement execute function app.keep_tags('service_id');
create trigger set_keep_deleted after delete on service_tags
  referencing old table as changed for each statement execute function app.keep_tags('service_id');

-- What changes a set of a record changes the record.
create trigger revise_services_inserted after insert on service_tags
  referencing new table as changed for each statement
  execute function app.revise_services();
create trigger revise_services_updated after update on service_tags
  referencing new table as changed for each statement
  execute function app.revise_services();
create trigger revise_services_deleted after delete on service_tags
  referencing old table as changed for each statement
  execute function app.revise_services();
