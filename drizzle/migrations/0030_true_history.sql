-- What history says is true: entity tags follow what discovery changes, tags have a past, and what was not
-- changed is not checked anew.
CREATE TABLE "closed_host_tags" (
	"organization_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone NOT NULL,
	"valid_to" timestamp(3) with time zone NOT NULL,
	"host_id" uuid NOT NULL,
	CONSTRAINT "closed_host_tags_pk" PRIMARY KEY("organization_id","host_id","tag_id","valid_to"),
	CONSTRAINT "closed_host_tags_interval_check" CHECK ("closed_host_tags"."valid_from" < "closed_host_tags"."valid_to")
);
--> statement-breakpoint
CREATE TABLE "closed_service_tags" (
	"organization_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone NOT NULL,
	"valid_to" timestamp(3) with time zone NOT NULL,
	"service_id" uuid NOT NULL,
	CONSTRAINT "closed_service_tags_pk" PRIMARY KEY("organization_id","service_id","tag_id","valid_to"),
	CONSTRAINT "closed_service_tags_interval_check" CHECK ("closed_service_tags"."valid_from" < "closed_service_tags"."valid_to")
);
--> statement-breakpoint
CREATE TABLE "closed_subnet_tags" (
	"organization_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone NOT NULL,
	"valid_to" timestamp(3) with time zone NOT NULL,
	"subnet_id" uuid NOT NULL,
	CONSTRAINT "closed_subnet_tags_pk" PRIMARY KEY("organization_id","subnet_id","tag_id","valid_to"),
	CONSTRAINT "closed_subnet_tags_interval_check" CHECK ("closed_subnet_tags"."valid_from" < "closed_subnet_tags"."valid_to")
);
--> statement-breakpoint
-- Nobody noted since when: the past shows them as before. No row is written for that.
ALTER TABLE "host_tags" ADD COLUMN "valid_from" timestamp(3) with time zone DEFAULT '-infinity' NOT NULL;
--> statement-breakpoint
ALTER TABLE "host_tags" ALTER COLUMN "valid_from" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "service_tags" ADD COLUMN "valid_from" timestamp(3) with time zone DEFAULT '-infinity' NOT NULL;
--> statement-breakpoint
ALTER TABLE "service_tags" ALTER COLUMN "valid_from" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "subnet_tags" ADD COLUMN "valid_from" timestamp(3) with time zone DEFAULT '-infinity' NOT NULL;
--> statement-breakpoint
ALTER TABLE "subnet_tags" ALTER COLUMN "valid_from" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "closed_host_tags" ADD CONSTRAINT "closed_host_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "closed_service_tags" ADD CONSTRAINT "closed_service_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "closed_subnet_tags" ADD CONSTRAINT "closed_subnet_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "closed_host_tags_tag_index" ON "closed_host_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","host_id");
--> statement-breakpoint
CREATE INDEX "closed_service_tags_tag_index" ON "closed_service_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","service_id");
--> statement-breakpoint
CREATE INDEX "closed_subnet_tags_tag_index" ON "closed_subnet_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","subnet_id");
--> statement-breakpoint

-- An address lies in a subnet that holds it and that exists at the timestamp of the change. To write an
-- address as it is, is none: the subnet may have begun a version since.
drop trigger refuse_strange_subnet on ip_addresses;
--> statement-breakpoint
create trigger refuse_strange_subnet_inserted after insert on ip_addresses
  for each row when (new.live_subnet_id is not null) execute function app.refuse_strange_subnet();
--> statement-breakpoint
create trigger refuse_strange_subnet_updated after update on ip_addresses
  for each row when (new.live_subnet_id is not null and (
    new.live_subnet_id is distinct from old.live_subnet_id
    or new.address is distinct from old.address))
  execute function app.refuse_strange_subnet();
--> statement-breakpoint

