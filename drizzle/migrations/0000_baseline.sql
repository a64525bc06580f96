-- The schema of the first release. Functions, triggers, policies and grants are in drizzle/functions and drizzle/rules.
--
--   1. Extensions, the schema of functions, rights of everybody
--   2. Roles
--   3. Functions that defaults, checks and indexes call
--   4. Tables of src/database/tables, as drizzle-kit generates them
--   5. Tables that only functions use
--   6. Types of the parameters and results of functions


-- 1. Extensions, the schema of functions, rights of everybody

-- Exclusion constraints over ids and intervals.
create extension if not exists btree_gist;
--> statement-breakpoint

create schema app;
--> statement-breakpoint

-- Only the owner may execute a function until it is granted. This includes the functions of extensions installed later.
alter default privileges revoke execute on functions from public;
--> statement-breakpoint

-- Searches by parts of words.
create extension if not exists pg_trgm;
--> statement-breakpoint

-- A temporary type hides a type of the same name in the body of a function, unless pg_temp is last in its search path.
-- Without the right to create temporary objects no login can do that.
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
end
$$;
--> statement-breakpoint

-- Row-level security does not cover large objects. If the owner is no superuser, as on Neon, this statement warns and
-- changes nothing.
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
--> statement-breakpoint


-- 2. Roles

-- Roles belong to the whole cluster, so another database may already have created them.
-- inventory_api serves callers.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_api') then
    create role inventory_api nologin;
  end if;
end
$$;
--> statement-breakpoint

-- inventory_poller polls the daemons of all organizations.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_poller') then
    create role inventory_poller nologin;
  end if;
end
$$;
--> statement-breakpoint

-- inventory_ingest stores what daemons report, under the same row-level security as callers. No login becomes this role:
-- the functions of a visit run as it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_ingest') then
    create role inventory_ingest nologin;
  end if;
end
$$;
--> statement-breakpoint

grant inventory_api, inventory_poller, inventory_ingest to current_user;
--> statement-breakpoint

grant inventory_api to inventory_ingest;
--> statement-breakpoint

-- A role that existed before must have no right that the service does not need.
do $$
declare
  found record;
begin
  for found in
    select rolname, attribute
    from pg_catalog.pg_roles, lateral (values
      ('login', rolcanlogin), ('superuser', rolsuper), ('bypassrls', rolbypassrls),
      ('createrole', rolcreaterole), ('createdb', rolcreatedb), ('replication', rolreplication)
    ) as has (attribute, is_set)
    where rolname in ('inventory_api', 'inventory_poller') and is_set
  loop
    raise exception 'the role % may do more than the service needs (%): take it away with "alter role % no%", then migrate again',
      found.rolname, found.attribute, found.rolname, found.attribute;
  end loop;
  for found in
    select pg_get_userbyid(member) as rolname, pg_get_userbyid(roleid) as granted
    from pg_catalog.pg_auth_members
    where pg_get_userbyid(member) in ('inventory_api', 'inventory_poller')
  loop
    raise exception 'the role % is a member of %: take it away with "revoke % from %", then migrate again',
      found.rolname, found.granted, found.granted, found.rolname;
  end loop;
end
$$;
--> statement-breakpoint

grant usage on schema public, app to inventory_api, inventory_poller;
--> statement-breakpoint


-- 3. Functions that defaults, checks and indexes call
--
-- A new text of one that checks or indexes call needs a migration that rebuilds these.

-- The default of ids. Columns need the function before its file is applied: its text is in functions/ids/uuid_v7.sql.
create function app.uuid_v7() returns uuid
language sql volatile parallel safe
return gen_random_uuid();
--> statement-breakpoint

-- True if no member is null and none occurs twice. Every update of an organization calls this: a loop is faster than a
-- query here.
create function app.is_set(members text[]) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  for place in 2 .. cardinality(members) loop
    if members[place] = any (members[:place - 1]) then
      return false;
    end if;
  end loop;
  return array_position(members, null) is null;
end
$$;
--> statement-breakpoint

-- True if the object is a plan with its prices and allowances, and has no other member (API contract, section 5).
-- A function, because Postgres parses the expressions of all checks again for each statement that writes to a table.
create function app.is_plan(plan jsonb) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return case jsonb_typeof(plan) when 'object' then coalesce(
    plan ->> 'type' = any ('{Community,Free,Starter,Pro,Team,Business,Enterprise,Demo,CommercialSelfHosted}'::text[])
    and plan ->> 'rate' in ('Month', 'Year')
    and jsonb_typeof(plan -> 'trial_days') = 'number'
    and jsonb_typeof(plan -> 'base_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'seat_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'network_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'host_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_seats') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_networks') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_hosts') in ('number', 'null')
    and plan - '{type,rate,trial_days,base_cents,seat_cents,network_cents,host_cents}'::text[]
      - '{included_seats,included_networks,included_hosts}'::text[] = '{}',
    false) else false end;
end
$$;
--> statement-breakpoint

