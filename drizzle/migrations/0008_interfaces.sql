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
	"ip_address_ids" uuid[] DEFAULT '{}' NOT NULL,
	"discovered" jsonb,
	"evidence" jsonb,
	CONSTRAINT "interfaces_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "interfaces_lineage_check" CHECK (("interfaces"."valid_to" is null) = ("interfaces"."lineage_id" is null)),
	CONSTRAINT "interfaces_interval_check" CHECK ("interfaces"."valid_from" < "interfaces"."valid_to"),
	CONSTRAINT "interfaces_if_index_check" CHECK ("interfaces"."if_index" >= 1),
	CONSTRAINT "interfaces_name_check" CHECK (char_length("interfaces"."name") between 1 and 255),
	CONSTRAINT "interfaces_description_check" CHECK (char_length("interfaces"."description") between 1 and 255),
	CONSTRAINT "interfaces_type_check" CHECK ("interfaces"."type" >= 1),
	CONSTRAINT "interfaces_speed_check" CHECK ("interfaces"."speed_bps" between 0 and 9007199254740991),
	CONSTRAINT "interfaces_admin_status_check" CHECK ("interfaces"."admin_status" in ('Up', 'Down', 'Testing')),
	CONSTRAINT "interfaces_oper_status_check" CHECK ("interfaces"."oper_status" in ('Up', 'Down', 'Testing', 'Unknown', 'Dormant', 'NotPresent', 'LowerLayerDown')),
	CONSTRAINT "interfaces_ip_addresses_maximum" CHECK (cardinality("interfaces"."ip_address_ids") <= 1000)
);
--> statement-breakpoint
ALTER TABLE "interfaces" ADD CONSTRAINT "interfaces_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "interfaces" ADD CONSTRAINT "interfaces_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "interfaces_live_index" ON "interfaces" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_history_index" ON "interfaces" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");--> statement-breakpoint
CREATE INDEX "interfaces_live_since_index" ON "interfaces" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_closed_index" ON "interfaces" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;--> statement-breakpoint
CREATE INDEX "interfaces_live_network_index" ON "interfaces" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;--> statement-breakpoint
CREATE INDEX "interfaces_version_index" ON "interfaces" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "interfaces_host_index" ON "interfaces" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");--> statement-breakpoint
CREATE INDEX "interfaces_mac_index" ON "interfaces" USING btree ("organization_id","mac_address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE mac_address is not null;--> statement-breakpoint
CREATE INDEX "interfaces_name_index" ON "interfaces" USING btree ("organization_id","name",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE name is not null;--> statement-breakpoint
CREATE INDEX "interfaces_number_index" ON "interfaces" USING btree ("organization_id","if_index",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
-- An interface of a report, flat: see migration 0004.
create type app.reported_interface as (
  index int, if_index int, name text, description text, type int, speed_bps bigint, mac macaddr,
  admin_status text, oper_status text, ips inet[]);
--> statement-breakpoint
-- Not only bindings.
alter type app.unseen_binding rename to unseen_record;
