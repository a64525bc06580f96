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
	CONSTRAINT "webhook_deliveries_state_check" CHECK ("webhook_deliveries"."state" in ('retrying', 'delivered', 'failed')),
	CONSTRAINT "webhook_deliveries_after_check" CHECK (char_length("webhook_deliveries"."after_entity") between 1 and 32),
	CONSTRAINT "webhook_deliveries_until_check" CHECK (char_length("webhook_deliveries"."until_entity") between 1 and 32),
	CONSTRAINT "webhook_deliveries_next_check" CHECK ((state = 'retrying') = (next_attempt_at is not null)),
	CONSTRAINT "webhook_deliveries_attempts_check" CHECK (attempt_count > 0),
	CONSTRAINT "webhook_deliveries_duration_check" CHECK (duration_ms >= 0),
	CONSTRAINT "webhook_deliveries_error_check" CHECK ("webhook_deliveries"."error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'redirected', 'url_forbidden', 'url_not_encrypted', 'secret_unreadable')),
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
	CONSTRAINT "webhooks_entities_check" CHECK ("webhooks"."entities" <@ array['Binding', 'Host', 'IPAddress', 'Interface', 'Port', 'Service', 'Subnet']),
	CONSTRAINT "webhooks_entities_count_check" CHECK (cardinality(entities) <= 7),
	CONSTRAINT "webhooks_changes_check" CHECK ("webhooks"."changes" <@ array['created', 'updated', 'deleted', 'returned']),
	CONSTRAINT "webhooks_changes_count_check" CHECK (cardinality(changes) <= 4),
	CONSTRAINT "webhooks_network_ids_check" CHECK (cardinality(network_ids) <= 1000),
	CONSTRAINT "webhooks_disabled_reason_check" CHECK ("webhooks"."disabled_reason" in ('requested', 'failing', 'gone')),
	CONSTRAINT "webhooks_secret_hint_check" CHECK (char_length(secret_hint) = 4),
	CONSTRAINT "webhooks_last_error_check" CHECK ("webhooks"."last_error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'redirected', 'url_forbidden', 'url_not_encrypted', 'secret_unreadable')),
	CONSTRAINT "webhooks_last_failure_check" CHECK (("webhooks"."last_error" is null) = ("webhooks"."last_failure_at" is null)),
	CONSTRAINT "webhooks_status_check" CHECK (last_error_http_status between 100 and 599
    and last_error is not null and last_error in ('http_status', 'redirected')
    or last_error_http_status is null and last_error is distinct from 'redirected'),
	CONSTRAINT "webhooks_position_entity_check" CHECK (char_length("webhooks"."position_entity") between 1 and 32),
	CONSTRAINT "webhooks_replays_check" CHECK (replays >= 0),
	CONSTRAINT "webhooks_generation_check" CHECK (delivery_generation >= 0)
);
--> statement-breakpoint
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_entity_check";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_fk" FOREIGN KEY ("organization_id","webhook_id") REFERENCES "public"."webhooks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_webhook_fk" FOREIGN KEY ("organization_id","webhook_id") REFERENCES "public"."webhooks"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_list_index" ON "webhook_deliveries" USING btree ("organization_id","webhook_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due_index" ON "webhook_deliveries" USING btree ("organization_id","webhook_id","next_attempt_at") WHERE state = 'retrying';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended_index" ON "webhook_deliveries" USING btree ("last_attempt_at") WHERE state <> 'retrying';--> statement-breakpoint
CREATE INDEX "webhooks_list_index" ON "webhooks" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhooks_enabled_index" ON "webhooks" USING btree ("organization_id","id") WHERE disabled_reason is null;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_entity_check" CHECK ("audit_entries"."entity" in ('ApiKey', 'Credential', 'Daemon', 'Network', 'Organization', 'Tag', 'Webhook'));
--> statement-breakpoint

-- The delivery that this transaction reads the feed for: what app.enter is for a key. Only the transaction that made
-- a row finds it, and only app.next_delivery makes one, for as long as it reads.
create table app.webhook_visits (
  transaction_id xid8 primary key default pg_current_xact_id(),
  organization_id uuid not null,
  network_ids uuid[]
);
