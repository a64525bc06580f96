CREATE TABLE "user_api_key_secrets" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"expires_at" timestamp(3) with time zone,
	CONSTRAINT "user_api_key_secrets_pk" PRIMARY KEY("key_hash"),
	CONSTRAINT "user_api_key_secrets_hash_check" CHECK (octet_length("user_api_key_secrets"."key_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "daemon_tags" (
	"organization_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "daemon_tags_pk" PRIMARY KEY("organization_id","daemon_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"key" text NOT NULL,
	"operation" text NOT NULL,
	"request_digest" "bytea" NOT NULL,
	"record_ids" uuid[] NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("organization_id","api_key_id","key"),
	CONSTRAINT "idempotency_keys_key_check" CHECK (char_length("idempotency_keys"."key") between 1 and 255),
	CONSTRAINT "idempotency_keys_operation_check" CHECK (char_length("idempotency_keys"."operation") between 1 and 300),
	CONSTRAINT "idempotency_keys_digest_check" CHECK (octet_length("idempotency_keys"."request_digest") = 32)
);
--> statement-breakpoint
CREATE TABLE "network_tags" (
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "network_tags_pk" PRIMARY KEY("organization_id","network_id","tag_id")
);
--> statement-breakpoint
-- The primary keys of tenants' records begin with the organization, so that an id that is taken in one
-- cannot be noticed from another. The foreign keys that hung on the former ones are made again as they were.
do $$
declare
  record_table regclass;
  dependent record;
  dependents jsonb;
begin
  foreach record_table in array array['networks', 'hosts', 'ip_addresses', 'ports', 'services', 'tags',
    'bindings', 'credentials', 'daemons', 'user_api_keys']::regclass[]
  loop
    select coalesce(jsonb_agg(jsonb_build_object('on_table', key.conrelid::regclass::text,
      'name', key.conname, 'definition', pg_get_constraintdef(key.oid))), '[]')
    into dependents
    from pg_constraint as key
    where key.contype = 'f' and key.conindid in (
      select conindid from pg_constraint
      where conrelid = record_table and contype in ('p', 'u')
        and conname in (record_table || '_pkey', record_table || '_tenant_unique'));
    for dependent in
      select * from jsonb_to_recordset(dependents) as key (on_table text, name text, definition text)
    loop
      execute format('alter table %s drop constraint %I', dependent.on_table, dependent.name);
    end loop;
    execute format('alter table %s drop constraint %I', record_table, record_table || '_pkey');
    execute format('alter table %s drop constraint if exists %I', record_table,
      record_table || '_tenant_unique');
    execute format('alter table %s add constraint %I primary key (organization_id, id)',
      record_table, record_table || '_pk');
    for dependent in
      select * from jsonb_to_recordset(dependents) as key (on_table text, name text, definition text)
    loop
      execute format('alter table %s add constraint %I %s', dependent.on_table, dependent.name,
        dependent.definition);
    end loop;
  end loop;
end
$$;
--> statement-breakpoint
ALTER TABLE "user_api_key_networks" DROP CONSTRAINT "user_api_key_networks_api_key_id_network_id_pk";
--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_pk" PRIMARY KEY("organization_id","api_key_id","network_id");
--> statement-breakpoint
ALTER TABLE "user_api_keys" ALTER COLUMN "name" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "daemons" ALTER COLUMN "name" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "networks" ALTER COLUMN "name" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tags" ALTER COLUMN "name" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD COLUMN "key_hint" text;
--> statement-breakpoint
ALTER TABLE "bindings" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "credentials" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "description" text;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "description" text;
--> statement-breakpoint
ALTER TABLE "tags" ADD COLUMN "color" text DEFAULT 'Gray' NOT NULL;
--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "revision" bigint DEFAULT 1 NOT NULL;
--> statement-breakpoint
insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
select organization_id, id, key_hash from user_api_keys;
--> statement-breakpoint
ALTER TABLE "user_api_keys" DROP CONSTRAINT "user_api_keys_key_hash_unique";
--> statement-breakpoint
ALTER TABLE "user_api_keys" DROP CONSTRAINT "user_api_keys_hash_check";
--> statement-breakpoint
ALTER TABLE "user_api_keys" DROP COLUMN "key_hash";
--> statement-breakpoint
-- What names could be before the constraints below: of two tags with one name, the younger gets a number.
update networks set name = coalesce(nullif(left(name, 100), ''), 'Unnamed')
where char_length(name) not between 1 and 100;
--> statement-breakpoint
update tags set name = coalesce(nullif(left(name, 100), ''), 'Unnamed')
where char_length(name) not between 1 and 100;
--> statement-breakpoint
do $$
declare
  double record;
  suffix integer;
begin
  for double in
    select * from (
      select organization_id, id, name, row_number() over (
        partition by organization_id, lower(name collate "und-x-icu") order by created_at, id) as nth
      from tags) as named
    where nth > 1
  loop
    suffix := double.nth;
    while exists (
      select from tags where tags.organization_id = double.organization_id
        and lower(tags.name collate "und-x-icu")
          = lower(left(double.name, 80) || ' (' || suffix || ')' collate "und-x-icu"))
    loop
      suffix := suffix + 1;
    end loop;
    update tags set name = left(double.name, 80) || ' (' || suffix || ')'
    where tags.organization_id = double.organization_id and tags.id = double.id;
  end loop;
end
$$;
--> statement-breakpoint
ALTER TABLE "user_api_key_secrets" ADD CONSTRAINT "user_api_key_secrets_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "daemon_tags" ADD CONSTRAINT "daemon_tags_daemon_fk" FOREIGN KEY ("organization_id","daemon_id") REFERENCES "public"."daemons"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "daemon_tags" ADD CONSTRAINT "daemon_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "network_tags" ADD CONSTRAINT "network_tags_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "network_tags" ADD CONSTRAINT "network_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "networks_created_index" ON "networks" USING btree ("organization_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "tags_created_index" ON "tags" USING btree ("organization_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "user_api_keys_created_index" ON "user_api_keys" USING btree ("organization_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "user_api_key_secrets_key_index" ON "user_api_key_secrets" USING btree ("organization_id","api_key_id");
--> statement-breakpoint
CREATE INDEX "daemon_tags_tag_index" ON "daemon_tags" USING btree ("tag_id");
--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_index" ON "idempotency_keys" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "network_tags_tag_index" ON "network_tags" USING btree ("tag_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name_unique" ON "tags" USING btree ("organization_id",lower("name" collate "und-x-icu"));
--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD CONSTRAINT "user_api_keys_hint_check" CHECK ("user_api_keys"."key_hint" ~ '^[0-9A-Za-z]{4}$');
--> statement-breakpoint
ALTER TABLE "networks" ADD CONSTRAINT "networks_name_check" CHECK (char_length("networks"."name") between 1 and 100);
--> statement-breakpoint
ALTER TABLE "networks" ADD CONSTRAINT "networks_description_check" CHECK (char_length("networks"."description") between 1 and 500);
--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_name_check" CHECK (char_length("tags"."name") between 1 and 100);
--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_description_check" CHECK (char_length("tags"."description") between 1 and 500);
--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_color_check" CHECK ("tags"."color" in ('Pink', 'Rose', 'Red', 'Amber', 'Orange', 'Green', 'Emerald', 'Teal', 'Cyan', 'Blue', 'Indigo', 'Purple', 'Fuchsia', 'Violet', 'Sky', 'Gray', 'Lime', 'Yellow'));
--> statement-breakpoint

-- Ids are unique within an organization, so what looks records up by them names it as well.
alter table bindings drop constraint bindings_one_version_at_a_time;
--> statement-breakpoint
alter table bindings add constraint bindings_one_version_at_a_time
  exclude using gist (organization_id with =, live_id with =, tstzrange(valid_from, valid_to) with &&);
--> statement-breakpoint
create or replace function app.drop_emptied_assignments() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from public.credential_hosts as assignment
  using (select distinct organization_id, credential_id, host_id from gone) as emptied
  where assignment.organization_id = emptied.organization_id
    and assignment.credential_id = emptied.credential_id
    and assignment.host_id = emptied.host_id
    and assignment.is_limited_to_addresses
    and not exists (
      select from public.credential_host_ip_addresses as address
      where address.organization_id = emptied.organization_id
        and address.credential_id = emptied.credential_id and address.host_id = emptied.host_id);
  return null;
end
$$;
--> statement-breakpoint
create or replace function app.refuse_too_many_addresses() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Two transactions that add addresses to one credential follow each other, so that each counts
  -- what the other added.
  perform from public.credentials as credential
  where (credential.organization_id, credential.id) in (
    select added.organization_id, added.credential_id from changed as added)
  order by credential.id for no key update;
  if exists (
    select from public.credential_host_ip_addresses as address
    where (address.organization_id, address.credential_id) in (
      select added.organization_id, added.credential_id from changed as added)
    group by address.organization_id, address.credential_id having count(*) > 1000)
  then
    raise exception 'a credential has at most 1000 addresses'
      using errcode = 'check_violation', constraint = 'credential_host_ip_addresses_maximum';
  end if;
  return null;
end
$$;
--> statement-breakpoint
-- As in migration `readiness`; a sample of a secret now says whose it is.
create or replace function app.readiness() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive sample as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name,
       secret.organization_id, secret.credential_id as id, secret.field, secret.sealed
     from public.credential_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.*
    from sample cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name,
        secret.organization_id, secret.credential_id, secret.field, secret.sealed
      from public.credential_secrets as secret
      where split_part(secret.sealed, '.', 1) collate "C" > sample.key_name
      order by split_part(secret.sealed, '.', 1) collate "C" limit 1) as next
  ),
  token as (
    (select split_part(secret.sealed, '.', 1) collate "C" as key_name
     from public.daemon_secrets as secret
     order by split_part(secret.sealed, '.', 1) collate "C" limit 1)
    union all
    select next.key_name
    from token cross join lateral (
      select split_part(secret.sealed, '.', 1) collate "C" as key_name
      from public.daemon_secrets as secret
      where split_part(secret.sealed, '.', 1) collate "C" > token.key_name
      order by split_part(secret.sealed, '.', 1) collate "C" limit 1) as next
  )
  select jsonb_build_object(
    'newest_migration', (select max(created_at) from drizzle.__drizzle_migrations),
    'credential_secrets', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'organization_id', organization_id, 'id', id, 'field', field, 'sealed', sealed)), '[]')
      from (select * from sample limit 20) as sample),
    'token_keys', (
      select coalesce(jsonb_agg(key_name), '[]') from (select * from token limit 20) as token))
$$;
