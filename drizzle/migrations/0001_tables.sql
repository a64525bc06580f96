CREATE TYPE "public"."role" AS ENUM('Viewer', 'Member', 'Admin', 'Owner');--> statement-breakpoint
CREATE TABLE "user_api_key_networks" (
	"organization_id" uuid NOT NULL,
	"api_key_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	CONSTRAINT "user_api_key_networks_api_key_id_network_id_pk" PRIMARY KEY("api_key_id","network_id")
);
--> statement-breakpoint
CREATE TABLE "user_api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"role" "role" NOT NULL,
	"is_enabled" boolean DEFAULT true NOT NULL,
	"is_limited_to_networks" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp(3) with time zone,
	"last_used_at" timestamp(3) with time zone,
	CONSTRAINT "user_api_keys_key_hash_unique" UNIQUE("key_hash"),
	CONSTRAINT "user_api_keys_tenant_unique" UNIQUE("organization_id","id"),
	CONSTRAINT "user_api_keys_hash_check" CHECK (octet_length("user_api_keys"."key_hash") = 32),
	CONSTRAINT "user_api_keys_name_check" CHECK (char_length("user_api_keys"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "bindings" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"type" text NOT NULL,
	"service_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"port_id" uuid,
	"ip_address_id" uuid,
	"last_seen_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"valid_from" timestamp(3) with time zone DEFAULT date_trunc('milliseconds', now()) NOT NULL,
	"valid_to" timestamp(3) with time zone,
	"first_discovery_id" uuid,
	"last_discovery_id" uuid,
	"lineage_id" uuid,
	"live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL,
	"live_service_id" uuid GENERATED ALWAYS AS (case when valid_to is null then service_id end) STORED,
	"live_port_id" uuid GENERATED ALWAYS AS (case when valid_to is null then port_id end) STORED,
	"live_ip_address_id" uuid GENERATED ALWAYS AS (case when valid_to is null then ip_address_id end) STORED,
	CONSTRAINT "bindings_type_check" CHECK ("bindings"."type" in ('Port', 'IPAddress')),
	CONSTRAINT "bindings_port_check" CHECK (("bindings"."type" = 'Port') = ("bindings"."port_id" is not null)),
	CONSTRAINT "bindings_ip_address_check" CHECK ("bindings"."type" <> 'IPAddress' or "bindings"."ip_address_id" is not null),
	CONSTRAINT "bindings_lineage_check" CHECK (("bindings"."valid_to" is null) = ("bindings"."lineage_id" is null)),
	CONSTRAINT "bindings_interval_check" CHECK ("bindings"."valid_from" < "bindings"."valid_to")
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
CREATE TABLE "credential_secrets" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"field" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "credential_secrets_pk" PRIMARY KEY("organization_id","credential_id","field")
);
--> statement-breakpoint
CREATE TABLE "credential_tags" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "credential_tags_pk" PRIMARY KEY("organization_id","credential_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"settings" jsonb NOT NULL,
	"type" text COLLATE "C" GENERATED ALWAYS AS (settings ->> 'type') STORED NOT NULL,
	CONSTRAINT "credentials_tenant_unique" UNIQUE("organization_id","id"),
	CONSTRAINT "credentials_name_check" CHECK (char_length("credentials"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "daemons" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"name" text NOT NULL,
	"url" text NOT NULL,
	"sealed_token" text NOT NULL,
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
	"poll_generation" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "daemons_tenant_unique" UNIQUE("organization_id","id"),
	CONSTRAINT "daemons_name_check" CHECK (char_length("daemons"."name") between 1 and 255),
	CONSTRAINT "daemons_url_check" CHECK (char_length("daemons"."url") between 1 and 2048),
	CONSTRAINT "daemons_sealed_token_check" CHECK (char_length("daemons"."sealed_token") between 1 and 4096),
	CONSTRAINT "daemons_version_check" CHECK (char_length("daemons"."version") between 1 and 64),
	CONSTRAINT "daemons_failures_check" CHECK ("daemons"."consecutive_failures" >= 0),
	CONSTRAINT "daemons_unreachable_check" CHECK ((unreachable_since is not null) = (consecutive_failures >= 5)),
	CONSTRAINT "daemons_next_poll_check" CHECK (("daemons"."unreachable_since" is null) = ("daemons"."next_poll_at" is not null)),
	CONSTRAINT "daemons_lease_check" CHECK ("daemons"."lease_expires_at" is null or "daemons"."next_poll_at" is not null),
	CONSTRAINT "daemons_last_error_check" CHECK ("daemons"."last_error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'not_json', 'wrong_shape', 'too_large', 'redirected', 'url_forbidden')),
	CONSTRAINT "daemons_last_error_at_check" CHECK (("daemons"."last_error" is null) = ("daemons"."last_error_at" is null)),
	CONSTRAINT "daemons_last_error_http_status_check" CHECK ((last_error_http_status is not null) = coalesce(last_error in ('http_status', 'redirected'), false)),
	CONSTRAINT "daemons_failures_have_an_error_check" CHECK ("daemons"."consecutive_failures" = 0 or "daemons"."last_error" is not null)
);
--> statement-breakpoint
CREATE TABLE "hosts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "hosts_tenant_unique" UNIQUE("organization_id","id"),
	CONSTRAINT "hosts_network_unique" UNIQUE("organization_id","network_id","id")
);
--> statement-breakpoint
CREATE TABLE "ip_addresses" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"address" "inet" NOT NULL,
	CONSTRAINT "ip_addresses_host_unique" UNIQUE("organization_id","host_id","id"),
	CONSTRAINT "ip_addresses_network_unique" UNIQUE("organization_id","network_id","id")
);
--> statement-breakpoint
CREATE TABLE "networks" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "networks_tenant_unique" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "ports" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"protocol" text NOT NULL,
	CONSTRAINT "ports_network_unique" UNIQUE("organization_id","network_id","id"),
	CONSTRAINT "ports_number_check" CHECK ("ports"."number" between 1 and 65535),
	CONSTRAINT "ports_protocol_check" CHECK ("ports"."protocol" in ('Tcp', 'Udp'))
);
--> statement-breakpoint
CREATE TABLE "services" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "services_network_unique" UNIQUE("organization_id","network_id","id")
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "tags_tenant_unique" UNIQUE("organization_id","id")
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
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
	CONSTRAINT "organizations_plan_check" CHECK (app.is_plan("organizations"."plan")),
	CONSTRAINT "organizations_downgrade_check" CHECK (app.is_plan("organizations"."last_downgrade_from_plan")),
	CONSTRAINT "organizations_plan_status_check" CHECK ("organizations"."plan_status" in ('active', 'trialing', 'past_due', 'paused', 'pending_cancellation', 'cancelled')),
	CONSTRAINT "organizations_use_case_check" CHECK ("organizations"."use_case" in ('homelab', 'internal_it', 'msp', 'other')),
	CONSTRAINT "organizations_percent_check" CHECK ("organizations"."discount_save_offer_percent_off" between 0 and 100)
);
--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_key_fk" FOREIGN KEY ("organization_id","api_key_id") REFERENCES "public"."user_api_keys"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_key_networks" ADD CONSTRAINT "user_api_key_networks_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_api_keys" ADD CONSTRAINT "user_api_keys_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_service_fk" FOREIGN KEY ("organization_id","network_id","live_service_id") REFERENCES "public"."services"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_port_fk" FOREIGN KEY ("organization_id","network_id","live_port_id") REFERENCES "public"."ports"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_ip_address_fk" FOREIGN KEY ("organization_id","network_id","live_ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_assignment_fk" FOREIGN KEY ("organization_id","credential_id","host_id","is_limited_to_addresses") REFERENCES "public"."credential_hosts"("organization_id","credential_id","host_id","is_limited_to_addresses") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_address_fk" FOREIGN KEY ("organization_id","host_id","ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_host_fk" FOREIGN KEY ("organization_id","host_id") REFERENCES "public"."hosts"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_networks" ADD CONSTRAINT "credential_networks_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_networks" ADD CONSTRAINT "credential_networks_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_secrets" ADD CONSTRAINT "credential_secrets_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_tags" ADD CONSTRAINT "credential_tags_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credential_tags" ADD CONSTRAINT "credential_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_network_fk" FOREIGN KEY ("organization_id","network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_host_fk" FOREIGN KEY ("organization_id","network_id","host_id") REFERENCES "public"."hosts"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "networks" ADD CONSTRAINT "networks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_host_fk" FOREIGN KEY ("organization_id","network_id","host_id") REFERENCES "public"."hosts"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_host_fk" FOREIGN KEY ("organization_id","network_id","host_id") REFERENCES "public"."hosts"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_api_key_networks_network_index" ON "user_api_key_networks" USING btree ("organization_id","network_id");--> statement-breakpoint
CREATE INDEX "bindings_live_index" ON "bindings" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_history_index" ON "bindings" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "bindings_live_since_index" ON "bindings" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_closed_index" ON "bindings" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_network_index" ON "bindings" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_history_network_index" ON "bindings" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");--> statement-breakpoint
CREATE INDEX "bindings_service_index" ON "bindings" USING btree ("organization_id","service_id","created_at");--> statement-breakpoint
CREATE INDEX "bindings_port_index" ON "bindings" USING btree ("organization_id","port_id","created_at");--> statement-breakpoint
CREATE INDEX "bindings_ip_address_index" ON "bindings" USING btree ("organization_id","ip_address_id","created_at");--> statement-breakpoint
CREATE INDEX "bindings_live_service_index" ON "bindings" USING btree ("live_service_id") WHERE live_service_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_port_index" ON "bindings" USING btree ("live_port_id") WHERE live_port_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_ip_address_index" ON "bindings" USING btree ("live_ip_address_id") WHERE live_ip_address_id is not null;--> statement-breakpoint
CREATE INDEX "credential_host_ip_addresses_address_index" ON "credential_host_ip_addresses" USING btree ("ip_address_id");--> statement-breakpoint
CREATE INDEX "credential_hosts_host_index" ON "credential_hosts" USING btree ("host_id");--> statement-breakpoint
CREATE INDEX "credential_networks_network_index" ON "credential_networks" USING btree ("network_id");--> statement-breakpoint
CREATE INDEX "credential_tags_tag_index" ON "credential_tags" USING btree ("tag_id");--> statement-breakpoint
CREATE INDEX "credentials_created_index" ON "credentials" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "daemons_network_index" ON "daemons" USING btree ("organization_id","network_id");--> statement-breakpoint
CREATE INDEX "daemons_list_index" ON "daemons" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "daemons_due_index" ON "daemons" USING btree ("next_poll_at") WHERE next_poll_at is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_on_host_index" ON "ip_addresses" USING btree ("organization_id","network_id","host_id");--> statement-breakpoint
CREATE INDEX "ports_on_host_index" ON "ports" USING btree ("organization_id","network_id","host_id");--> statement-breakpoint
CREATE INDEX "services_on_host_index" ON "services" USING btree ("organization_id","network_id","host_id");