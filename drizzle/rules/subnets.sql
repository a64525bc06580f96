-- The organization is an expression, as in all indexes of GiST: see drizzle/README.md, "Indexes of GiST".
call app.constrain('subnets', 'subnets_one_version_at_a_time', '
  EXCLUDE USING gist (
    COALESCE(organization_id, id) WITH =, COALESCE(lineage_id, id) WITH =,
    tstzrange(valid_from, valid_to) WITH &&)');

alter table subnets enable row level security;
create policy tenant on subnets to inventory_api using (
  organization_id = (select app.organization_id())
  and ((select app.reaches_all_networks()) or network_id = any ((select app.network_ids())::uuid[])));
grant select, insert, delete on subnets to inventory_api;
grant update (
  last_seen_at, last_discovery_id, cidr, name, description, subnet_type
) on subnets to inventory_api;

-- History. Triggers fire in the order of their names.
create trigger history_1_refuse before insert on subnets
  for each row when (row_security_active('subnets'::regclass))
  execute function app.refuse_written_history();
create trigger history_2_begin before insert on subnets
  for each row when (new.valid_to is null or new.last_seen_at is null)
  execute function app.begin_record('');
create trigger history_2_change before update on subnets
  for each row when (
    old.valid_to is not null
    -- Most updates say only that something was seen again. One that changes nothing at all says that a set of
    -- the record has changed: see app.revise_hosts.
    or (new.last_seen_at is not distinct from old.last_seen_at and
      (
        new.id, new.created_at, new.updated_at, new.revision, new.organization_id, new.network_id,
        new.last_seen_at, new.valid_from, new.valid_to, new.first_discovery_id, new.last_discovery_id,
        new.lineage_id, new.cidr, new.name, new.description, new.subnet_type, new.source
      ) is not distinct from (
        old.id, old.created_at, old.updated_at, old.revision, old.organization_id, old.network_id,
        old.last_seen_at, old.valid_from, old.valid_to, old.first_discovery_id, old.last_discovery_id,
        old.lineage_id, old.cidr, old.name, old.description, old.subnet_type, old.source
      ))
    or
    (
      new.id, new.created_at, new.updated_at, new.revision, new.organization_id, new.network_id,
      new.valid_from, new.valid_to, new.first_discovery_id, new.lineage_id, new.cidr, new.name,
      new.description, new.subnet_type, new.source
    ) is distinct from (
      old.id, old.created_at, old.updated_at, old.revision, old.organization_id, old.network_id,
      old.valid_from, old.valid_to, old.first_discovery_id, old.lineage_id, old.cidr, old.name,
      old.description, old.subnet_type, old.source
    ))
  execute function app.change_record('');
create trigger history_2_end before delete on subnets
  for each row execute function app.change_record('');
create trigger history_3_version before update on subnets
  for each row when (
    (
      new.network_id, new.cidr, new.name, new.description, new.subnet_type, new.source
    ) is distinct from (
      old.network_id, old.cidr, old.name, old.description, old.subnet_type, old.source
    ))
  execute function app.begin_version();
create trigger history_4_keep_deleted after delete on subnets
  referencing old table as deleted for each statement execute function app.keep_deleted_of_subnets();
create trigger history_4_keep_changed after update on subnets
  for each row when (new.valid_from is distinct from old.valid_from)
  execute function app.keep_version_of_subnets();

-- The budget of versions.
create trigger count_begun after insert on subnets
  for each row when (
    current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();
create trigger count_changed after update on subnets
  for each row when (
    new.valid_from is distinct from old.valid_from
    and current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true'))
  execute function app.count_version();

-- What records are to each other.
create trigger empty before delete on subnets
  for each row execute function app.empty_subnet();
create trigger fit before update on subnets
  for each row when (old.valid_to is null and new.cidr <> old.cidr) execute function app.fit_subnet();
create trigger refuse_other_network before update on subnets
  for each row when (new.network_id <> old.network_id) execute function app.refuse_other_network();
