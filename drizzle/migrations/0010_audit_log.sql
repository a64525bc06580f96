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
	CONSTRAINT "audit_entries_action_check" CHECK ("audit_entries"."action" in ('created', 'updated', 'deleted', 'rotated', 'assigned', 'unassigned')),
	CONSTRAINT "audit_entries_entity_check" CHECK ("audit_entries"."entity" in ('ApiKey', 'Credential', 'Daemon', 'Network', 'Organization', 'Tag')),
	CONSTRAINT "audit_entries_label_check" CHECK (char_length("audit_entries"."label") between 1 and 100),
	CONSTRAINT "audit_entries_actor_type_check" CHECK ("audit_entries"."actor_type" in ('key', 'daemon', 'import', 'system')),
	CONSTRAINT "audit_entries_actor_name_check" CHECK (char_length("audit_entries"."actor_name") between 1 and 100),
	CONSTRAINT "audit_entries_request_id_check" CHECK (char_length("audit_entries"."request_id") between 1 and 64)
);
--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_entries_entity_index" ON "audit_entries" USING btree ("organization_id","entity","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_record_index" ON "audit_entries" USING btree ("organization_id","entity_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor_index" ON "audit_entries" USING btree ("organization_id","actor_id","at","id") WHERE actor_id is not null;