-- Every report writes all that it sees again: when that was, which no index has. A row whose page has room for
-- its new version stays in the indexes as it is.
alter table hosts set (fillfactor = 50);

-- The organization is an expression, as in all indexes of GiST: see drizzle/README.md, "Indexes of GiST".
call app.constrain('hosts', 'hosts_one_version_at_a_time', '
  EXCLUDE USING gist (
    COALESCE(organization_id, id) WITH =, COALESCE(lineage_id, id) WITH =,
    tstzrange(valid_from, valid_to) WITH &&)');
-- Foreign keys look hosts up by organization, network and id. A planner that knows nothing of the table, or
-- takes the first two for independent, reads all hosts of the network for each row.
create statistics if not exists hosts_of_networks (dependencies) on organization_id, network_id from hosts;

alter table hosts enable row level security;
create policy tenant on hosts to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on hosts to inventory_api;
grant update (
  name, last_seen_at, last_discovery_id, hostname, description, hidden, virtualization, sys_name,
  sys_descr, sys_object_id, sys_location, sys_contact, management_url, chassis_id, manufacturer, model,
  serial_number, discovered, operating_system, evidence
) on hosts to inventory_api;

-- Whether a host is stale, which callers cannot write. Fires before the triggers of history, which then see the change.
create trigger history_1_judge_created before insert on hosts
  for each row when (new.is_stale and row_security_active('hosts'::regclass))
  execute function app.judge_seen_host();
create trigger history_1_judge_seen before update on hosts
  for each row when (old.is_stale and old.valid_to is null and new.last_seen_at > old.last_seen_at)
  execute function app.judge_seen_host();

-- History. Triggers fire in the order of their names.
create trigger history_1_refuse before insert on hosts
  for each row when (row_security_active('hosts'::regclass))
  execute function app.refuse_written_history();
create trigger history_2_begin before insert on hosts
  for each row when (new.valid_to is null or new.last_seen_at is null)
  execute function app.begin_record('id');
create trigger history_2_change before update on hosts
  for each row when (
    old.valid_to is not null
    -- Most updates say only that something was seen again. One that changes nothing at all says that a set of
    -- the record has changed: see app.revise_hosts.
    or (new.last_seen_at is not distinct from old.last_seen_at and
      (
        new.id, new.created_at, new.updated_at, new.organization_id, new.network_id, new.name,
        new.revision, new.last_seen_at, new.valid_from, new.valid_to, new.first_discovery_id,
        new.last_discovery_id, new.lineage_id, new.hostname, new.description, new.hidden, new.source,
        new.virtualization, new.sys_name, new.sys_descr, new.sys_object_id, new.sys_location,
        new.sys_contact, new.management_url, new.chassis_id, new.manufacturer, new.model,
        new.serial_number, new.discovered, new.operating_system, new.evidence, new.is_stale
      ) is not distinct from (
        old.id, old.created_at, old.updated_at, old.organization_id, old.network_id, old.name,
        old.revision, old.last_seen_at, old.valid_from, old.valid_to, old.first_discovery_id,
        old.last_discovery_id, old.lineage_id, old.hostname, old.description, old.hidden, old.source,
        old.virtualization, old.sys_name, old.sys_descr, old.sys_object_id, old.sys_location,
        old.sys_contact, old.management_url, old.chassis_id, old.manufacturer, old.model,
        old.serial_number, old.discovered, old.operating_system, old.evidence, old.is_stale
      ))
    or
    (
      new.id, new.created_at, new.updated_at, new.organization_id, new.network_id, new.name,
      new.revision, new.valid_from, new.valid_to, new.first_discovery_id, new.lineage_id, new.hostname,
      new.description, new.hidden, new.source, new.virtualization, new.sys_name, new.sys_descr,
      new.sys_object_id, new.sys_location, new.sys_contact, new.management_url, new.chassis_id,
      new.manufacturer, new.model, new.serial_number, new.operating_system, new.is_stale
    ) is distinct from (
      old.id, old.created_at, old.updated_at, old.organization_id, old.network_id, old.name,
      old.revision, old.valid_from, old.valid_to, old.first_discovery_id, old.lineage_id, old.hostname,
      old.description, old.hidden, old.source, old.virtualization, old.sys_name, old.sys_descr,
      old.sys_object_id, old.sys_location, old.sys_contact, old.management_url, old.chassis_id,
      old.manufacturer, old.model, old.serial_number, old.operating_system, old.is_stale
    ))
  execute function app.change_record('id');
create trigger history_2_end before delete on hosts
  for each row execute function app.change_record('id');
create trigger history_3_version before update on hosts
  for each row when (
    (
      new.network_id, new.name, new.hostname, new.description, new.source, new.virtualization,
      new.sys_name, new.sys_descr, new.sys_object_id, new.sys_location, new.sys_contact,
      new.management_url, new.chassis_id, new.manufacturer, new.model, new.serial_number,
      new.operating_system, new.is_stale
    ) is distinct from (
      old.network_id, old.name, old.hostname, old.description, old.source, old.virtualization,
      old.sys_name, old.sys_descr, old.sys_object_id, old.sys_location, old.sys_contact,
      old.management_url, old.chassis_id, old.manufacturer, old.model, old.serial_number,
      old.operating_system, old.is_stale
    ))
  execute function app.begin_version();
create trigger history_4_keep_deleted after delete on hosts
  referencing old table as deleted for each statement execute function app.keep_deleted_of_hosts();
create trigger history_4_keep_changed after update on hosts
  for each row when (new.valid_from is distinct from old.valid_from)
  execute function app.keep_version_of_hosts();

-- The budget of versions.
create trigger count_begun after insert on hosts
  for each row when (
    current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();
create trigger count_changed after update on hosts
  for each row when (
    new.valid_from is distinct from old.valid_from
    and current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();

-- What records are to each other.
create trigger refuse_other_network before update on hosts
  for each row when (new.network_id <> old.network_id) execute function app.refuse_other_network();

-- Milestones of onboarding.
create trigger reach_milestones after insert on hosts
  referencing new table as added for each statement execute function app.reach_host_milestone();
