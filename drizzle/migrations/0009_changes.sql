CREATE TABLE "transactions" (
	"organization_id" uuid NOT NULL,
	"changed_at" timestamp(3) with time zone NOT NULL,
	"actor_type" text NOT NULL,
	"actor_id" uuid,
	"actor_name" text,
	"request_id" text,
	"discovery_id" uuid,
	CONSTRAINT "transactions_pk" PRIMARY KEY("organization_id","changed_at"),
	CONSTRAINT "transactions_actor_type_check" CHECK ("transactions"."actor_type" in ('key', 'daemon', 'import', 'system')),
	CONSTRAINT "transactions_actor_name_check" CHECK (char_length("transactions"."actor_name") between 1 and 100),
	CONSTRAINT "transactions_request_id_check" CHECK (char_length("transactions"."request_id") between 1 and 64)
);
--> statement-breakpoint
DROP INDEX "bindings_live_since_index";--> statement-breakpoint
DROP INDEX "bindings_closed_index";--> statement-breakpoint
DROP INDEX "hosts_live_since_index";--> statement-breakpoint
DROP INDEX "hosts_closed_index";--> statement-breakpoint
DROP INDEX "interfaces_live_since_index";--> statement-breakpoint
DROP INDEX "interfaces_closed_index";--> statement-breakpoint
DROP INDEX "ip_addresses_live_since_index";--> statement-breakpoint
DROP INDEX "ip_addresses_closed_index";--> statement-breakpoint
DROP INDEX "ports_live_since_index";--> statement-breakpoint
DROP INDEX "ports_closed_index";--> statement-breakpoint
DROP INDEX "services_live_since_index";--> statement-breakpoint
DROP INDEX "services_closed_index";--> statement-breakpoint
DROP INDEX "subnets_live_since_index";--> statement-breakpoint
DROP INDEX "subnets_closed_index";--> statement-breakpoint
ALTER TABLE "transactions" ADD CONSTRAINT "transactions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- What was changed before has its timestamps below this one.
insert into transactions (organization_id, changed_at, actor_type)
select id, date_trunc('milliseconds', clock_timestamp()), 'system' from organizations;
--> statement-breakpoint
-- A change is known by its instant and its record. They are in this order.
create type app.change_key as (at timestamptz, entity text, entity_id uuid);
--> statement-breakpoint
-- It takes the organization as well.
drop function if exists app.refuse_later_change(timestamptz, timestamptz);
--> statement-breakpoint
CREATE INDEX "bindings_closed_since_index" ON "bindings" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "hosts_closed_since_index" ON "hosts" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "interfaces_closed_since_index" ON "interfaces" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_closed_since_index" ON "ip_addresses" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ports_closed_since_index" ON "ports" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "services_closed_since_index" ON "services" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "subnets_closed_since_index" ON "subnets" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_since_index" ON "bindings" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "bindings_closed_index" ON "bindings" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "hosts_live_since_index" ON "hosts" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "hosts_closed_index" ON "hosts" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "interfaces_live_since_index" ON "interfaces" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_closed_index" ON "interfaces" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ip_addresses_live_since_index" ON "ip_addresses" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ip_addresses_closed_index" ON "ip_addresses" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "ports_live_since_index" ON "ports" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "ports_closed_index" ON "ports" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "services_live_since_index" ON "services" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "services_closed_index" ON "services" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "subnets_live_since_index" ON "subnets" USING btree ("organization_id","valid_from","live_id","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "subnets_closed_index" ON "subnets" USING btree ("organization_id","valid_to","live_id","valid_from","network_id") WHERE valid_to is not null;