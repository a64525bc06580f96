-- How much stands behind what discovery wrote, operating systems and versions, and scans that are light or
-- full. A column that is searched is made anew, and its indexes with it.
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_schedule_check";
--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "schedule_is_full_scan" boolean;
--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD COLUMN "is_full_scan" boolean;
--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD COLUMN "initiated_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "operating_system" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "evidence" jsonb;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "evidence" jsonb;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "version" text;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "evidence" jsonb;
--> statement-breakpoint
ALTER TABLE "hosts" drop column "searchable";
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || coalesce(hostname, '') || chr(10) || coalesce(sys_name, '') || chr(10) || coalesce(operating_system, '')) collate "und-x-icu")) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "services" drop column "searchable";
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || service_definition || chr(10) || coalesce(version, '')) collate "und-x-icu")) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_schedule_check" CHECK (("daemons"."schedule_cron" is null) = ("daemons"."schedule_timezone" is null)
        and ("daemons"."schedule_is_full_scan" is null or "daemons"."schedule_cron" is not null)
        and ("daemons"."next_scan_at" is null or "daemons"."schedule_cron" is not null));
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_operating_system_check" CHECK (char_length("hosts"."operating_system") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_version_check" CHECK (char_length("services"."version") between 1 and 255);
--> statement-breakpoint
CREATE INDEX "hosts_searchable_index" ON "hosts" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "hosts_pairs_index" ON "hosts" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "services_searchable_index" ON "services" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "services_pairs_index" ON "services" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
-- Keeps the history of a table, whoever writes. Needs the columns of `versioned` (tables/history.ts).
-- To be called again after a column was added.
-- `unversioned`: columns whose change makes no version, beyond those that no table makes one of.
-- `host_column`: the column that names the host a record belongs to, or is.
create or replace procedure app.keep_history(
  record_table name, unversioned name[] default '{}', host_column name default '')
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- What discovery notes of a record, beside what callers see of it change.
  unseen constant name[] := array['last_seen_at', 'last_discovery_id', 'discovered', 'evidence'];
  kept text;
  kept_old text;
  versioned_new text;
  versioned_old text;
  every_new text;
  every_old text;
  visible_new text;
  visible_old text;
begin
  select string_agg(quote_ident(attname), ', ' order by attnum),
    string_agg(case attname when 'valid_to' then 'closed_at' when 'lineage_id' then 'old.id'
      else 'old.' || quote_ident(attname) end, ', ' order by attnum)
  into kept, kept_old
  from pg_attribute
  where attrelid = ('public.' || quote_ident(record_table))::regclass and attnum > 0
    and not attisdropped and attgenerated = '' and attname <> 'id';
  select string_agg('new.' || quote_ident(attname), ', ' order by attnum),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum)
  into versioned_new, versioned_old
  from pg_attribute
  where attrelid = ('public.' || quote_ident(record_table))::regclass and attnum > 0
    and not attisdropped and attgenerated = ''
    and attname <> all (unversioned || unseen || array['id', 'organization_id', 'created_at', 'updated_at',
      'revision', 'first_discovery_id', 'valid_from', 'valid_to', 'lineage_id']::name[]);

  select string_agg('new.' || quote_ident(attname), ', ' order by attnum),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum),
    string_agg('new.' || quote_ident(attname), ', ' order by attnum) filter (where is_visible),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum) filter (where is_visible)
  into every_new, every_old, visible_new, visible_old
  from (
    select attname, attnum, attname <> all (unseen) as is_visible
    from pg_attribute
    where attrelid = ('public.' || quote_ident(record_table))::regclass and attnum > 0
      and not attisdropped and attgenerated = '') as attribute;

  -- After the row has left the interval, so that its copy can take the interval over.
  execute format($function$
    create or replace function app.keep_version_of_%1$s() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      closed_at timestamptz;
    begin
      if tg_op = 'UPDATE' then
        closed_at := new.valid_from;
      elsif exists (select from public.organizations where id = old.organization_id) then
        closed_at := app.changed_at(old.organization_id);
      end if;
      -- A version that lasted no time was never visible.
      if closed_at > old.valid_from then
        insert into public.%1$I (%2$s) values (%3$s);
      end if;
      return null;
    end
    $body$
  $function$, record_table, kept, kept_old);
  execute format('revoke execute on function app.keep_version_of_%s() from public', record_table);

  if not exists (
    select from pg_constraint where conname = record_table || '_one_version_at_a_time')
  then
    execute format('alter table public.%I add constraint %I
      exclude using gist (organization_id with =, (coalesce(lineage_id, id)) with =,
        tstzrange(valid_from, valid_to) with &&)',
      record_table, record_table || '_one_version_at_a_time');
  end if;

  -- Triggers fire in the order of their names.
  execute format('create or replace trigger history_1_refuse before insert on public.%I
    for each row execute function app.refuse_written_history()', record_table);
  execute format('create or replace trigger history_2_begin before insert on public.%I
    for each row execute function app.begin_record(%L)', record_table, host_column);
  -- To be seen again is no change. An update that changes nothing at all is one: it says that a set
  -- of the record changed (app.revise_owners).
  execute format('create or replace trigger history_2_change before update on public.%1$I
    for each row when (
      old.valid_to is not null
      or (%3$s) is not distinct from (%4$s)
      or (%5$s) is distinct from (%6$s))
    execute function app.change_record(%2$L)', record_table, host_column, every_new, every_old,
    visible_new, visible_old);
  execute format('create or replace trigger history_2_end before delete on public.%I
    for each row execute function app.change_record(%L)', record_table, host_column);
  execute format('create or replace trigger history_3_version before update on public.%I
    for each row when ((%s) is distinct from (%s)) execute function app.begin_version()',
    record_table, versioned_new, versioned_old);
  execute format('create or replace trigger history_4_keep_changed after update on public.%1$I
    for each row when (new.valid_from is distinct from old.valid_from)
    execute function app.keep_version_of_%1$s()', record_table);
  execute format('create or replace trigger history_4_keep_deleted after delete on public.%1$I
    for each row execute function app.keep_version_of_%1$s()', record_table);
end
$$;
--> statement-breakpoint
call app.keep_history('subnets');
--> statement-breakpoint
call app.keep_history('hosts', array['hidden'], 'id');
--> statement-breakpoint
call app.keep_history('ip_addresses', array['position'], 'host_id');
--> statement-breakpoint
call app.keep_history('ports', '{}', 'host_id');
--> statement-breakpoint
call app.keep_history('services', array['position'], 'host_id');
--> statement-breakpoint
call app.keep_history('bindings', '{}', 'host_id');
--> statement-breakpoint
grant update (operating_system, evidence) on hosts to inventory_api;
--> statement-breakpoint
grant update (version, evidence) on services to inventory_api;
--> statement-breakpoint
grant update (evidence) on ip_addresses to inventory_api;
--> statement-breakpoint
grant update (schedule_is_full_scan) on daemons to inventory_api;
--> statement-breakpoint
grant update (is_full_scan, initiated_at) on discovery_sessions to inventory_poller;