-- Keeps the history of a table, whoever writes. Needs the columns of `versioned` (tables/history.ts).
-- To be called again after a column was added.
-- `unversioned`: columns whose change makes no version, beyond those that no table makes one of.
-- `host_column`: the column that names the host a record belongs to, or is.
-- `unseen`: columns that follow another record and that callers do not see: their change is none.
drop procedure app.keep_history(name, name[], name);
--> statement-breakpoint
create procedure app.keep_history(
  record_table name, unversioned name[] default '{}', host_column name default '',
  unseen name[] default '{}')
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  -- What discovery notes of a record, beside what callers see of it change.
  unnoticed constant name[] :=
    unseen || array['last_seen_at', 'last_discovery_id', 'discovered', 'evidence']::name[];
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
    and attname <> all (unversioned || unnoticed || array['id', 'organization_id', 'created_at', 'updated_at',
      'revision', 'first_discovery_id', 'valid_from', 'valid_to', 'lineage_id']::name[]);

  select string_agg('new.' || quote_ident(attname), ', ' order by attnum),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum),
    string_agg('new.' || quote_ident(attname), ', ' order by attnum) filter (where is_visible),
    string_agg('old.' || quote_ident(attname), ', ' order by attnum) filter (where is_visible)
  into every_new, every_old, visible_new, visible_old
  from (
    select attname, attnum, attname <> all (unnoticed) as is_visible
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
      closed_at := new.valid_from;
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
      -- Most updates say no more than that something was seen again.
      or (new.last_seen_at is not distinct from old.last_seen_at
        and (%3$s) is not distinct from (%4$s))
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
  execute format($function$
    create or replace function app.keep_deleted_of_%1$s() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
    begin
      -- All at once: to insert each by itself would fire the triggers of statements for each.
      insert into public.%1$I (%2$s)
      select %3$s
      from deleted as gone
        cross join lateral (select app.changed_at(gone.organization_id)) as change (closed_at)
      -- The organization goes with all its history. A version that lasted no time was never visible.
      where exists (select from public.organizations where id = gone.organization_id)
        and change.closed_at > gone.valid_from;
      return null;
    end
    $body$
  $function$, record_table, kept,
    replace(replace(kept_old, 'closed_at', 'change.closed_at'), 'old.', 'gone.'));
  execute format('revoke execute on function app.keep_deleted_of_%s() from public', record_table);
  -- One of each row, as it was, cannot be replaced by one of a statement.
  execute format('drop trigger if exists history_4_keep_deleted on public.%I', record_table);
  execute format('create trigger history_4_keep_deleted after delete on public.%1$I
    referencing old table as deleted for each statement
    execute function app.keep_deleted_of_%1$s()', record_table);
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
-- A binding shows its service. Its host is the service's, also when the service moves to another one.
call app.keep_history('bindings', '{}', 'host_id', array['host_id']);
--> statement-breakpoint

-- A set of a record is part of it: what changes the set changes the record. Arguments: the table of the
-- records, the column that names them, and `versioned` where the members have versions: of those only the
-- ones count whose own revision rose, as to be seen again is no change. One that moved counts for both.
--
-- Records that this transaction has changed before have got their new revision with that, and its
-- timestamp. That it has written them is not enough, as to be seen again changes none. One of the far
-- future, from a clock that was wrong, tells nothing. A deleted one needs none. Locks are taken in the
-- order of ids.
create or replace function app.revise_owners() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  stamped timestamptz;
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- A version that was closed concerns no owner. Said here, as what is executed below is planned each time.
  if tg_op = 'INSERT' and tg_nargs >= 3 then
    if not exists (select from changed where valid_to is null) then
      return null;
    end if;
  end if;
  -- Revisions only rise: where their sum is as before, all were only seen again.
  if tg_op = 'UPDATE' and tg_nargs >= 3 then
    if (select sum(revision) from changed) = (select sum(revision) from former) then
      return null;
    end if;
  end if;
  stamped := nullif(current_setting('app.changed_at', true), '')::timestamptz;
  execute format('
    with owners as (%4$s), stale as (
      select record.organization_id, record.id from public.%1$I as record
      where (record.organization_id, record.id) in (select organization_id, %2$I from owners)
        and (record.xmin <> pg_current_xact_id()::xid or %3$s)
      order by record.id for no key update)
    update public.%1$I as record set revision = record.revision from stale
    where record.organization_id = stale.organization_id and record.id = stale.id',
    tg_argv[0], tg_argv[1],
    case
      when tg_argv[0] in ('hosts', 'services', 'subnets') then format(
        'record.updated_at < %L or record.updated_at >= clock_timestamp() + interval ''1 second''',
        -- Anybody may set the setting, but not to change the past.
        case when stamped >= date_trunc('milliseconds', now()) then stamped
          else 'infinity'::timestamptz end)
      -- The gate has written when the key was used, for which its revision does not rise.
      when tg_argv[0] = 'user_api_keys' then 'record.last_used_at = now()::timestamptz(3)'
      else 'false'
    end,
    case
      when tg_nargs < 3 or tg_op = 'DELETE' then
        format('select organization_id, %I from changed', tg_argv[1])
      when tg_op = 'INSERT' then
        format('select organization_id, %I from changed where valid_to is null', tg_argv[1])
      else format('
        select changed.organization_id, changed.%1$I from changed
        join former using (organization_id, id) where changed.revision <> former.revision
        union
        select former.organization_id, former.%1$I from former
        join changed using (organization_id, id)
        where changed.revision <> former.revision and changed.%1$I <> former.%1$I', tg_argv[1])
    end);
  return null;
end
$$;
--> statement-breakpoint
do $$
declare
  part record;
begin
  for part in
    select * from (values
      ('ip_addresses', 'hosts', 'host_id'),
      ('ports', 'hosts', 'host_id'),
      ('services', 'hosts', 'host_id'),
      ('bindings', 'hosts', 'host_id'),
      ('bindings', 'services', 'service_id')
    ) as parts (child, owner, owner_id)
  loop
    execute format('create or replace trigger revise_%2$s_inserted after insert on %1$I
      referencing new table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L, %4$L)',
      part.child, part.owner, part.owner_id, 'versioned');
    execute format('create or replace trigger revise_%2$s_updated after update on %1$I
      referencing old table as former new table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L, %4$L)',
      part.child, part.owner, part.owner_id, 'versioned');
    execute format('create or replace trigger revise_%2$s_deleted after delete on %1$I
      referencing old table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L, %4$L)',
      part.child, part.owner, part.owner_id, 'versioned');
  end loop;
