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
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_sealed_token_check";--> statement-breakpoint
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_last_error_check";--> statement-breakpoint
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_last_error_http_status_check";--> statement-breakpoint
DROP INDEX "daemons_due_index";--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "host_id" uuid;--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "due_at" timestamp(3) with time zone GENERATED ALWAYS AS (greatest(next_poll_at, lease_expires_at)) STORED;--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "is_slow" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "daemon_secrets" ADD CONSTRAINT "daemon_secrets_daemon_fk" FOREIGN KEY ("organization_id","daemon_id") REFERENCES "public"."daemons"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_host_fk" FOREIGN KEY ("organization_id","network_id","host_id") REFERENCES "public"."hosts"("organization_id","network_id","id") ON DELETE set null ("host_id") ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "daemons_host_index" ON "daemons" USING btree ("host_id") WHERE host_id is not null;--> statement-breakpoint
CREATE INDEX "daemons_due_index" ON "daemons" USING btree ("organization_id","due_at") WHERE due_at is not null;--> statement-breakpoint
-- A token of another form opens nowhere: its daemon will say `token_unreadable`.
insert into daemon_secrets (organization_id, daemon_id, field, sealed)
select organization_id, id, 'token', sealed_token from daemons
where sealed_token ~ '^[A-Za-z0-9_-]{1,32}[.][A-Za-z0-9_-]+={0,2}$';--> statement-breakpoint
ALTER TABLE "daemons" DROP COLUMN "sealed_token";--> statement-breakpoint
-- What daemons could store before the constraints below.
update daemons set version = null where version ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]';--> statement-breakpoint
update daemons set poll_generation = 0 where poll_generation not between 0 and 9007199254740991;--> statement-breakpoint
update daemons set last_error_http_status = null, last_error = 'http_status'
where last_error_http_status not between 100 and 599;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_version_characters_check" CHECK (version !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]');--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_poll_generation_check" CHECK (poll_generation between 0 and 9007199254740991);--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_http_status_range_check" CHECK (last_error_http_status between 100 and 599);--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_last_error_check" CHECK ("daemons"."last_error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'not_json', 'wrong_shape', 'too_large', 'redirected', 'url_forbidden', 'url_not_encrypted', 'token_unreadable'));--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_last_error_http_status_check" CHECK (case when last_error_http_status is null then last_error is distinct from 'redirected'
        else coalesce(last_error in ('http_status', 'redirected'), false) end);--> statement-breakpoint

-- Callers see a daemon whole: what they may not see lies in daemon_secrets, to which their role has
-- no right at all.
grant select on daemons to inventory_api;
--> statement-breakpoint
grant update (is_slow) on daemons to inventory_poller;
--> statement-breakpoint
alter table daemon_secrets enable row level security;
--> statement-breakpoint
create policy poller on daemon_secrets to inventory_poller using (true);
--> statement-breakpoint
grant select on daemon_secrets to inventory_poller;
