-- Every report writes all that it sees again: when that was, which no index has. A row whose page has room for
-- its new version stays in the indexes as it is.
alter table ports set (fillfactor = 50);

-- The organization is an expression, as in all indexes of GiST: see drizzle/README.md, "Indexes of GiST".
call app.constrain('ports', 'ports_one_version_at_a_time', '
  EXCLUDE USING gist (
    COALESCE(organization_id, id) WITH =, COALESCE(lineage_id, id) WITH =,
    tstzrange(valid_from, valid_to) WITH &&)');
-- Deferrable: two records may exchange their numbers in one statement.
call app.constrain('ports', 'ports_host_unique', '
  UNIQUE (organization_id, live_host_id, number, protocol) DEFERRABLE');

alter table ports enable row level security;
create policy tenant on ports to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on ports to inventory_api;
grant update (host_id, number, protocol, last_seen_at, last_discovery_id) on ports to inventory_api;

-- History. Triggers fire in the order of their names.
create trigger history_1_refuse before insert on ports
  for each row when (row_security_active('ports'::regclass))
  execute function app.refuse_written_history();
create trigger history_2_begin before insert on ports
  for each row when (new.valid_to is null or new.last_seen_at is null)
  execute function app.begin_record('host_id');
create trigger history_2_change before update on ports
  for each row when (
    old.valid_to is not null
    -- Most updates say only that something was seen again. One that changes nothing at all says that a set of
    -- the record has changed: see app.revise_hosts.
    or (new.last_seen_at is not distinct from old.last_seen_at and
      (
        new.id, new.created_at, new.updated_at, new.organization_id, new.network_id, new.host_id,
        new.number, new.protocol, new.revision, new.last_seen_at, new.valid_from, new.valid_to,
        new.first_discovery_id, new.last_discovery_id, new.lineage_id
      ) is not distinct from (
        old.id, old.created_at, old.updated_at, old.organization_id, old.network_id, old.host_id,
        old.number, old.protocol, old.revision, old.last_seen_at, old.valid_from, old.valid_to,
        old.first_discovery_id, old.last_discovery_id, old.lineage_id
      ))
    or
    (
      new.id, new.created_at, new.updated_at, new.organization_id, new.network_id, new.host_id,
      new.number, new.protocol, new.revision, new.valid_from, new.valid_to, new.first_discovery_id,
      new.lineage_id
    ) is distinct from (
      old.id, old.created_at, old.updated_at, old.organization_id, old.network_id, old.host_id,
      old.number, old.protocol, old.revision, old.valid_from, old.valid_to, old.first_discovery_id,
      old.lineage_id
    ))
  execute function app.change_record('host_id');
create trigger history_2_end before delete on ports
  for each row execute function app.change_record('host_id');
create trigger history_3_version before update on ports
  for each row when (
    (
      new.network_id, new.host_id, new.number, new.protocol
    ) is distinct from (
      old.network_id, old.host_id, old.number, old.protocol
    ))
  execute function app.begin_version();
create trigger history_4_keep_deleted after delete on ports
  referencing old table as deleted for each statement execute function app.keep_deleted_of_ports();
create trigger history_4_keep_changed after update on ports
  for each row when (new.valid_from is distinct from old.valid_from)
  execute function app.keep_version_of_ports();

-- The budget of versions.
create trigger count_begun after insert on ports
  for each row when (
    current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();
create trigger count_changed after update on ports
  for each row when (
    new.valid_from is distinct from old.valid_from
    and current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();

-- What belongs to a host is in its network.
create trigger complete before insert on ports
  for each row when (new.network_id is null)
  execute function app.complete_part_of_host();
create trigger complete_changed before update on ports
  for each row when ((new.host_id, new.network_id) is distinct from (old.host_id, old.network_id))
  execute function app.complete_part_of_host();

-- Bounds.
create trigger bound_host_inserted after insert on ports
  referencing new table as changed for each statement
  when (current_user in ('inventory_api', 'inventory_ingest'))
  execute function app.bound_host('ports');
create trigger bound_host_updated after update on ports
  referencing old table as former new table as changed for each statement
  when (current_user in ('inventory_api', 'inventory_ingest'))
  execute function app.bound_host('ports');

-- What changes a set of a record changes the record.
create trigger revise_hosts_inserted after insert on ports
  referencing new table as changed for each statement
  execute function app.revise_hosts('versioned');
create trigger revise_hosts_updated after update on ports
  referencing old table as former new table as changed for each statement
  execute function app.revise_hosts('versioned');
create trigger revise_hosts_deleted after delete on ports
  referencing old table as changed for each statement
  execute function app.revise_hosts('versioned');
