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
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"settings" jsonb NOT NULL,
	"type" text COLLATE "C" GENERATED ALWAYS AS (settings ->> 'type') STORED NOT NULL,
	CONSTRAINT "credentials_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "credentials_name_check" CHECK (char_length("credentials"."name") between 1 and 100)
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
	CONSTRAINT "user_api_key_secrets_hash_check" CHECK (octet_length("user_api_key_secrets"."key_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "user_api_keys" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
CREATE TABLE "bindings" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
	CONSTRAINT "bindings_of_host_unique" UNIQUE("organization_id","host_id","current_id"),
	CONSTRAINT "bindings_lineage_check" CHECK (("bindings"."valid_to" is null) = ("bindings"."lineage_id" is null)),
	CONSTRAINT "bindings_interval_check" CHECK ("bindings"."valid_from" < "bindings"."valid_to"),
	CONSTRAINT "bindings_host_check" CHECK ("bindings"."host_id" is not null or "bindings"."valid_to" is not null),
	CONSTRAINT "bindings_type_check" CHECK ("bindings"."type" in ('Port', 'IPAddress')),
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
CREATE TABLE "daemon_secrets" (
	"organization_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
	"field" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "daemon_secrets_pk" PRIMARY KEY("organization_id","daemon_id","field"),
	CONSTRAINT "daemon_secrets_field_check" CHECK ("daemon_secrets"."field" in ('token')),
	CONSTRAINT "daemon_secrets_sealed_check" CHECK (sealed ~ '^[A-Za-z0-9_-]{1,32}[.][A-Za-z0-9_-]+={0,2}$'),
	CONSTRAINT "daemon_secrets_length_check" CHECK (char_length("daemon_secrets"."sealed") <= 4096)
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
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"host_id" uuid,
	"introduced_at" timestamp(3) with time zone,
	"name" text COLLATE "C" NOT NULL,
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
	CONSTRAINT "daemons_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "daemons_network_unique" UNIQUE("organization_id","network_id","id"),
	CONSTRAINT "daemons_schedule_cron_check" CHECK (char_length("daemons"."schedule_cron") between 1 and 100),
	CONSTRAINT "daemons_schedule_timezone_check" CHECK (char_length("daemons"."schedule_timezone") between 1 and 64),
	CONSTRAINT "daemons_schedule_check" CHECK (("daemons"."schedule_cron" is null) = ("daemons"."schedule_timezone" is null)
        and ("daemons"."schedule_is_full_scan" is null or "daemons"."schedule_cron" is not null)
        and ("daemons"."next_scan_at" is null or "daemons"."schedule_cron" is not null)),
	CONSTRAINT "daemons_name_check" CHECK (char_length("daemons"."name") between 1 and 100),
	CONSTRAINT "daemons_url_check" CHECK (char_length("daemons"."url") between 1 and 2048),
	CONSTRAINT "daemons_version_check" CHECK (char_length("daemons"."version") between 1 and 64),
	CONSTRAINT "daemons_version_characters_check" CHECK (version !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]'),
	CONSTRAINT "daemons_poll_generation_check" CHECK (poll_generation between 0 and 9007199254740991),
	CONSTRAINT "daemons_failures_check" CHECK ("daemons"."consecutive_failures" >= 0),
	CONSTRAINT "daemons_unreachable_check" CHECK ((unreachable_since is not null) = (consecutive_failures >= 5)),
	CONSTRAINT "daemons_next_poll_check" CHECK (("daemons"."unreachable_since" is null) = ("daemons"."next_poll_at" is not null)),
	CONSTRAINT "daemons_lease_check" CHECK ("daemons"."lease_expires_at" is null or "daemons"."next_poll_at" is not null),
	CONSTRAINT "daemons_last_error_check" CHECK ("daemons"."last_error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'not_json', 'wrong_shape', 'too_large', 'redirected', 'url_forbidden', 'url_not_encrypted', 'token_unreadable')),
	CONSTRAINT "daemons_last_error_at_check" CHECK (("daemons"."last_error" is null) = ("daemons"."last_error_at" is null)),
	CONSTRAINT "daemons_http_status_range_check" CHECK (last_error_http_status between 100 and 599),
	CONSTRAINT "daemons_last_error_http_status_check" CHECK (case when last_error_http_status is null then last_error is distinct from 'redirected'
        else coalesce(last_error in ('http_status', 'redirected'), false) end),
	CONSTRAINT "daemons_failures_have_an_error_check" CHECK ("daemons"."consecutive_failures" = 0 or "daemons"."last_error" is not null)
);
--> statement-breakpoint
CREATE TABLE "discovery_sessions" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
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
	CONSTRAINT "discovery_sessions_phase_check" CHECK ("discovery_sessions"."phase" in ('Queued', 'Pending', 'Starting', 'Started', 'Scanning', 'Complete', 'Failed', 'Cancelled')),
	CONSTRAINT "discovery_sessions_progress_check" CHECK ("discovery_sessions"."progress" between 0 and 100),
	CONSTRAINT "discovery_sessions_hosts_check" CHECK ("discovery_sessions"."hosts_discovered" >= 0),
	CONSTRAINT "discovery_sessions_remaining_check" CHECK ("discovery_sessions"."estimated_remaining_secs" >= 0),
	CONSTRAINT "discovery_sessions_subnets_check" CHECK (cardinality("discovery_sessions"."subnet_ids") between 1 and 1000),
	CONSTRAINT "discovery_sessions_error_check" CHECK ((error is not null) = (phase = 'Failed') and char_length(error) between 1 and 500),
	CONSTRAINT "discovery_sessions_started_check" CHECK (("discovery_sessions"."started_at" is not null) or not "discovery_sessions"."phase" in ('Pending', 'Starting', 'Started', 'Scanning', 'Complete')),
	CONSTRAINT "discovery_sessions_moved_check" CHECK (("discovery_sessions"."moved_at" is not null) or not "discovery_sessions"."phase" in ('Pending', 'Starting', 'Started', 'Scanning')),
	CONSTRAINT "discovery_sessions_settled_check" CHECK ("discovery_sessions"."settled_at" is null or "discovery_sessions"."phase" = 'Complete'),
	CONSTRAINT "discovery_sessions_finished_check" CHECK (("discovery_sessions"."finished_at" is not null) = ("discovery_sessions"."phase" in ('Complete', 'Failed', 'Cancelled')))
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
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
	"source" text DEFAULT 'Manual' NOT NULL,
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
	CONSTRAINT "hosts_source_check" CHECK ("hosts"."source" in ('Manual', 'System', 'Discovery', 'Import')),
	CONSTRAINT "hosts_management_url_check" CHECK (char_length("hosts"."management_url") between 1 and 2048),
	CONSTRAINT "hosts_hostname_check" CHECK (char_length("hosts"."hostname") between 1 and 255),
	CONSTRAINT "hosts_sys_name_check" CHECK (char_length("hosts"."sys_name") between 1 and 255),
	CONSTRAINT "hosts_sys_descr_check" CHECK (char_length("hosts"."sys_descr") between 1 and 255),
	CONSTRAINT "hosts_sys_object_id_check" CHECK (char_length("hosts"."sys_object_id") between 1 and 255),
	CONSTRAINT "hosts_sys_location_check" CHECK (char_length("hosts"."sys_location") between 1 and 255),
	CONSTRAINT "hosts_sys_contact_check" CHECK (char_length("hosts"."sys_contact") between 1 and 255),
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
CREATE TABLE "ip_addresses" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
	"position" integer DEFAULT 0 NOT NULL,
	"discovered" jsonb,
	"evidence" jsonb,
	"searchable" text GENERATED ALWAYS AS (lower((coalesce(name, '') || chr(10) || host(address) || chr(10) || coalesce(mac_address::text, '')) collate "und-x-icu")) STORED NOT NULL,
	CONSTRAINT "ip_addresses_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "ip_addresses_of_host_unique" UNIQUE("organization_id","host_id","current_id"),
	CONSTRAINT "ip_addresses_lineage_check" CHECK (("ip_addresses"."valid_to" is null) = ("ip_addresses"."lineage_id" is null)),
	CONSTRAINT "ip_addresses_interval_check" CHECK ("ip_addresses"."valid_from" < "ip_addresses"."valid_to"),
	CONSTRAINT "ip_addresses_address_check" CHECK (masklen("ip_addresses"."address") = case family("ip_addresses"."address") when 4 then 32 else 128 end),
	CONSTRAINT "ip_addresses_name_check" CHECK (char_length("ip_addresses"."name") between 1 and 100)
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
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"description" text,
	CONSTRAINT "networks_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "networks_name_check" CHECK (char_length("networks"."name") between 1 and 100),
	CONSTRAINT "networks_description_check" CHECK (char_length("networks"."description") between 1 and 500)
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
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
	CONSTRAINT "organizations_name_check" CHECK (char_length("organizations"."name") between 1 and 100),
	CONSTRAINT "organizations_onboarding_check" CHECK ("organizations"."onboarding" <@ array['OrgCreated', 'OnboardingModalCompleted', 'PlanSelected', 'FirstDaemonRegistered', 'FirstTopologyRebuild', 'FirstDiscoveryCompleted', 'FirstHostDiscovered', 'SecondNetworkCreated', 'FirstTagCreated', 'FirstDependencyCreated', 'FirstUserApiKeyCreated', 'FirstSnmpCredentialCreated', 'FirstCredentialCreated', 'FirstSnapshotCreated', 'InviteSent', 'InviteAccepted', 'ProfileCompleted', 'ReferralSourceCompleted']),
	CONSTRAINT "organizations_onboarding_once" CHECK (app.is_set("organizations"."onboarding")),
	CONSTRAINT "organizations_plan_check" CHECK (case jsonb_typeof("organizations"."plan") when 'object'
    then coalesce("organizations"."plan" ->> 'type' in ('Community', 'Free', 'Starter', 'Pro', 'Team', 'Business', 'Enterprise', 'Demo', 'CommercialSelfHosted') and "organizations"."plan" ->> 'rate' in ('Month', 'Year') and jsonb_typeof("organizations"."plan" -> 'trial_days') in ('number') and jsonb_typeof("organizations"."plan" -> 'base_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'seat_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'network_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'host_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'included_seats') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'included_networks') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'included_hosts') in ('number', 'null') and "organizations"."plan" - array['type', 'rate', 'trial_days', 'base_cents', 'seat_cents', 'network_cents', 'host_cents', 'included_seats', 'included_networks', 'included_hosts'] = '{}', false) else "organizations"."plan" is null end),
	CONSTRAINT "organizations_downgrade_check" CHECK (case jsonb_typeof("organizations"."last_downgrade_from_plan") when 'object'
    then coalesce("organizations"."last_downgrade_from_plan" ->> 'type' in ('Community', 'Free', 'Starter', 'Pro', 'Team', 'Business', 'Enterprise', 'Demo', 'CommercialSelfHosted') and "organizations"."last_downgrade_from_plan" ->> 'rate' in ('Month', 'Year') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'trial_days') in ('number') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'base_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'seat_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'network_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'host_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'included_seats') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'included_networks') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'included_hosts') in ('number', 'null') and "organizations"."last_downgrade_from_plan" - array['type', 'rate', 'trial_days', 'base_cents', 'seat_cents', 'network_cents', 'host_cents', 'included_seats', 'included_networks', 'included_hosts'] = '{}', false) else "organizations"."last_downgrade_from_plan" is null end),
	CONSTRAINT "organizations_plan_status_check" CHECK ("organizations"."plan_status" in ('active', 'trialing', 'past_due', 'paused', 'pending_cancellation', 'cancelled')),
	CONSTRAINT "organizations_use_case_check" CHECK ("organizations"."use_case" in ('homelab', 'internal_it', 'msp', 'other')),
	CONSTRAINT "organizations_percent_check" CHECK ("organizations"."discount_save_offer_percent_off" between 0 and 100)
);
--> statement-breakpoint
CREATE TABLE "ports" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
	CONSTRAINT "ports_protocol_check" CHECK ("ports"."protocol" in ('Tcp', 'Udp'))
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
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
	CONSTRAINT "services_source_check" CHECK ("services"."source" in ('Manual', 'System', 'Discovery', 'Import'))
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
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
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
	"source" text DEFAULT 'Manual' NOT NULL,
	"searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || coalesce(description, '') || chr(10) || text(cidr)) collate "und-x-icu")) STORED NOT NULL,
	CONSTRAINT "subnets_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "subnets_current_unique" UNIQUE("organization_id","current_id"),
	CONSTRAINT "subnets_network_unique" UNIQUE("organization_id","network_id","current_id"),
	CONSTRAINT "subnets_lineage_check" CHECK (("subnets"."valid_to" is null) = ("subnets"."lineage_id" is null)),
	CONSTRAINT "subnets_interval_check" CHECK ("subnets"."valid_from" < "subnets"."valid_to"),
	CONSTRAINT "subnets_name_check" CHECK (char_length("subnets"."name") between 1 and 100),
	CONSTRAINT "subnets_description_check" CHECK (char_length("subnets"."description") between 1 and 500),
	CONSTRAINT "subnets_type_check" CHECK ("subnets"."subnet_type" in ('Internet', 'Remote', 'Gateway', 'VpnTunnel', 'Dmz', 'Lan', 'WiFi', 'IoT', 'Guest', 'DockerBridge', 'MacVlan', 'IpVlan', 'Management', 'Storage', 'Loopback', 'Unknown')),
	CONSTRAINT "subnets_source_check" CHECK ("subnets"."source" in ('Manual', 'System', 'Discovery', 'Import'))
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"description" text,
	"color" text DEFAULT 'Gray' NOT NULL,
	CONSTRAINT "tags_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "tags_name_check" CHECK (char_length("tags"."name") between 1 and 100),
	CONSTRAINT "tags_description_check" CHECK (char_length("tags"."description") between 1 and 500),
	CONSTRAINT "tags_color_check" CHECK ("tags"."color" in ('Pink', 'Rose', 'Red', 'Amber', 'Orange', 'Green', 'Emerald', 'Teal', 'Cyan', 'Blue', 'Indigo', 'Purple', 'Fuchsia', 'Violet', 'Sky', 'Gray', 'Lime', 'Yellow'))
);
--> statement-breakpoint
ALTER TABLE "credential_secret_fields" ADD CONSTRAINT "credential_secret_fields_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_secrets" ADD CONSTRAINT "credential_secrets_field_fk" FOREIGN KEY ("organization_id","credential_id","field") REFERENCES "public"."credential_secret_fields"("organization_id","credential_id","field") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_secrets" ADD CONSTRAINT "user_api_key_secrets_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD CONSTRAINT "user_api_keys_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_service_fk" FOREIGN KEY ("organization_id","host_id","live_service_id") REFERENCES "public"."services"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_port_fk" FOREIGN KEY ("organization_id","host_id","live_port_id") REFERENCES "public"."ports"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_ip_address_fk" FOREIGN KEY ("organization_id","host_id","live_ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_host_tags" ADD CONSTRAINT "closed_host_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_service_tags" ADD CONSTRAINT "closed_service_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "closed_subnet_tags" ADD CONSTRAINT "closed_subnet_tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_assignment_fk" FOREIGN KEY ("organization_id","credential_id","host_id","is_limited_to_addresses") REFERENCES "public"."credential_hosts"("organization_id","credential_id","host_id","is_limited_to_addresses") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_address_fk" FOREIGN KEY ("organization_id","host_id","ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_host_fk" FOREIGN KEY ("organization_id","host_id") REFERENCES "public"."hosts"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_networks" ADD CONSTRAINT "credential_networks_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_networks" ADD CONSTRAINT "credential_networks_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_tags" ADD CONSTRAINT "credential_tags_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_tags" ADD CONSTRAINT "credential_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemon_secrets" ADD CONSTRAINT "daemon_secrets_daemon_fk" FOREIGN KEY ("organization_id","daemon_id") REFERENCES "public"."daemons"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
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
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_subnet_fk" FOREIGN KEY ("organization_id","network_id","live_subnet_id") REFERENCES "public"."subnets"("organization_id","network_id","current_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
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
CREATE INDEX "credentials_created_index" ON "credentials" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "user_api_key_networks_network_index" ON "user_api_key_networks" USING btree ("organization_id","network_id");--> statement-breakpoint
CREATE INDEX "user_api_key_secrets_key_index" ON "user_api_key_secrets" USING btree ("organization_id","api_key_id");--> statement-breakpoint
CREATE INDEX "user_api_keys_created_index" ON "user_api_keys" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bindings_live_index" ON "bindings" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_history_index" ON "bindings" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "bindings_live_since_index" ON "bindings" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_closed_index" ON "bindings" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_network_index" ON "bindings" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_history_network_index" ON "bindings" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "bindings_version_index" ON "bindings" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_host_index" ON "bindings" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_live_host_index" ON "bindings" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_service_index" ON "bindings" USING btree ("organization_id","service_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_port_index" ON "bindings" USING btree ("organization_id","port_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_ip_address_index" ON "bindings" USING btree ("organization_id","ip_address_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "bindings_live_service_index" ON "bindings" USING btree ("live_service_id") WHERE live_service_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_port_index" ON "bindings" USING btree ("live_port_id") WHERE live_port_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_ip_address_index" ON "bindings" USING btree ("live_ip_address_id") WHERE live_ip_address_id is not null;--> statement-breakpoint
CREATE INDEX "closed_host_tags_tag_index" ON "closed_host_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","host_id");--> statement-breakpoint
CREATE INDEX "closed_service_tags_tag_index" ON "closed_service_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","service_id");--> statement-breakpoint
CREATE INDEX "closed_subnet_tags_tag_index" ON "closed_subnet_tags" USING btree ("organization_id","tag_id","valid_to","valid_from","subnet_id");--> statement-breakpoint
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
CREATE INDEX "hosts_live_since_index" ON "hosts" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "hosts_closed_index" ON "hosts" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "hosts_live_network_index" ON "hosts" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "hosts_history_network_index" ON "hosts" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "hosts_version_index" ON "hosts" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "hosts_of_network_index" ON "hosts" USING btree ("live_network_id") WHERE live_network_id is not null;--> statement-breakpoint
CREATE INDEX "hosts_searchable_index" ON "hosts" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "hosts_pairs_index" ON "hosts" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "hosts_live_name_index" ON "hosts" USING btree ("organization_id","name","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_index" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_index" ON "ip_addresses" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_history_index" ON "ip_addresses" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_since_index" ON "ip_addresses" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_closed_index" ON "ip_addresses" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_live_network_index" ON "ip_addresses" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_history_network_index" ON "ip_addresses" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "ip_addresses_version_index" ON "ip_addresses" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_host_index" ON "ip_addresses" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_host_index" ON "ip_addresses" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_subnet_index" ON "ip_addresses" USING btree ("organization_id","subnet_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ip_addresses_live_subnet_index" ON "ip_addresses" USING btree ("live_subnet_id") WHERE live_subnet_id is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_searchable_index" ON "ip_addresses" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "ip_addresses_pairs_index" ON "ip_addresses" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "ip_addresses_address_index" ON "ip_addresses" USING btree ("organization_id","address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from","host_id");--> statement-breakpoint
CREATE INDEX "ip_addresses_mac_index" ON "ip_addresses" USING btree ("organization_id","mac_address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE mac_address is not null;--> statement-breakpoint
CREATE INDEX "network_tags_tag_index" ON "network_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "networks_created_index" ON "networks" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "ports_live_index" ON "ports" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_history_index" ON "ports" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "ports_live_since_index" ON "ports" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_closed_index" ON "ports" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ports_live_network_index" ON "ports" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_history_network_index" ON "ports" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "ports_version_index" ON "ports" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ports_host_index" ON "ports" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "ports_live_host_index" ON "ports" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "ports_number_index" ON "ports" USING btree ("organization_id","number","protocol",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from","host_id");--> statement-breakpoint
CREATE INDEX "service_tags_tag_index" ON "service_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "services_live_index" ON "services" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_history_index" ON "services" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "services_live_since_index" ON "services" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_closed_index" ON "services" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "services_live_network_index" ON "services" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_history_network_index" ON "services" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "services_version_index" ON "services" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "services_host_index" ON "services" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "services_live_host_index" ON "services" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;--> statement-breakpoint
CREATE INDEX "services_searchable_index" ON "services" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "services_pairs_index" ON "services" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "services_live_name_index" ON "services" USING btree ("organization_id","name","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_name_index" ON "services" USING btree ("organization_id",lower("name" collate "und-x-icu"),(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "services_service_definition_index" ON "services" USING btree ("organization_id",lower("service_definition" collate "und-x-icu"),(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "subnet_tags_tag_index" ON "subnet_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "subnets_live_index" ON "subnets" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_history_index" ON "subnets" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "subnets_live_since_index" ON "subnets" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_closed_index" ON "subnets" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "subnets_live_network_index" ON "subnets" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_history_network_index" ON "subnets" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "subnets_version_index" ON "subnets" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "subnets_of_network_index" ON "subnets" USING btree ("live_network_id") WHERE live_network_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "subnets_cidr_unique" ON "subnets" USING btree ("organization_id","network_id","cidr") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_searchable_index" ON "subnets" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "subnets_pairs_index" ON "subnets" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "subnets_cidr_index" ON "subnets" USING btree ("organization_id","cidr",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "tags_created_index" ON "tags" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name_unique" ON "tags" USING btree ("organization_id",lower("name" collate "und-x-icu"));