end
$$;
--> statement-breakpoint

-- A tag is on a record from the timestamp of the change that put it there. Arguments: the table of the
-- records, and the column that names them.
create function app.begin_tag() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  earliest timestamptz;
begin
  if nullif(current_setting('app.changed_at', true), '') is null then
    -- The change of the record, which follows, is stamped later than the one before.
    execute format('
      select record.updated_at + interval ''1 millisecond'' from public.%I as record
      where record.organization_id = $1 and record.current_id = ($2).%I for no key update',
      tg_argv[0], tg_argv[1])
    into earliest using new.organization_id, new;
  end if;
  new.valid_from := app.changed_at(new.organization_id, earliest);
  return new;
end
$$;
--> statement-breakpoint
-- Keeps what was on a record until now. The argument is the column that names the record.
create function app.keep_tags() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- An organization that is deleted goes with all its history. What lasted no time was never visible.
  execute format('
    insert into public.%1$I (organization_id, %2$I, tag_id, valid_from, valid_to)
    select changed.organization_id, changed.%2$I, changed.tag_id, changed.valid_from, ended.at
    from changed
    join (
      select known.id, app.changed_at(known.id) as at from public.organizations as known
      where known.id in (select organization_id from changed)) as ended
      on ended.id = changed.organization_id
    where changed.valid_from < ended.at', 'closed_' || tg_table_name, tg_argv[0]);
  return null;
end
$$;
--> statement-breakpoint
revoke execute on function app.begin_tag(), app.keep_tags() from public;
--> statement-breakpoint
do $$
declare
  part record;
begin
  for part in
    select * from (values ('subnet_tags', 'subnets', 'subnet_id'), ('host_tags', 'hosts', 'host_id'),
      ('service_tags', 'services', 'service_id')) as sets (child, owner, owner_id)
  loop
    -- Only the owner, who seeds, says since when a tag has been on a record.
    execute format('create trigger begin_tag before insert on %1$I for each row
      when (new.valid_from is null or row_security_active(''public.%1$I''::regclass))
      execute function app.begin_tag(%2$L, %3$L)', part.child, part.owner, part.owner_id);
    execute format('create trigger begin_changed_tag before update on %1$I
      for each row execute function app.begin_tag(%2$L, %3$L)', part.child, part.owner, part.owner_id);
    -- After `revise_*`, by their names: that finds the timestamp which the records need.
    execute format('create trigger set_keep_updated after update on %1$I
      referencing old table as changed for each statement
      execute function app.keep_tags(%2$L)', part.child, part.owner_id);
    execute format('create trigger set_keep_deleted after delete on %1$I
      referencing old table as changed for each statement
      execute function app.keep_tags(%2$L)', part.child, part.owner_id);
    execute format('alter table closed_%I enable row level security', part.child);
    -- Those of records that the caller sees, or saw while they lived.
    execute format('create policy tenant on closed_%1$I to inventory_api using (
      organization_id = (select app.organization_id())
      and ((select app.reaches_all_networks()) or exists (
        select from %2$I as record where record.organization_id = closed_%1$I.organization_id
          and record.live_id = closed_%1$I.%3$I)))', part.child, part.owner, part.owner_id);
    execute format('grant select on closed_%I to inventory_api', part.child);
  end loop;
end
$$;