-- True if an object is metadata (API contract, section 7): at most 50 keys, each with a text. jsonb_each returns each key
-- once.
create function app.is_metadata(metadata jsonb) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return case jsonb_typeof(metadata) when 'object' then (
    select count(*) <= 50 and bool_and(
      key ~ '^[A-Za-z0-9_.-]{1,40}$' and jsonb_typeof(value) = 'string' and char_length(value #>> '{}') <= 500)
    from jsonb_each(metadata)) else false end;
end
$$;
--> statement-breakpoint

-- Trigrams contain letters and digits only: a search for an emoji would read every valid row, and a search for a word
-- and an emoji every row with that word. So each character beyond ASCII that is no letter and no digit becomes an
-- ideograph. Two characters may become the same one: a search compares the text as well. Most texts are pure ASCII; two
-- lengths detect that fastest.
create function app.lettered(text text) returns text
language sql immutable strict parallel safe
return (
  select string_agg(
    case when one ~ '[\x01-\x7f[:alnum:]]' then one else chr(19968 + ascii(one) % 20992) end,
    '' order by position)
  from string_to_table(text, null) with ordinality as characters(one, position));
--> statement-breakpoint

-- Makes trigrams find single characters and pairs. Punctuation becomes runes, and a rune separates all characters: the
-- trigrams of `web` are then `ᛪwᛪ`, `wᛪe`, `ᛪeᛪ`, `eᛪb` and `ᛪbᛪ`. The function is not strict: Postgres inlines
-- it only if it is not.
create function app.paired(text text) returns text
language sql immutable parallel safe
return regexp_replace(
  translate(
    case
      when octet_length(text) = length(text) then text
      when text ~ '[^\x01-\x7f[:alnum:]]' then app.lettered(text)
      else text
    end,
    E' !"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'),
  '.', 'ᛪ\&', 'g') || 'ᛪ';
--> statement-breakpoint

-- Writers compute index entries and checks with their own rights. Readers need the rights as well: a connection that has
-- planned a query without them never uses the indexes.
grant execute on function app.is_set(text[]), app.is_plan(jsonb), app.lettered(text), app.paired(text) to inventory_api;
--> statement-breakpoint
grant execute on function app.is_metadata(jsonb) to inventory_api, inventory_poller;
--> statement-breakpoint


-- 4. Tables of src/database/tables, as drizzle-kit generates them

CREATE TYPE "public"."role" AS ENUM('Viewer', 'Member', 'Admin', 'Owner');--> statement-breakpoint
CREATE TABLE "credential_secret_fields" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"field" text NOT NULL,
	CONSTRAINT "credential_secret_fields_pk" PRIMARY KEY("organization_id","credential_id","field")
);
--> statement-breakpoint
CREATE TABLE "credential_secrets" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"field" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "credential_secrets_pk" PRIMARY KEY("organization_id","credential_id","field")
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"settings" jsonb NOT NULL,
	"type" text COLLATE "C" GENERATED ALWAYS AS (settings ->> 'type') STORED NOT NULL,
	CONSTRAINT "credentials_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "credentials_external_id_check" CHECK (char_length("credentials"."external_id") between 1 and 200 and "credentials"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "credentials_metadata_check" CHECK ("credentials"."metadata" = '{}' or app.is_metadata("credentials"."metadata")),
	CONSTRAINT "credentials_name_check" CHECK (char_length("credentials"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "daemon_secrets" (
	"organization_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
	"field" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "daemon_secrets_pk" PRIMARY KEY("organization_id","daemon_id","field"),
	CONSTRAINT "daemon_secrets_field_check" CHECK ("daemon_secrets"."field" = any ('{token}'::text[])),
	CONSTRAINT "daemon_secrets_sealed_check" CHECK (sealed ~ '^[A-Za-z0-9_-]{1,32}[.][A-Za-z0-9_-]+={0,2}$'),
	CONSTRAINT "daemon_secrets_length_check" CHECK (char_length("daemon_secrets"."sealed") <= 4096)
);
--> statement-breakpoint
CREATE TABLE "user_api_key_networks" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	CONSTRAINT "user_api_key_networks_pk" PRIMARY KEY("organization_id","api_key_id","network_id")
);
--> statement-breakpoint
CREATE TABLE "user_api_key_secrets" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"expires_at" timestamp(3) with time zone,
	CONSTRAINT "user_api_key_secrets_pk" PRIMARY KEY("key_hash"),
	CONSTRAINT "user_api_key_secrets_key_unique" UNIQUE("organization_id","api_key_id","key_hash"),
	CONSTRAINT "user_api_key_secrets_hash_check" CHECK (octet_length("user_api_key_secrets"."key_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "user_api_keys" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"key_hint" text,
	"role" "role" NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"is_limited_to_networks" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp(3) with time zone,
	"last_used_at" timestamp(3) with time zone,
	CONSTRAINT "user_api_keys_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "user_api_keys_hint_check" CHECK ("user_api_keys"."key_hint" ~ '^[0-9A-Za-z]{4}$'),
	CONSTRAINT "user_api_keys_name_check" CHECK (char_length("user_api_keys"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "user_api_tokens" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"role" "role" NOT NULL,
	"subject" text NOT NULL,
	"network_ids" uuid[],
	"expires_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "user_api_tokens_pk" PRIMARY KEY("token_hash"),
	CONSTRAINT "user_api_tokens_hash_check" CHECK (octet_length("user_api_tokens"."token_hash") = 32),
	CONSTRAINT "user_api_tokens_subject_check" CHECK (char_length("user_api_tokens"."subject") between 1 and 200),
	CONSTRAINT "user_api_tokens_networks_check" CHECK (cardinality("user_api_tokens"."network_ids") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"organization_id" uuid NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"action" text NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"network_id" uuid,
	"label" text NOT NULL,
	"changed" text[] NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" uuid,
	"actor_name" text,
	"request_id" text,
	CONSTRAINT "audit_entries_pk" PRIMARY KEY("organization_id","at","id"),
	CONSTRAINT "audit_entries_action_check" CHECK ("audit_entries"."action" = any ('{created,updated,deleted,rotated,assigned,unassigned,replayed,tested,retried,scanned,cancelled,suspended,resumed}'::text[])),
	CONSTRAINT "audit_entries_entity_check" CHECK ("audit_entries"."entity" = any ('{ApiKey,Credential,Daemon,Network,Organization,Tag,Webhook}'::text[])),
	CONSTRAINT "audit_entries_label_check" CHECK (char_length("audit_entries"."label") between 1 and 100),
	CONSTRAINT "audit_entries_actor_type_check" CHECK ("audit_entries"."actor_type" = any ('{key,token,daemon,import,operator,system}'::text[])),
	CONSTRAINT "audit_entries_actor_name_check" CHECK (char_length("audit_entries"."actor_name") between 1 and 200),
	CONSTRAINT "audit_entries_request_id_check" CHECK (char_length("audit_entries"."request_id") between 1 and 64)
);
--> statement-breakpoint
CREATE TABLE "bindings" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"host_id" uuid,
	"live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED,
	"type" text NOT NULL,
	"service_id" uuid NOT NULL,
	"port_id" uuid,
	"ip_address_id" uuid,
	"live_service_id" uuid GENERATED ALWAYS AS (case when valid_to is null then service_id end) STORED,
	"live_port_id" uuid GENERATED ALWAYS AS (case when valid_to is null then port_id end) STORED,
	"live_ip_address_id" uuid GENERATED ALWAYS AS (case when valid_to is null then ip_address_id end) STORED,
	CONSTRAINT "bindings_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "bindings_lineage_check" CHECK (("bindings"."valid_to" is null) = ("bindings"."lineage_id" is null)),
	CONSTRAINT "bindings_interval_check" CHECK ("bindings"."valid_from" < "bindings"."valid_to"),
	CONSTRAINT "bindings_host_check" CHECK ("bindings"."host_id" is not null or "bindings"."valid_to" is not null),
	CONSTRAINT "bindings_type_check" CHECK ("bindings"."type" = any ('{Port,IPAddress}'::text[])),
	CONSTRAINT "bindings_port_check" CHECK (("bindings"."type" = 'Port') = ("bindings"."port_id" is not null)),
	CONSTRAINT "bindings_ip_address_check" CHECK ("bindings"."type" <> 'IPAddress' or "bindings"."ip_address_id" is not null)
);
--> statement-breakpoint
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
CREATE TABLE "count_deltas" (
	"organization_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"network_id" uuid NOT NULL,
	"change" integer NOT NULL,
	"is_folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "count_deltas_kind_check" CHECK ("count_deltas"."kind" = any ('{bindings,hosts,ip_addresses,interfaces,neighbors,ports,services,subnets}'::text[])),
	CONSTRAINT "count_deltas_change_check" CHECK ("count_deltas"."change" <> 0)
);
--> statement-breakpoint
CREATE TABLE "credential_host_ip_addresses" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"ip_address_id" uuid NOT NULL,
	"is_limited_to_addresses" boolean GENERATED ALWAYS AS (true) STORED NOT NULL,
	CONSTRAINT "credential_host_ip_addresses_pk" PRIMARY KEY("organization_id","credential_id","host_id","ip_address_id")
);
--> statement-breakpoint
CREATE TABLE "credential_hosts" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"is_limited_to_addresses" boolean NOT NULL,
	CONSTRAINT "credential_hosts_pk" PRIMARY KEY("organization_id","credential_id","host_id"),
	CONSTRAINT "credential_hosts_limited_unique" UNIQUE("organization_id","credential_id","host_id","is_limited_to_addresses")
);
--> statement-breakpoint
CREATE TABLE "credential_networks" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	CONSTRAINT "credential_networks_pk" PRIMARY KEY("organization_id","credential_id","network_id")
);
--> statement-breakpoint
CREATE TABLE "credential_tags" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "credential_tags_pk" PRIMARY KEY("organization_id","credential_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "daemon_tags" (
	"organization_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "daemon_tags_pk" PRIMARY KEY("organization_id","daemon_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "daemons" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"host_id" uuid,
	"introduced_at" timestamp(3) with time zone,
	"name" text COLLATE "C" NOT NULL,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"url" text NOT NULL,
	"version" text,
	"last_seen_at" timestamp(3) with time zone,
	"consecutive_failures" integer DEFAULT 0 NOT NULL,
	"unreachable_since" timestamp(3) with time zone,
	"is_unreachable" boolean GENERATED ALWAYS AS (unreachable_since is not null) STORED NOT NULL,
	"last_error" text,
	"last_error_http_status" integer,
	"last_error_at" timestamp(3) with time zone,
	"next_poll_at" timestamp(3) with time zone DEFAULT now(),
	"lease_expires_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone GENERATED ALWAYS AS (greatest(next_poll_at, lease_expires_at)) STORED,
	"schedule_cron" text,
	"schedule_timezone" text,
	"schedule_is_full_scan" boolean,
	"next_scan_at" timestamp(3) with time zone,
	"poll_generation" bigint DEFAULT 0 NOT NULL,
	"is_slow" boolean DEFAULT false NOT NULL,
	"receives_credentials" boolean DEFAULT false NOT NULL,
	"has_docker_socket" boolean DEFAULT false NOT NULL,
	"interfaced_cidrs" "cidr"[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "daemons_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "daemons_network_unique" UNIQUE("organization_id","network_id","id"),
	CONSTRAINT "daemons_interfaced_cidrs_check" CHECK (cardinality(interfaced_cidrs) <= 100),
	CONSTRAINT "daemons_schedule_cron_check" CHECK (char_length("daemons"."schedule_cron") between 1 and 100),
	CONSTRAINT "daemons_schedule_timezone_check" CHECK (char_length("daemons"."schedule_timezone") between 1 and 64),
	CONSTRAINT "daemons_schedule_check" CHECK (("daemons"."schedule_cron" is null) = ("daemons"."schedule_timezone" is null)
        and ("daemons"."schedule_is_full_scan" is null or "daemons"."schedule_cron" is not null)
        and ("daemons"."next_scan_at" is null or "daemons"."schedule_cron" is not null)),
	CONSTRAINT "daemons_external_id_check" CHECK (char_length("daemons"."external_id") between 1 and 200 and "daemons"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "daemons_metadata_check" CHECK ("daemons"."metadata" = '{}' or app.is_metadata("daemons"."metadata")),
	CONSTRAINT "daemons_name_check" CHECK (char_length("daemons"."name") between 1 and 100),
	CONSTRAINT "daemons_url_check" CHECK (char_length("daemons"."url") between 1 and 2048),
	CONSTRAINT "daemons_version_check" CHECK (char_length("daemons"."version") between 1 and 64),
	CONSTRAINT "daemons_version_characters_check" CHECK (version !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]'),
	CONSTRAINT "daemons_poll_generation_check" CHECK (poll_generation between 0 and 9007199254740991),
	CONSTRAINT "daemons_failures_check" CHECK ("daemons"."consecutive_failures" >= 0),
	CONSTRAINT "daemons_unreachable_check" CHECK ((unreachable_since is not null) = (consecutive_failures >= 5)),
	CONSTRAINT "daemons_next_poll_check" CHECK (("daemons"."unreachable_since" is null) = ("daemons"."next_poll_at" is not null)),
	CONSTRAINT "daemons_lease_check" CHECK ("daemons"."lease_expires_at" is null or "daemons"."next_poll_at" is not null),
	CONSTRAINT "daemons_last_error_check" CHECK ("daemons"."last_error" = any ('{dns_failed,connection_refused,timed_out,tls_failed,http_status,not_json,wrong_shape,too_large,redirected,url_forbidden,url_not_encrypted,token_unreadable}'::text[])),
	CONSTRAINT "daemons_last_error_at_check" CHECK (("daemons"."last_error" is null) = ("daemons"."last_error_at" is null)),
	CONSTRAINT "daemons_http_status_range_check" CHECK (last_error_http_status between 100 and 599),
	CONSTRAINT "daemons_last_error_http_status_check" CHECK (case when last_error_http_status is null then last_error is distinct from 'redirected'
        else coalesce(last_error in ('http_status', 'redirected'), false) end),
	CONSTRAINT "daemons_failures_have_an_error_check" CHECK ("daemons"."consecutive_failures" = 0 or "daemons"."last_error" is not null)
);
--> statement-breakpoint
CREATE TABLE "discovery_sessions" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
	"host_id" uuid,
	"phase" text DEFAULT 'Queued' NOT NULL,
	"subnet_ids" uuid[],
	"is_full_scan" boolean,
	"initiated_at" timestamp(3) with time zone,
	"progress" integer DEFAULT 0 NOT NULL,
	"hosts_discovered" integer,
	"estimated_remaining_secs" integer,
	"error" text,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"cancel_requested_at" timestamp(3) with time zone,
	"moved_at" timestamp(3) with time zone,
	"settled_at" timestamp(3) with time zone,
	"is_scheduled" boolean DEFAULT false NOT NULL,
	CONSTRAINT "discovery_sessions_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "discovery_sessions_phase_check" CHECK ("discovery_sessions"."phase" = any ('{Queued,Pending,Starting,Started,Scanning,Complete,Failed,Cancelled}'::text[])),
	CONSTRAINT "discovery_sessions_progress_check" CHECK ("discovery_sessions"."progress" between 0 and 100),
	CONSTRAINT "discovery_sessions_hosts_check" CHECK ("discovery_sessions"."hosts_discovered" >= 0),
	CONSTRAINT "discovery_sessions_remaining_check" CHECK ("discovery_sessions"."estimated_remaining_secs" >= 0),
	CONSTRAINT "discovery_sessions_subnets_check" CHECK (cardinality("discovery_sessions"."subnet_ids") between 1 and 1000),
	CONSTRAINT "discovery_sessions_error_check" CHECK ((error is not null) = (phase = 'Failed') and char_length(error) between 1 and 500),
	CONSTRAINT "discovery_sessions_started_check" CHECK (("discovery_sessions"."started_at" is not null) or not "discovery_sessions"."phase" = any ('{Pending,Starting,Started,Scanning,Complete}'::text[])),
	CONSTRAINT "discovery_sessions_moved_check" CHECK (("discovery_sessions"."moved_at" is not null) or not "discovery_sessions"."phase" = any ('{Pending,Starting,Started,Scanning}'::text[])),
	CONSTRAINT "discovery_sessions_settled_check" CHECK ("discovery_sessions"."settled_at" is null or "discovery_sessions"."phase" = 'Complete'),
	CONSTRAINT "discovery_sessions_finished_check" CHECK (("discovery_sessions"."finished_at" is not null) = ("discovery_sessions"."phase" = any ('{Complete,Failed,Cancelled}'::text[])))
);
--> statement-breakpoint
CREATE TABLE "host_tags" (
	"organization_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	CONSTRAINT "host_tags_pk" PRIMARY KEY("organization_id","host_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "hosts" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"live_network_id" uuid GENERATED ALWAYS AS (case when valid_to is null then network_id end) STORED,
	"name" text COLLATE "C" NOT NULL,
	"hostname" text,
	"description" text,
	"hidden" boolean DEFAULT false NOT NULL,
	"is_stale" boolean DEFAULT false NOT NULL,
	"source" text DEFAULT 'Manual' NOT NULL,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"virtualization" jsonb,
	"sys_name" text,
	"sys_descr" text,
	"sys_object_id" text,
	"sys_location" text,
	"sys_contact" text,
	"management_url" text,
	"chassis_id" text,
	"manufacturer" text,
	"model" text,
	"serial_number" text,
	"operating_system" text,
	"discovered" jsonb,
	"evidence" jsonb,
	"searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || coalesce(hostname, '') || chr(10) || coalesce(sys_name, '') || chr(10) || coalesce(operating_system, '')) collate "und-x-icu")) STORED NOT NULL,
	CONSTRAINT "hosts_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "hosts_current_unique" UNIQUE("organization_id","current_id"),
	CONSTRAINT "hosts_network_unique" UNIQUE("organization_id","network_id","current_id"),
	CONSTRAINT "hosts_lineage_check" CHECK (("hosts"."valid_to" is null) = ("hosts"."lineage_id" is null)),
	CONSTRAINT "hosts_interval_check" CHECK ("hosts"."valid_from" < "hosts"."valid_to"),
	CONSTRAINT "hosts_name_check" CHECK (char_length("hosts"."name") between 1 and 100),
	CONSTRAINT "hosts_description_check" CHECK (char_length("hosts"."description") between 1 and 500),
	CONSTRAINT "hosts_external_id_check" CHECK (char_length("hosts"."external_id") between 1 and 200 and "hosts"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "hosts_metadata_check" CHECK ("hosts"."metadata" = '{}' or app.is_metadata("hosts"."metadata")),
	CONSTRAINT "hosts_source_check" CHECK ("hosts"."source" = any ('{Manual,System,Discovery,Import}'::text[])),
	CONSTRAINT "hosts_hostname_check" CHECK (char_length("hosts"."hostname") between 1 and 255),
	CONSTRAINT "hosts_sys_name_check" CHECK (char_length("hosts"."sys_name") between 1 and 255),
	CONSTRAINT "hosts_sys_descr_check" CHECK (char_length("hosts"."sys_descr") between 1 and 255),
	CONSTRAINT "hosts_sys_object_id_check" CHECK (char_length("hosts"."sys_object_id") between 1 and 255),
	CONSTRAINT "hosts_sys_location_check" CHECK (char_length("hosts"."sys_location") between 1 and 255),
	CONSTRAINT "hosts_sys_contact_check" CHECK (char_length("hosts"."sys_contact") between 1 and 255),
	CONSTRAINT "hosts_management_url_check" CHECK (char_length("hosts"."management_url") between 1 and 2048),
	CONSTRAINT "hosts_chassis_id_check" CHECK (char_length("hosts"."chassis_id") between 1 and 255),
	CONSTRAINT "hosts_manufacturer_check" CHECK (char_length("hosts"."manufacturer") between 1 and 255),
	CONSTRAINT "hosts_model_check" CHECK (char_length("hosts"."model") between 1 and 255),
	CONSTRAINT "hosts_serial_number_check" CHECK (char_length("hosts"."serial_number") between 1 and 255),
	CONSTRAINT "hosts_operating_system_check" CHECK (char_length("hosts"."operating_system") between 1 and 255)
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"subject" text DEFAULT '' NOT NULL,
	"key" text NOT NULL,
	"operation" text NOT NULL,
	"request_digest" "bytea" NOT NULL,
	"record_ids" uuid[] NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_pk" PRIMARY KEY("organization_id","api_key_id","subject","key"),
	CONSTRAINT "idempotency_keys_subject_check" CHECK (char_length("idempotency_keys"."subject") <= 200),
	CONSTRAINT "idempotency_keys_key_check" CHECK (char_length("idempotency_keys"."key") between 1 and 255),
	CONSTRAINT "idempotency_keys_operation_check" CHECK (char_length("idempotency_keys"."operation") between 1 and 300),
	CONSTRAINT "idempotency_keys_digest_check" CHECK (octet_length("idempotency_keys"."request_digest") = 32)
);
--> statement-breakpoint
CREATE TABLE "interfaces" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"host_id" uuid NOT NULL,
	"live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED,
	"if_index" integer NOT NULL,
	"name" text,
	"description" text,
	"type" integer,
	"speed_bps" bigint,
	"mac_address" "macaddr",
	"admin_status" text,
	"oper_status" text,
	"alias" text,
	"native_vlan" integer,
	"tagged_vlans" integer[],
	"lldp_read_at" timestamp(3) with time zone,
	"cdp_read_at" timestamp(3) with time zone,
	"fdb_read_at" timestamp(3) with time zone,
	"vlans_read_at" timestamp(3) with time zone,
	"ip_address_ids" uuid[] DEFAULT '{}' NOT NULL,
	"discovered" jsonb,
	"evidence" jsonb,
	CONSTRAINT "interfaces_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "interfaces_of_host_unique" UNIQUE("organization_id","host_id","current_id"),
	CONSTRAINT "interfaces_lineage_check" CHECK (("interfaces"."valid_to" is null) = ("interfaces"."lineage_id" is null)),
	CONSTRAINT "interfaces_interval_check" CHECK ("interfaces"."valid_from" < "interfaces"."valid_to"),
	CONSTRAINT "interfaces_if_index_check" CHECK ("interfaces"."if_index" >= 1),
	CONSTRAINT "interfaces_name_check" CHECK (char_length("interfaces"."name") between 1 and 255),
	CONSTRAINT "interfaces_description_check" CHECK (char_length("interfaces"."description") between 1 and 255),
	CONSTRAINT "interfaces_type_check" CHECK ("interfaces"."type" >= 1),
	CONSTRAINT "interfaces_speed_check" CHECK ("interfaces"."speed_bps" between 0 and 9007199254740991),
	CONSTRAINT "interfaces_admin_status_check" CHECK ("interfaces"."admin_status" = any ('{Up,Down,Testing}'::text[])),
	CONSTRAINT "interfaces_oper_status_check" CHECK ("interfaces"."oper_status" = any ('{Up,Down,Testing,Unknown,Dormant,NotPresent,LowerLayerDown}'::text[])),
	CONSTRAINT "interfaces_alias_check" CHECK (char_length("interfaces"."alias") between 1 and 255),
	CONSTRAINT "interfaces_native_vlan_check" CHECK ("interfaces"."native_vlan" between 1 and 4094),
	CONSTRAINT "interfaces_tagged_vlans_check" CHECK (1 <= all ("interfaces"."tagged_vlans") and 4094 >= all ("interfaces"."tagged_vlans")),
	CONSTRAINT "interfaces_tagged_vlans_maximum" CHECK (cardinality("interfaces"."tagged_vlans") <= 4094),
	CONSTRAINT "interfaces_ip_addresses_maximum" CHECK (cardinality("interfaces"."ip_address_ids") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "ip_addresses" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"host_id" uuid NOT NULL,
	"live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED,
	"subnet_id" uuid,
	"live_subnet_id" uuid GENERATED ALWAYS AS (case when valid_to is null then subnet_id end) STORED,
	"address" "inet" NOT NULL,
	"mac_address" "macaddr",
	"name" text,
	"status" text DEFAULT 'Active' NOT NULL,
	"role" text,
	"position" integer DEFAULT 0 NOT NULL,
	"discovered" jsonb,
	"evidence" jsonb,
	"searchable" text GENERATED ALWAYS AS (lower((coalesce(name, '') || chr(10) || host(address) || chr(10) || coalesce(mac_address::text, '')) collate "und-x-icu")) STORED NOT NULL,
	CONSTRAINT "ip_addresses_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "ip_addresses_of_host_unique" UNIQUE("organization_id","host_id","current_id"),
	CONSTRAINT "ip_addresses_lineage_check" CHECK (("ip_addresses"."valid_to" is null) = ("ip_addresses"."lineage_id" is null)),
	CONSTRAINT "ip_addresses_interval_check" CHECK ("ip_addresses"."valid_from" < "ip_addresses"."valid_to"),
	CONSTRAINT "ip_addresses_address_check" CHECK (masklen("ip_addresses"."address") = case family("ip_addresses"."address") when 4 then 32 else 128 end),
	CONSTRAINT "ip_addresses_name_check" CHECK (char_length("ip_addresses"."name") between 1 and 100),
	CONSTRAINT "ip_addresses_status_check" CHECK ("ip_addresses"."status" = any ('{Active,Reserved,Deprecated}'::text[])),
	CONSTRAINT "ip_addresses_role_check" CHECK ("ip_addresses"."role" = any ('{Gateway,Vip,Anycast,Dhcp}'::text[]))
);
--> statement-breakpoint
CREATE TABLE "neighbors" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"host_id" uuid NOT NULL,
	"live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED,
	"interface_id" uuid NOT NULL,
	"live_interface_id" uuid GENERATED ALWAYS AS (case when valid_to is null then interface_id end) STORED,
	"protocol" text NOT NULL,
	"chassis_subtype" text NOT NULL,
	"chassis_value" text NOT NULL,
	"port_subtype" text,
	"port_value" text,
	"port_key" text GENERATED ALWAYS AS (coalesce(port_subtype || ' ' || port_value, '')) STORED NOT NULL,
	"system_name" text,
	"system_description" text,
	"port_description" text,
	"management_addresses" "inet"[] DEFAULT '{}' NOT NULL,
	"source" text DEFAULT 'Manual' NOT NULL,
	"discovered" jsonb,
	"evidence" jsonb,
	CONSTRAINT "neighbors_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "neighbors_interface_unique" UNIQUE("organization_id","live_interface_id","protocol","chassis_subtype","chassis_value","port_key"),
	CONSTRAINT "neighbors_lineage_check" CHECK (("neighbors"."valid_to" is null) = ("neighbors"."lineage_id" is null)),
	CONSTRAINT "neighbors_interval_check" CHECK ("neighbors"."valid_from" < "neighbors"."valid_to"),
	CONSTRAINT "neighbors_protocol_check" CHECK ("neighbors"."protocol" = any ('{Lldp,Cdp,Fdb}'::text[])),
	CONSTRAINT "neighbors_chassis_subtype_check" CHECK ("neighbors"."chassis_subtype" = any ('{ChassisComponent,InterfaceAlias,PortComponent,MacAddress,NetworkAddress,InterfaceName,LocallyAssigned}'::text[])),
	CONSTRAINT "neighbors_chassis_value_check" CHECK (char_length("neighbors"."chassis_value") between 1 and 255),
	CONSTRAINT "neighbors_chassis_address_check" CHECK (case "neighbors"."chassis_subtype" when 'MacAddress' then "neighbors"."chassis_value"::macaddr is not null when 'NetworkAddress' then "neighbors"."chassis_value"::inet is not null else true end),
	CONSTRAINT "neighbors_port_address_check" CHECK (case "neighbors"."port_subtype" when 'MacAddress' then "neighbors"."port_value"::macaddr is not null when 'NetworkAddress' then "neighbors"."port_value"::inet is not null else true end),
	CONSTRAINT "neighbors_port_subtype_check" CHECK ("neighbors"."port_subtype" = any ('{InterfaceAlias,PortComponent,MacAddress,NetworkAddress,InterfaceName,AgentCircuitId,LocallyAssigned}'::text[])),
	CONSTRAINT "neighbors_port_value_check" CHECK (char_length("neighbors"."port_value") between 1 and 255),
	CONSTRAINT "neighbors_port_check" CHECK (("neighbors"."port_subtype" is null) = ("neighbors"."port_value" is null)),
	CONSTRAINT "neighbors_system_name_check" CHECK (char_length("neighbors"."system_name") between 1 and 255),
	CONSTRAINT "neighbors_system_description_check" CHECK (char_length("neighbors"."system_description") between 1 and 255),
	CONSTRAINT "neighbors_port_description_check" CHECK (char_length("neighbors"."port_description") between 1 and 255),
	CONSTRAINT "neighbors_management_addresses_maximum" CHECK (cardinality("neighbors"."management_addresses") <= 8),
	CONSTRAINT "neighbors_source_check" CHECK ("neighbors"."source" = any ('{Manual,System,Discovery,Import}'::text[]))
);
--> statement-breakpoint
CREATE TABLE "network_tags" (
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "network_tags_pk" PRIMARY KEY("organization_id","network_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "networks" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"description" text,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"stale_after_hours" integer,
	CONSTRAINT "networks_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "networks_name_check" CHECK (char_length("networks"."name") between 1 and 100),
	CONSTRAINT "networks_description_check" CHECK (char_length("networks"."description") between 1 and 500),
	CONSTRAINT "networks_external_id_check" CHECK (char_length("networks"."external_id") between 1 and 200 and "networks"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "networks_metadata_check" CHECK ("networks"."metadata" = '{}' or app.is_metadata("networks"."metadata")),
	CONSTRAINT "networks_stale_after_hours_check" CHECK ("networks"."stale_after_hours" between 1 and 8760)
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"onboarding" text[] DEFAULT '{}' NOT NULL,
	"plan" jsonb,
	"plan_status" text,
	"discount_save_offer_active_until" timestamp(3) with time zone,
	"discount_save_offer_percent_off" integer,
	"has_payment_method" boolean DEFAULT false NOT NULL,
	"last_discount_at" timestamp(3) with time zone,
	"last_downgrade_at" timestamp(3) with time zone,
	"last_downgrade_from_plan" jsonb,
	"last_paused_at" timestamp(3) with time zone,
	"next_renewal_at" timestamp(3) with time zone,
	"trial_end_date" timestamp(3) with time zone,
	"trial_extended_used" boolean DEFAULT false NOT NULL,
	"use_case" text DEFAULT 'other' NOT NULL,
	"history_days" integer,
	"history_from" timestamp(3) with time zone,
	"suspended_at" timestamp(3) with time zone,
	"deletes_at" timestamp(3) with time zone,
	CONSTRAINT "organizations_name_check" CHECK (char_length("organizations"."name") between 1 and 100),
	CONSTRAINT "organizations_onboarding_check" CHECK ("organizations"."onboarding" <@ '{OrgCreated,OnboardingModalCompleted,PlanSelected,FirstDaemonRegistered,FirstTopologyRebuild,FirstDiscoveryCompleted,FirstHostDiscovered,SecondNetworkCreated,FirstTagCreated,FirstDependencyCreated,FirstUserApiKeyCreated,FirstSnmpCredentialCreated,FirstCredentialCreated,FirstSnapshotCreated,InviteSent,InviteAccepted,ProfileCompleted,ReferralSourceCompleted}'::text[]),
	CONSTRAINT "organizations_onboarding_once" CHECK (app.is_set("organizations"."onboarding")),
	CONSTRAINT "organizations_plan_check" CHECK (app.is_plan("organizations"."plan")),
	CONSTRAINT "organizations_downgrade_check" CHECK (app.is_plan("organizations"."last_downgrade_from_plan")),
	CONSTRAINT "organizations_plan_status_check" CHECK ("organizations"."plan_status" = any ('{active,trialing,past_due,paused,pending_cancellation,cancelled}'::text[])),
	CONSTRAINT "organizations_use_case_check" CHECK ("organizations"."use_case" = any ('{homelab,internal_it,msp,other}'::text[])),
	CONSTRAINT "organizations_percent_check" CHECK ("organizations"."discount_save_offer_percent_off" between 0 and 100),
	CONSTRAINT "organizations_deletes_check" CHECK ("organizations"."deletes_at" is null or "organizations"."suspended_at" is not null),
	CONSTRAINT "organizations_history_days_check" CHECK ("organizations"."history_days" between 1 and 3650)
);
--> statement-breakpoint
CREATE TABLE "ports" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"host_id" uuid NOT NULL,
	"live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED,
	"number" integer NOT NULL,
	"protocol" text NOT NULL,
	CONSTRAINT "ports_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "ports_of_host_unique" UNIQUE("organization_id","host_id","current_id"),
	CONSTRAINT "ports_lineage_check" CHECK (("ports"."valid_to" is null) = ("ports"."lineage_id" is null)),
	CONSTRAINT "ports_interval_check" CHECK ("ports"."valid_from" < "ports"."valid_to"),
	CONSTRAINT "ports_number_check" CHECK ("ports"."number" between 1 and 65535),
	CONSTRAINT "ports_protocol_check" CHECK ("ports"."protocol" = any ('{Tcp,Udp}'::text[]))
);
--> statement-breakpoint
CREATE TABLE "service_tags" (
	"organization_id" uuid NOT NULL,
	"service_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	CONSTRAINT "service_tags_pk" PRIMARY KEY("organization_id","service_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "services" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"host_id" uuid NOT NULL,
	"live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED,
	"name" text COLLATE "C" NOT NULL,
	"service_definition" text DEFAULT null NOT NULL,
	"version" text,
	"virtualization" jsonb,
	"position" integer DEFAULT 0 NOT NULL,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"source" text DEFAULT 'Manual' NOT NULL,
	"discovered" jsonb,
	"evidence" jsonb,
	"searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || service_definition || chr(10) || coalesce(version, '')) collate "und-x-icu")) STORED NOT NULL,
	CONSTRAINT "services_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "services_of_host_unique" UNIQUE("organization_id","host_id","current_id"),
	CONSTRAINT "services_current_unique" UNIQUE("organization_id","current_id"),
	CONSTRAINT "services_lineage_check" CHECK (("services"."valid_to" is null) = ("services"."lineage_id" is null)),
	CONSTRAINT "services_interval_check" CHECK ("services"."valid_from" < "services"."valid_to"),
	CONSTRAINT "services_name_check" CHECK (char_length("services"."name") between 1 and 100),
	CONSTRAINT "services_definition_check" CHECK (char_length("services"."service_definition") between 1 and 255),
	CONSTRAINT "services_version_check" CHECK (char_length("services"."version") between 1 and 255),
	CONSTRAINT "services_external_id_check" CHECK (char_length("services"."external_id") between 1 and 200 and "services"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "services_metadata_check" CHECK ("services"."metadata" = '{}' or app.is_metadata("services"."metadata")),
	CONSTRAINT "services_source_check" CHECK ("services"."source" = any ('{Manual,System,Discovery,Import}'::text[]))
);
--> statement-breakpoint
CREATE TABLE "subnet_tags" (
	"organization_id" uuid NOT NULL,
	"subnet_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	CONSTRAINT "subnet_tags_pk" PRIMARY KEY("organization_id","subnet_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "subnets" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid DEFAULT null NOT NULL,
	"last_seen_at" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT null NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED,
	"live_network_id" uuid GENERATED ALWAYS AS (case when valid_to is null then network_id end) STORED,
	"cidr" "cidr" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"description" text,
	"subnet_type" text DEFAULT 'Unknown' NOT NULL,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"source" text DEFAULT 'Manual' NOT NULL,
	"searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || coalesce(description, '') || chr(10) || text(cidr)) collate "und-x-icu")) STORED NOT NULL,
	CONSTRAINT "subnets_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "subnets_current_unique" UNIQUE("organization_id","current_id"),
	CONSTRAINT "subnets_network_unique" UNIQUE("organization_id","network_id","current_id"),
	CONSTRAINT "subnets_lineage_check" CHECK (("subnets"."valid_to" is null) = ("subnets"."lineage_id" is null)),
	CONSTRAINT "subnets_interval_check" CHECK ("subnets"."valid_from" < "subnets"."valid_to"),
	CONSTRAINT "subnets_name_check" CHECK (char_length("subnets"."name") between 1 and 100),
	CONSTRAINT "subnets_description_check" CHECK (char_length("subnets"."description") between 1 and 500),
	CONSTRAINT "subnets_external_id_check" CHECK (char_length("subnets"."external_id") between 1 and 200 and "subnets"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "subnets_metadata_check" CHECK ("subnets"."metadata" = '{}' or app.is_metadata("subnets"."metadata")),
	CONSTRAINT "subnets_type_check" CHECK ("subnets"."subnet_type" = any ('{Internet,Remote,Gateway,VpnTunnel,Dmz,Lan,WiFi,IoT,Guest,DockerBridge,MacVlan,IpVlan,Management,Storage,Loopback,Unknown}'::text[])),
	CONSTRAINT "subnets_source_check" CHECK ("subnets"."source" = any ('{Manual,System,Discovery,Import}'::text[]))
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"description" text,
	"external_id" text COLLATE "C",
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"color" text DEFAULT 'Gray' NOT NULL,
	CONSTRAINT "tags_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "tags_name_check" CHECK (char_length("tags"."name") between 1 and 100),
	CONSTRAINT "tags_description_check" CHECK (char_length("tags"."description") between 1 and 500),
	CONSTRAINT "tags_external_id_check" CHECK (char_length("tags"."external_id") between 1 and 200 and "tags"."external_id" !~ '[\u0001-\u001f\u007f-\u009f]'),
	CONSTRAINT "tags_metadata_check" CHECK ("tags"."metadata" = '{}' or app.is_metadata("tags"."metadata")),
	CONSTRAINT "tags_color_check" CHECK ("tags"."color" = any ('{Pink,Rose,Red,Amber,Orange,Green,Emerald,Teal,Cyan,Blue,Indigo,Purple,Fuchsia,Violet,Sky,Gray,Lime,Yellow}'::text[]))
);
--> statement-breakpoint
CREATE TABLE "transactions" (
	"organization_id" uuid NOT NULL,
	"changed_at" timestamp(3) with time zone NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" uuid,
	"actor_name" text,
	"request_id" text,
	"discovery_id" uuid,
	CONSTRAINT "transactions_pk" PRIMARY KEY("organization_id","changed_at"),
	CONSTRAINT "transactions_actor_type_check" CHECK ("transactions"."actor_type" = any ('{key,token,daemon,import,operator,system}'::text[])),
	CONSTRAINT "transactions_actor_name_check" CHECK (char_length("transactions"."actor_name") between 1 and 200),
	CONSTRAINT "transactions_request_id_check" CHECK (char_length("transactions"."request_id") between 1 and 64)
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"message_id" text NOT NULL,
	"after_at" timestamp(3) with time zone NOT NULL,
	"after_entity" text NOT NULL,
	"after_id" uuid NOT NULL,
	"until_at" timestamp(3) with time zone NOT NULL,
	"until_entity" text NOT NULL,
	"until_id" uuid NOT NULL,
	"state" text NOT NULL,
	"attempt_count" integer NOT NULL,
	"last_attempt_at" timestamp(3) with time zone NOT NULL,
	"next_attempt_at" timestamp(3) with time zone,
	"duration_ms" integer NOT NULL,
	"error" text,
	"http_status" integer,
	CONSTRAINT "webhook_deliveries_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "webhook_deliveries_message_check" CHECK (char_length("webhook_deliveries"."message_id") between 1 and 64),
	CONSTRAINT "webhook_deliveries_state_check" CHECK ("webhook_deliveries"."state" = any ('{retrying,delivered,failed}'::text[])),
	CONSTRAINT "webhook_deliveries_after_check" CHECK (char_length("webhook_deliveries"."after_entity") between 1 and 32),
	CONSTRAINT "webhook_deliveries_until_check" CHECK (char_length("webhook_deliveries"."until_entity") between 1 and 32),
	CONSTRAINT "webhook_deliveries_next_check" CHECK ((state = 'retrying') = (next_attempt_at is not null)),
	CONSTRAINT "webhook_deliveries_attempts_check" CHECK (attempt_count > 0),
	CONSTRAINT "webhook_deliveries_duration_check" CHECK (duration_ms >= 0),
	CONSTRAINT "webhook_deliveries_error_check" CHECK ("webhook_deliveries"."error" = any ('{dns_failed,connection_refused,timed_out,tls_failed,http_status,redirected,url_forbidden,url_not_encrypted,secret_unreadable,history_expired}'::text[])),
	CONSTRAINT "webhook_deliveries_ended_check" CHECK ((state = 'delivered') = (error is null)),
	CONSTRAINT "webhook_deliveries_status_check" CHECK (http_status between 100 and 599
    and error is not null and error in ('http_status', 'redirected')
    or http_status is null and error is distinct from 'redirected')
);
--> statement-breakpoint
CREATE TABLE "webhook_secrets" (
	"organization_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"is_former" boolean NOT NULL,
	"sealed" text NOT NULL,
	"expires_at" timestamp(3) with time zone,
	CONSTRAINT "webhook_secrets_pk" PRIMARY KEY("organization_id","webhook_id","is_former"),
	CONSTRAINT "webhook_secrets_sealed_check" CHECK (sealed ~ '^[A-Za-z0-9_-]{1,32}[.][A-Za-z0-9_-]+={0,2}$'),
	CONSTRAINT "webhook_secrets_length_check" CHECK (char_length("webhook_secrets"."sealed") <= 4096),
	CONSTRAINT "webhook_secrets_expiry_check" CHECK (is_former = (expires_at is not null))
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid DEFAULT app.uuid_v7() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"url" text NOT NULL,
	"entities" text[] DEFAULT '{}' NOT NULL,
	"changes" text[] DEFAULT '{}' NOT NULL,
	"network_ids" uuid[],
	"disabled_reason" text,
	"is_enabled" boolean GENERATED ALWAYS AS (disabled_reason is null) STORED NOT NULL,
	"secret_hint" text NOT NULL,
	"last_success_at" timestamp(3) with time zone,
	"last_failure_at" timestamp(3) with time zone,
	"last_error" text,
	"last_error_http_status" integer,
	"failing_since" timestamp(3) with time zone,
	"position_at" timestamp(3) with time zone NOT NULL,
	"position_entity" text NOT NULL,
	"position_id" uuid NOT NULL,
	"replays" integer DEFAULT 0 NOT NULL,
	"newer_at" timestamp(3) with time zone DEFAULT now(),
	"retry_at" timestamp(3) with time zone,
	"lease_expires_at" timestamp(3) with time zone,
	"delivery_generation" bigint DEFAULT 0 NOT NULL,
	"is_slow" boolean DEFAULT false NOT NULL,
	CONSTRAINT "webhooks_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "webhooks_name_check" CHECK (char_length("webhooks"."name") between 1 and 100),
	CONSTRAINT "webhooks_url_check" CHECK (char_length("webhooks"."url") between 1 and 2048),
	CONSTRAINT "webhooks_entities_check" CHECK ("webhooks"."entities" <@ '{Binding,Host,IPAddress,Interface,Neighbor,Port,Service,Subnet}'::text[]),
	CONSTRAINT "webhooks_entities_count_check" CHECK (cardinality(entities) <= 8),
	CONSTRAINT "webhooks_changes_check" CHECK ("webhooks"."changes" <@ '{created,updated,deleted,returned}'::text[]),
	CONSTRAINT "webhooks_changes_count_check" CHECK (cardinality(changes) <= 4),
	CONSTRAINT "webhooks_network_ids_check" CHECK (cardinality(network_ids) <= 1000),
	CONSTRAINT "webhooks_disabled_reason_check" CHECK ("webhooks"."disabled_reason" = any ('{requested,failing,gone}'::text[])),
	CONSTRAINT "webhooks_secret_hint_check" CHECK (char_length(secret_hint) = 4),
	CONSTRAINT "webhooks_last_error_check" CHECK ("webhooks"."last_error" = any ('{dns_failed,connection_refused,timed_out,tls_failed,http_status,redirected,url_forbidden,url_not_encrypted,secret_unreadable,history_expired}'::text[])),
	CONSTRAINT "webhooks_last_failure_check" CHECK (("webhooks"."last_error" is null) = ("webhooks"."last_failure_at" is null)),
	CONSTRAINT "webhooks_status_check" CHECK (last_error_http_status between 100 and 599
    and last_error is not null and last_error in ('http_status', 'redirected')
    or last_error_http_status is null and last_error is distinct from 'redirected'),
	CONSTRAINT "webhooks_position_entity_check" CHECK (char_length("webhooks"."position_entity") between 1 and 32),
	CONSTRAINT "webhooks_replays_check" CHECK (replays >= 0),
	CONSTRAINT "webhooks_generation_check" CHECK (delivery_generation >= 0)
);
--> statement-breakpoint
ALTER TABLE "credential_secret_fields" ADD CONSTRAINT "credential_secret_fields_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_secrets" ADD CONSTRAINT "credential_secrets_field_fk" FOREIGN KEY ("organization_id","credential_id","field") REFERENCES "public"."credential_secret_fields"("organization_id","credential_id","field") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemon_secrets" ADD CONSTRAINT "daemon_secrets_daemon_fk" FOREIGN KEY ("organization_id","daemon_id") REFERENCES "public"."daemons"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_secrets" ADD CONSTRAINT "user_api_key_secrets_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD CONSTRAINT "user_api_keys_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_tokens" ADD CONSTRAINT "user_api_tokens_secret_fk" FOREIGN KEY ("organization_id","api_key_id","key_hash") REFERENCES "public"."user_api_key_secrets"("organization_id","api_key_id","key_hash") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_service_fk" FOREIGN KEY ("organization_id","host_id","live_service_id") REFERENCES "public"."services"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_port_fk" FOREIGN KEY ("organization_id","host_id","live_port_id") REFERENCES "public"."ports"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_ip_address_fk" FOREIGN KEY ("organization_id","host_id","live_ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_host_tags" ADD CONSTRAINT "closed_host_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_service_tags" ADD CONSTRAINT "closed_service_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_subnet_tags" ADD CONSTRAINT "closed_subnet_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "count_deltas" ADD CONSTRAINT "count_deltas_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_assignment_fk" FOREIGN KEY ("organization_id","credential_id","host_id","is_limited_to_addresses") REFERENCES "public"."credential_hosts"("organization_id","credential_id","host_id","is_limited_to_addresses") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_address_fk" FOREIGN KEY ("organization_id","host_id","ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_host_fk" FOREIGN KEY ("organization_id","host_id") REFERENCES "public"."hosts"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_networks" ADD CONSTRAINT "credential_networks_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_networks" ADD CONSTRAINT "credential_networks_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_tags" ADD CONSTRAINT "credential_tags_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_tags" ADD CONSTRAINT "credential_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemon_tags" ADD CONSTRAINT "daemon_tags_daemon_fk" FOREIGN KEY ("organization_id","daemon_id") REFERENCES "public"."daemons"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemon_tags" ADD CONSTRAINT "daemon_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_host_fk" FOREIGN KEY ("organization_id","network_id","host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_daemon_fk" FOREIGN KEY ("organization_id","network_id","daemon_id") REFERENCES "public"."daemons"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "host_tags" ADD CONSTRAINT "host_tags_host_fk" FOREIGN KEY ("organization_id","host_id") REFERENCES "public"."hosts"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "host_tags" ADD CONSTRAINT "host_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_network_fk" FOREIGN KEY ("organization_id","live_network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interfaces" ADD CONSTRAINT "interfaces_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interfaces" ADD CONSTRAINT "interfaces_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_subnet_fk" FOREIGN KEY ("organization_id","network_id","live_subnet_id") REFERENCES "public"."subnets"("organization_id","network_id","current_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "neighbors" ADD CONSTRAINT "neighbors_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "neighbors" ADD CONSTRAINT "neighbors_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "neighbors" ADD CONSTRAINT "neighbors_interface_fk" FOREIGN KEY ("organization_id","host_id","live_interface_id") REFERENCES "public"."interfaces"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "network_tags" ADD CONSTRAINT "network_tags_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "network_tags" ADD CONSTRAINT "network_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "networks" ADD CONSTRAINT "networks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_tags" ADD CONSTRAINT "service_tags_service_fk" FOREIGN KEY ("organization_id","service_id") REFERENCES "public"."services"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service_tags" ADD CONSTRAINT "service_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnet_tags" ADD CONSTRAINT "subnet_tags_subnet_fk" FOREIGN KEY ("organization_id","subnet_id") REFERENCES "public"."subnets"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnet_tags" ADD CONSTRAINT "subnet_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_network_fk" FOREIGN KEY ("organization_id","live_network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_fk" FOREIGN KEY ("organization_id","webhook_id") REFERENCES "public"."webhooks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_webhook_fk" FOREIGN KEY ("organization_id","webhook_id") REFERENCES "public"."webhooks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "credentials_created_index" ON "credentials" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_external_id_unique" ON "credentials" USING btree ("organization_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "user_api_key_networks_network_index" ON "user_api_key_networks" USING btree ("organization_id","network_id");--> statement-breakpoint
CREATE INDEX "user_api_keys_created_index" ON "user_api_keys" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "user_api_tokens_key_index" ON "user_api_tokens" USING btree ("organization_id","api_key_id","expires_at");--> statement-breakpoint
CREATE INDEX "user_api_tokens_expiry_index" ON "user_api_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "audit_entries_entity_index" ON "audit_entries" USING btree ("organization_id","entity","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_record_index" ON "audit_entries" USING btree ("organization_id","entity_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor_index" ON "audit_entries" USING btree ("organization_id","actor_id","at","id") WHERE actor_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_index" ON "bindings" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_history_index" ON "bindings" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "bindings_live_since_index" ON "bindings" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_closed_index" ON "bindings" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "bindings_closed_since_index" ON "bindings" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_network_index" ON "bindings" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_version_index" ON "bindings" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_live_host_index" ON "bindings" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_service_index" ON "bindings" USING btree ("organization_id","service_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_port_index" ON "bindings" USING btree ("organization_id","port_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_ip_address_index" ON "bindings" USING btree ("organization_id","ip_address_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_live_service_index" ON "bindings" USING btree ("organization_id","live_service_id") WHERE live_service_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_port_index" ON "bindings" USING btree ("organization_id","live_port_id") WHERE live_port_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_ip_address_index" ON "bindings" USING btree ("organization_id","live_ip_address_id") WHERE live_ip_address_id is not null;--> statement-breakpoint
CREATE INDEX "closed_host_tags_tag_index" ON "closed_host_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","host_id");--> statement-breakpoint
CREATE INDEX "closed_host_tags_ended_index" ON "closed_host_tags" USING btree ("organization_id","valid_to");--> statement-breakpoint
CREATE INDEX "closed_service_tags_tag_index" ON "closed_service_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","service_id");--> statement-breakpoint
CREATE INDEX "closed_service_tags_ended_index" ON "closed_service_tags" USING btree ("organization_id","valid_to");--> statement-breakpoint
CREATE INDEX "closed_subnet_tags_tag_index" ON "closed_subnet_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","subnet_id");--> statement-breakpoint
CREATE INDEX "closed_subnet_tags_ended_index" ON "closed_subnet_tags" USING btree ("organization_id","valid_to");--> statement-breakpoint
CREATE INDEX "count_deltas_sum_index" ON "count_deltas" USING btree ("organization_id","kind","network_id","change");--> statement-breakpoint
CREATE INDEX "count_deltas_unfolded_index" ON "count_deltas" USING btree ("organization_id") WHERE not is_folded;--> statement-breakpoint
CREATE INDEX "credential_host_ip_addresses_address_index" ON "credential_host_ip_addresses" USING btree ("ip_address_id");--> statement-breakpoint
CREATE INDEX "credential_hosts_host_index" ON "credential_hosts" USING btree ("host_id");--> statement-breakpoint
CREATE INDEX "credential_networks_network_index" ON "credential_networks" USING btree ("network_id");--> statement-breakpoint
CREATE INDEX "credential_tags_tag_index" ON "credential_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "daemon_tags_tag_index" ON "daemon_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "daemons_network_index" ON "daemons" USING btree ("organization_id","network_id");--> statement-breakpoint
CREATE INDEX "daemons_list_index" ON "daemons" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "daemons_due_index" ON "daemons" USING btree ("organization_id","due_at") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "daemons_next_scan_index" ON "daemons" USING btree ("next_scan_at") WHERE next_scan_at is not null;--> statement-breakpoint
CREATE INDEX "daemons_host_index" ON "daemons" USING btree ("host_id") WHERE host_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "daemons_external_id_unique" ON "daemons" USING btree ("organization_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "discovery_sessions_list_index" ON "discovery_sessions" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "discovery_sessions_daemon_index" ON "discovery_sessions" USING btree ("organization_id","daemon_id","created_at");--> statement-breakpoint
CREATE INDEX "discovery_sessions_network_index" ON "discovery_sessions" USING btree ("organization_id","network_id","created_at");--> statement-breakpoint
CREATE INDEX "discovery_sessions_open_index" ON "discovery_sessions" USING btree ("organization_id","daemon_id","created_at","id") WHERE finished_at is null or (phase = 'Complete' and settled_at is null);--> statement-breakpoint
CREATE UNIQUE INDEX "discovery_sessions_one_runs" ON "discovery_sessions" USING btree ("organization_id","daemon_id") WHERE phase in ('Pending', 'Starting', 'Started', 'Scanning');--> statement-breakpoint
CREATE INDEX "discovery_sessions_moved_index" ON "discovery_sessions" USING btree ("moved_at") WHERE phase in ('Pending', 'Starting', 'Started', 'Scanning');--> statement-breakpoint
CREATE INDEX "discovery_sessions_finished_index" ON "discovery_sessions" USING btree ("finished_at") WHERE finished_at is not null;--> statement-breakpoint
CREATE INDEX "host_tags_tag_index" ON "host_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "hosts_live_index" ON "hosts" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "hosts_history_index" ON "hosts" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "hosts_live_since_index" ON "hosts" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "hosts_closed_index" ON "hosts" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "hosts_closed_since_index" ON "hosts" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "hosts_live_network_index" ON "hosts" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "hosts_version_index" ON "hosts" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "hosts_of_network_index" ON "hosts" USING btree ("live_network_id") WHERE live_network_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "hosts_external_id_unique" ON "hosts" USING btree ("organization_id","external_id") WHERE valid_to is null and external_id is not null;--> statement-breakpoint
CREATE INDEX "hosts_external_id_index" ON "hosts" USING btree ("organization_id","external_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "hosts_searchable_index" ON "hosts" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "hosts_pairs_index" ON "hosts" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "hosts_live_name_index" ON "hosts" USING btree ("organization_id","name","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_index" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "interfaces_live_index" ON "interfaces" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_history_index" ON "interfaces" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "interfaces_live_since_index" ON "interfaces" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_closed_index" ON "interfaces" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "interfaces_closed_since_index" ON "interfaces" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "interfaces_live_network_index" ON "interfaces" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_version_index" ON "interfaces" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "interfaces_host_index" ON "interfaces" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "interfaces_mac_index" ON "interfaces" USING btree ("organization_id","mac_address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE mac_address is not null;--> statement-breakpoint
CREATE INDEX "interfaces_name_index" ON "interfaces" USING btree ("organization_id","name",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE name is not null;--> statement-breakpoint
CREATE INDEX "interfaces_number_index" ON "interfaces" USING btree ("organization_id","if_index",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_index" ON "ip_addresses" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_history_index" ON "ip_addresses" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_since_index" ON "ip_addresses" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_closed_index" ON "ip_addresses" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_closed_since_index" ON "ip_addresses" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_live_network_index" ON "ip_addresses" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_version_index" ON "ip_addresses" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_host_index" ON "ip_addresses" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_host_index" ON "ip_addresses" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_subnet_index" ON "ip_addresses" USING btree ("organization_id","subnet_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_searchable_index" ON "ip_addresses" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "ip_addresses_pairs_index" ON "ip_addresses" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "ip_addresses_address_index" ON "ip_addresses" USING btree ("organization_id","address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from","host_id");--> statement-breakpoint
CREATE INDEX "ip_addresses_mac_index" ON "ip_addresses" USING btree ("organization_id","mac_address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE mac_address is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_status_index" ON "ip_addresses" USING btree ("organization_id","status",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE status <> 'Active';--> statement-breakpoint
CREATE INDEX "ip_addresses_role_index" ON "ip_addresses" USING btree ("organization_id","role",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE role is not null;--> statement-breakpoint
CREATE INDEX "neighbors_live_index" ON "neighbors" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "neighbors_history_index" ON "neighbors" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "neighbors_live_since_index" ON "neighbors" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "neighbors_closed_index" ON "neighbors" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "neighbors_closed_since_index" ON "neighbors" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "neighbors_live_network_index" ON "neighbors" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "neighbors_version_index" ON "neighbors" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "neighbors_host_index" ON "neighbors" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "neighbors_live_host_index" ON "neighbors" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "neighbors_interface_index" ON "neighbors" USING btree ("organization_id","interface_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "neighbors_chassis_value_index" ON "neighbors" USING btree ("organization_id","chassis_value",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE chassis_value is not null;--> statement-breakpoint
CREATE INDEX "neighbors_port_value_index" ON "neighbors" USING btree ("organization_id","port_value",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE port_value is not null;--> statement-breakpoint
CREATE INDEX "neighbors_system_name_index" ON "neighbors" USING btree ("organization_id","system_name",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE system_name is not null;--> statement-breakpoint
CREATE INDEX "network_tags_tag_index" ON "network_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "networks_created_index" ON "networks" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "networks_external_id_unique" ON "networks" USING btree ("organization_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "ports_live_index" ON "ports" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_history_index" ON "ports" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "ports_live_since_index" ON "ports" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_closed_index" ON "ports" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ports_closed_since_index" ON "ports" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ports_live_network_index" ON "ports" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_version_index" ON "ports" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ports_host_index" ON "ports" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ports_number_index" ON "ports" USING btree ("organization_id","number","protocol",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from","host_id");--> statement-breakpoint
CREATE INDEX "service_tags_tag_index" ON "service_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "services_live_index" ON "services" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_history_index" ON "services" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "services_live_since_index" ON "services" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_closed_index" ON "services" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "services_closed_since_index" ON "services" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "services_live_network_index" ON "services" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_version_index" ON "services" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "services_host_index" ON "services" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "services_live_host_index" ON "services" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "services_external_id_unique" ON "services" USING btree ("organization_id","external_id") WHERE valid_to is null and external_id is not null;--> statement-breakpoint
CREATE INDEX "services_external_id_index" ON "services" USING btree ("organization_id","external_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX "services_searchable_index" ON "services" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "services_pairs_index" ON "services" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "services_live_name_index" ON "services" USING btree ("organization_id","name","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_name_index" ON "services" USING btree ("organization_id",lower("name" collate "und-x-icu"),(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "services_service_definition_index" ON "services" USING btree ("organization_id",lower("service_definition" collate "und-x-icu"),(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "subnet_tags_tag_index" ON "subnet_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "subnets_live_index" ON "subnets" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_history_index" ON "subnets" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "subnets_live_since_index" ON "subnets" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_closed_index" ON "subnets" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "subnets_closed_since_index" ON "subnets" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "subnets_live_network_index" ON "subnets" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_version_index" ON "subnets" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "subnets_of_network_index" ON "subnets" USING btree ("live_network_id") WHERE live_network_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subnets_external_id_unique" ON "subnets" USING btree ("organization_id","external_id") WHERE valid_to is null and external_id is not null;--> statement-breakpoint
CREATE INDEX "subnets_external_id_index" ON "subnets" USING btree ("organization_id","external_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE external_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subnets_cidr_unique" ON "subnets" USING btree ("organization_id","network_id","cidr") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_searchable_index" ON "subnets" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "subnets_pairs_index" ON "subnets" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "subnets_cidr_index" ON "subnets" USING btree ("organization_id","cidr",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "tags_created_index" ON "tags" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_external_id_unique" ON "tags" USING btree ("organization_id","external_id") WHERE external_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name_unique" ON "tags" USING btree ("organization_id",lower("name" collate "und-x-icu"));--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list_index" ON "webhook_deliveries" USING btree ("organization_id","webhook_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due_index" ON "webhook_deliveries" USING btree ("organization_id","webhook_id","next_attempt_at") WHERE state = 'retrying';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended_index" ON "webhook_deliveries" USING btree ("last_attempt_at") WHERE state <> 'retrying';--> statement-breakpoint
CREATE INDEX "webhooks_list_index" ON "webhooks" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhooks_enabled_index" ON "webhooks" USING btree ("organization_id","id") WHERE disabled_reason is null;
--> statement-breakpoint


-- 5. Tables that only functions use

-- The files of drizzle/functions and drizzle/rules that were applied last: see drizzle/apply-files.ts.
create table app.applied_files (
  path text primary key,
  hash text not null
);
--> statement-breakpoint

-- The visit of a daemon that a transaction belongs to, as app.enter does it for a key. Only app.enter_visit inserts a row,
-- and only the transaction that inserted it finds it.
create table app.daemon_visits (
  transaction_id xid8 primary key default pg_current_xact_id(),
  organization_id uuid not null,
  network_id uuid not null,
  daemon_id uuid not null
);
--> statement-breakpoint

-- The webhook delivery that a transaction reads changes for. Only app.next_delivery inserts a row, for as long as it reads,
-- and only the transaction that inserted it finds it.
create table app.webhook_visits (
  transaction_id xid8 primary key default pg_current_xact_id(),
  organization_id uuid not null,
  network_ids uuid[]
);
--> statement-breakpoint

-- The keys of operators, who manage organizations: their hashes, as for API keys. No login can read or write this table;
-- commands write to it as the owner.
create table app.operator_keys (
  id uuid primary key default app.uuid_v7(),
  created_at timestamptz(3) not null default now(),
  name text not null check (char_length(name) between 1 and 100),
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  key_hint text not null check (key_hint ~ '^[0-9A-Za-z]{4}$'),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3)
);
--> statement-breakpoint

-- The hosts and addresses that a scan reported and that could not be stored, until the scan is settled. Hosts have the
-- daemon's ids. `is_unbounded`: there were too many to keep.
create table app.scan_gaps (
  organization_id uuid not null,
  session_id uuid not null,
  host_ids uuid[] not null default '{}' check (cardinality(host_ids) <= 10000),
  addresses inet[] not null default '{}' check (cardinality(addresses) <= 10000),
  is_unbounded boolean not null default false,
  primary key (organization_id, session_id),
  foreign key (organization_id, session_id)
    references public.discovery_sessions (organization_id, id) on delete cascade
);
--> statement-breakpoint

-- The scope of a scan: light or full, and its credentials with their hosts. A scan ends only records within its scope.
-- Scans of a daemon with equal scopes share a row. `credentials` has, by the id of a credential and a digest of its
-- content, `{"network": true}` if it was for all hosts of the network, else `{"hosts": [ids], "addresses": [...]}`. A key
-- that no other scope has stands for unknown credentials: no other scan ends what was seen with them.
create table app.scan_scopes (
  organization_id uuid not null,
  daemon_id uuid not null,
  id uuid not null default app.uuid_v7(),
  is_full boolean not null,
  credentials jsonb not null,
  digest bytea not null,
  used_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, daemon_id, digest),
  foreign key (organization_id, daemon_id)
    references public.daemons (organization_id, id) on delete cascade
);
--> statement-breakpoint

-- The scans that were handed to a daemon. A row outlives the sweep of its session, as the records that the scan saw do.
create table app.handed_scans (
  organization_id uuid not null,
  session_id uuid not null,
  daemon_id uuid not null,
  started_at timestamptz not null,
  scope_id uuid not null,
  primary key (organization_id, session_id),
  foreign key (organization_id, daemon_id)
    references public.daemons (organization_id, id) on delete cascade,
  foreign key (organization_id, scope_id)
    references app.scan_scopes (organization_id, id) on delete cascade
);
--> statement-breakpoint

create index handed_scans_daemon_index on app.handed_scans (organization_id, daemon_id, started_at);
--> statement-breakpoint

create index handed_scans_scope_index on app.handed_scans (organization_id, scope_id);
--> statement-breakpoint

-- The hosts that a scan found, until it is settled: another daemon may see them meanwhile.
create table app.scan_hosts (
  organization_id uuid not null,
  session_id uuid not null,
  host_id uuid not null,
  primary key (organization_id, session_id, host_id),
  foreign key (organization_id, session_id)
    references public.discovery_sessions (organization_id, id) on delete cascade
);
--> statement-breakpoint

-- The scans that were running when their daemon was deleted. The daemon continues until it receives the cancellation, so
-- a row holds everything that the request needs; the token stays sealed. Rows live for minutes.
create table app.scan_cancellations (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  session_id uuid not null,
  daemon_id uuid not null,
  url text not null,
  sealed_token text not null,
  requested_at timestamptz not null default now(),
  next_try_at timestamptz not null default now(),
  primary key (organization_id, session_id)
);
--> statement-breakpoint

create index scan_cancellations_requested_index on app.scan_cancellations (requested_at);
--> statement-breakpoint

-- The scans that requests started within the last day. Each is a row, so no request waits for another one to commit. Rows
-- outlive daemons: otherwise deleting and provisioning a daemon again would reset the limit.
create table app.requested_scans (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  requested_at timestamptz not null,
  id bigint generated always as identity,
  primary key (organization_id, requested_at, id)
);
--> statement-breakpoint

create index requested_scans_requested_at_index on app.requested_scans (requested_at);
--> statement-breakpoint

-- How many versions an organization began within an hour, tags on records included. There are as many counters as there
-- were concurrent writers: each writer takes a free one, so none waits for another to commit.
create table app.version_counters (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  hour timestamptz not null,
  id bigint generated always as identity,
  versions bigint not null check (versions > 0),
  primary key (organization_id, hour, id)
) with (fillfactor = 50);
--> statement-breakpoint

create index version_counters_hour_index on app.version_counters (hour);
--> statement-breakpoint

-- Until when the audit log of an organization accepts no entries, and the transaction that found it full, which may finish.
-- Concurrent transactions that find it full each insert a row, so none waits.
create table app.full_audit_logs (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  until timestamptz not null,
  transaction_id xid8 not null,
  primary key (organization_id, until, transaction_id)
);
--> statement-breakpoint

-- The progress of deleting expired history, and when app.sweep_history last looked. `transaction_id` is the running sweep:
-- only that transaction may delete closed versions.
create table app.history_sweeps (
  organization_id uuid primary key references public.organizations on delete cascade,
  looked_at timestamptz,
  swept_to timestamptz,
  transaction_id xid8
);
--> statement-breakpoint

-- The organizations that have a network with `stale_after_hours`, or stale hosts: when app.sweep_stale_hosts last looked,
-- and the host, in creation order, after which it continues.
create table app.stale_sweeps (
  organization_id uuid primary key references public.organizations on delete cascade,
  looked_at timestamptz not null default now(),
  after_created_at timestamptz not null default '-infinity',
  after_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
--> statement-breakpoint


-- The usage of an organization on a day in UTC, for billing. `hosts`, `versions` and `daemons` are null until the day has
-- ended and app.count_usage has counted them.
create table app.usage_days (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  day date not null,
  requests bigint not null default 0 check (requests >= 0),
  webhook_deliveries bigint not null default 0 check (webhook_deliveries >= 0),
  hosts integer,
  versions integer,
  daemons integer,
  primary key (organization_id, day)
);
--> statement-breakpoint

create index usage_days_day_index on app.usage_days (day);
--> statement-breakpoint

-- Requests and deliveries that are not yet in app.usage_days. Writers only insert rows, so none waits for another;
-- app.count_usage replaces the rows by their sums.
create table app.usage_counts (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  id bigint generated always as identity,
  day date not null,
  requests integer not null default 0 check (requests >= 0),
  webhook_deliveries integer not null default 0 check (webhook_deliveries >= 0),
  primary key (organization_id, id)
);
--> statement-breakpoint


-- 6. Types of the parameters and results of functions

-- A report, flat: src/discovery/ingest/parameter.ts. `index` is the position of the host in the report.
create type app.reported_address as (index int, position int, ip inet, mac macaddr, name text);
--> statement-breakpoint

create type app.reported_port as (index int, number int, protocol text);
--> statement-breakpoint

create type app.reported_interface as (
  index int, if_index int, name text, description text, type int, speed_bps bigint, mac macaddr,
  admin_status text, oper_status text, alias text, native_vlan int, tagged_vlans int[], ips inet[],
  complete text[], learned_macs macaddr[]);
--> statement-breakpoint

-- A neighbor of a reported interface.
create type app.reported_neighbor as (
  index int, if_index int, protocol text, chassis_subtype text, chassis_value text, port_subtype text,
  port_value text, system_name text, system_description text, port_description text,
  management_addresses inet[]);
--> statement-breakpoint

create type app.reported_service as (
  index int, service int, name text, definition text, version text, container text, virtualization jsonb,
  runner int, is_guess boolean, is_of_port boolean, is_protocol boolean);
--> statement-breakpoint

create type app.reported_binding as (
  index int, position int, service int, type text, number int, protocol text, ip inet);
--> statement-breakpoint

-- The constants of one call of app.ingest. `daemon_id`: the reporting daemon; null for an import. `watching`: the reachable
-- daemons of the network; what one of them has filled is its own to change.
create type app.ingest_context as (
  organization_id uuid, network_id uuid, discovery_id uuid, daemon_id uuid, seen_at timestamptz,
  watching uuid[]);
--> statement-breakpoint

-- The working rows of app.ingest: see drizzle/functions/ingest/README.md. `index` is the position of the host in the report.
-- `ranks`: see app.fillable. `given_name`: the reporter's name of the host.
create type app.ingested_host as (
  index int, told_id uuid, details jsonb, ranks jsonb, given_name text, fallback_name text,
  tcp int4multirange, udp int4multirange);
--> statement-breakpoint

-- `identifies`: the address distinguishes its host from others. `is_local`: many hosts may have the address.
create type app.ingested_address as (
  index int, position int, address inet, mac macaddr, name text, subnet_id uuid, identifies boolean,
  is_local boolean, mac_identifies boolean);
--> statement-breakpoint

-- A reported address and a stored one. `likeness`: 2 if their MAC addresses are equal, 0 if they differ, 1 if unknown.
-- `is_free`: another device may have the address now. `is_gone`: another device has it, because the stored host was seen
-- elsewhere since.
create type app.ingested_pair as (
  index int, position int, address inet, host_id uuid, address_id uuid, is_exact boolean, likeness int,
  is_free boolean, is_gone boolean);
--> statement-breakpoint

create type app.ingested_match as (index int, host_id uuid, matched_by text);
--> statement-breakpoint

-- A reported record and the stored record `id`. `changes`: the columns that change. `evidence`: the new evidence for these
-- columns and for those that are now better known.
create type app.ingested_record as (
  index int, key text, host_id uuid, id uuid, is_new boolean, changes jsonb, evidence jsonb);
--> statement-breakpoint

-- A reported service and the stored service `id`. `is_replacing`: the stored one was a guess. `runner`: the reported
-- service that runs the container of this one.
create type app.ingested_service as (
  index int, service int, host_id uuid, id uuid, is_new boolean, is_replacing boolean, is_probed boolean,
  name text, definition text, version text, virtualization jsonb, runner int);
--> statement-breakpoint

create type app.ingested_binding as (
  index int, position int, host_id uuid, service_key text, service_id uuid, is_unclaimed boolean,
  is_guess boolean, is_protocol boolean, type text, port_id uuid, ip_address_id uuid, fate text,
  taken_id uuid, other_id uuid);
--> statement-breakpoint

create type app.ingested_issue as (index int, kind text, position int, other text);
--> statement-breakpoint

-- A record that a scan did not see, and the scope of the scan that saw it last.
create type app.unseen_record as (id uuid, host_id uuid, scope_id uuid);
--> statement-breakpoint

-- The host of an unseen record, and the host that the record belonged to when it was seen: the same one, or one that was
-- consolidated into it.
create type app.judged_host as (scope_id uuid, host_id uuid, known_as uuid);
--> statement-breakpoint

-- Identifies a change, and orders changes.
create type app.change_key as (at timestamptz, entity text, entity_id uuid);
