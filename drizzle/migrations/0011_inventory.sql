-- Finds hosts and services by a part of their names.
create extension if not exists pg_trgm;
--> statement-breakpoint

-- What could be stored before the rules below. A binding whose port or address is of another host than
-- its service ends; of two equal ports or addresses of a host, the older takes over what the younger had.
delete from bindings as binding using services as service
where binding.valid_to is null and service.organization_id = binding.organization_id
  and service.id = binding.service_id and (
    exists (select from ports where ports.organization_id = binding.organization_id
      and ports.id = binding.port_id and ports.host_id <> service.host_id)
    or exists (select from ip_addresses as address
      where address.organization_id = binding.organization_id
        and address.id = binding.ip_address_id and address.host_id <> service.host_id));
--> statement-breakpoint
update ip_addresses set address = host(address)::inet
where masklen(address) <> case family(address) when 4 then 32 else 128 end;
--> statement-breakpoint
do $$
declare
  double record;
begin
  for double in
    select * from (
      select organization_id, id,
        first_value(id) over (partition by organization_id, host_id, number, protocol
          order by created_at, id) as kept_id
      from ports) as ranked
    where id <> kept_id
  loop
    update bindings set port_id = double.kept_id
    where organization_id = double.organization_id and port_id = double.id and valid_to is null;
    delete from ports where organization_id = double.organization_id and id = double.id;
  end loop;
  for double in
    select * from (
      select organization_id, id, host_id,
        first_value(id) over (partition by organization_id, host_id, address
          order by created_at, id) as kept_id
      from ip_addresses) as ranked
    where id <> kept_id
  loop
    update bindings set ip_address_id = double.kept_id
    where organization_id = double.organization_id and ip_address_id = double.id
      and valid_to is null;
    insert into credential_host_ip_addresses (organization_id, credential_id, host_id, ip_address_id)
    select organization_id, credential_id, host_id, double.kept_id from credential_host_ip_addresses
    where organization_id = double.organization_id and ip_address_id = double.id
    on conflict do nothing;
    delete from ip_addresses where organization_id = double.organization_id and id = double.id;
  end loop;
end
$$;
--> statement-breakpoint
update hosts set name = coalesce(nullif(left(name, 100), ''), 'Unnamed')
where char_length(name) not between 1 and 100;
--> statement-breakpoint
update services set name = coalesce(nullif(left(name, 100), ''), 'Unnamed')
where char_length(name) not between 1 and 100;
--> statement-breakpoint

-- One mechanism keeps the history of all six tables, at the end of this file.
drop trigger version_binding on bindings;
--> statement-breakpoint
drop trigger keep_changed_binding_version on bindings;
--> statement-breakpoint
drop trigger keep_deleted_binding_version on bindings;
--> statement-breakpoint
drop function app.version_binding();
--> statement-breakpoint
drop function app.keep_binding_version();
--> statement-breakpoint
drop trigger touch on bindings;
--> statement-breakpoint
drop trigger touch on hosts;
--> statement-breakpoint
drop trigger touch on ip_addresses;
--> statement-breakpoint
drop trigger touch on ports;
--> statement-breakpoint
drop trigger touch on services;
--> statement-breakpoint
CREATE TABLE "host_tags" (
	"organization_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "host_tags_pk" PRIMARY KEY("organization_id","host_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "service_tags" (
	"organization_id" uuid NOT NULL,
	"service_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
	CONSTRAINT "service_tags_pk" PRIMARY KEY("organization_id","service_id","tag_id")
);
--> statement-breakpoint
CREATE TABLE "subnet_tags" (
	"organization_id" uuid NOT NULL,
	"subnet_id" uuid NOT NULL,
	"tag_id" uuid NOT NULL,
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
ALTER TABLE "bindings" DROP CONSTRAINT "bindings_service_fk";
--> statement-breakpoint
ALTER TABLE "bindings" DROP CONSTRAINT "bindings_port_fk";
--> statement-breakpoint
ALTER TABLE "bindings" DROP CONSTRAINT "bindings_ip_address_fk";
--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" DROP CONSTRAINT "credential_host_ip_addresses_address_fk";
--> statement-breakpoint
ALTER TABLE "credential_hosts" DROP CONSTRAINT "credential_hosts_host_fk";
--> statement-breakpoint
ALTER TABLE "daemons" DROP CONSTRAINT "daemons_host_fk";
--> statement-breakpoint
ALTER TABLE "hosts" DROP CONSTRAINT "hosts_network_fk";
--> statement-breakpoint
ALTER TABLE "ip_addresses" DROP CONSTRAINT "ip_addresses_host_fk";
--> statement-breakpoint
ALTER TABLE "ports" DROP CONSTRAINT "ports_host_fk";
--> statement-breakpoint
ALTER TABLE "services" DROP CONSTRAINT "services_host_fk";
--> statement-breakpoint
ALTER TABLE "hosts" DROP CONSTRAINT "hosts_network_unique";
--> statement-breakpoint
ALTER TABLE "ip_addresses" DROP CONSTRAINT "ip_addresses_host_unique";
--> statement-breakpoint
ALTER TABLE "ip_addresses" DROP CONSTRAINT "ip_addresses_network_unique";
--> statement-breakpoint
ALTER TABLE "ports" DROP CONSTRAINT "ports_network_unique";
--> statement-breakpoint
ALTER TABLE "services" DROP CONSTRAINT "services_network_unique";
--> statement-breakpoint
DROP INDEX "ip_addresses_on_host_index";
--> statement-breakpoint
DROP INDEX "ports_on_host_index";
--> statement-breakpoint
DROP INDEX "services_on_host_index";
--> statement-breakpoint
ALTER TABLE "bindings" ALTER COLUMN "network_id" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "bindings" ALTER COLUMN "last_seen_at" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "bindings" ALTER COLUMN "valid_from" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "hosts" ALTER COLUMN "network_id" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "hosts" ALTER COLUMN "name" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "ip_addresses" ALTER COLUMN "network_id" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "ports" ALTER COLUMN "network_id" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "services" ALTER COLUMN "network_id" SET DEFAULT null;
--> statement-breakpoint
ALTER TABLE "services" ALTER COLUMN "name" SET DATA TYPE text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "bindings" ADD COLUMN "current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED;
--> statement-breakpoint
ALTER TABLE "bindings" ADD COLUMN "host_id" uuid;
--> statement-breakpoint
ALTER TABLE "bindings" ADD COLUMN "live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "last_seen_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "valid_from" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "valid_to" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "first_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "last_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "lineage_id" uuid;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "live_network_id" uuid GENERATED ALWAYS AS (case when valid_to is null then network_id end) STORED;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "hostname" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "description" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "hidden" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "source" text DEFAULT 'Manual' NOT NULL;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "virtualization" jsonb;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "sys_name" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "sys_descr" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "sys_object_id" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "sys_location" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "sys_contact" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "management_url" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "chassis_id" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "manufacturer" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "model" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "serial_number" text;
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower(name || coalesce(chr(10) || hostname, '') || coalesce(chr(10) || sys_name, ''))) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "last_seen_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "valid_from" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "valid_to" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "first_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "last_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "lineage_id" uuid;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "subnet_id" uuid;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "live_subnet_id" uuid GENERATED ALWAYS AS (case when valid_to is null then subnet_id end) STORED;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "mac_address" "macaddr";
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "name" text;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "position" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "last_seen_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "valid_from" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "valid_to" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "first_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "last_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "lineage_id" uuid;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED;
--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "last_seen_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "valid_from" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "valid_to" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "first_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "last_discovery_id" uuid;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "lineage_id" uuid;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "live_id" uuid GENERATED ALWAYS AS (coalesce(lineage_id, id)) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "current_id" uuid GENERATED ALWAYS AS (case when valid_to is null then id end) STORED;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "live_host_id" uuid GENERATED ALWAYS AS (case when valid_to is null then host_id end) STORED;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "service_definition" text;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "virtualization" jsonb;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "position" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "source" text DEFAULT 'Manual' NOT NULL;
--> statement-breakpoint
update hosts set last_seen_at = updated_at, valid_from = created_at;
--> statement-breakpoint
ALTER TABLE "hosts" ALTER COLUMN "last_seen_at" SET DEFAULT null, ALTER COLUMN "last_seen_at" SET NOT NULL, ALTER COLUMN "valid_from" SET DEFAULT null, ALTER COLUMN "valid_from" SET NOT NULL;
--> statement-breakpoint
update ip_addresses set last_seen_at = updated_at, valid_from = created_at;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ALTER COLUMN "last_seen_at" SET DEFAULT null, ALTER COLUMN "last_seen_at" SET NOT NULL, ALTER COLUMN "valid_from" SET DEFAULT null, ALTER COLUMN "valid_from" SET NOT NULL;
--> statement-breakpoint
update ports set last_seen_at = updated_at, valid_from = created_at;
--> statement-breakpoint
ALTER TABLE "ports" ALTER COLUMN "last_seen_at" SET DEFAULT null, ALTER COLUMN "last_seen_at" SET NOT NULL, ALTER COLUMN "valid_from" SET DEFAULT null, ALTER COLUMN "valid_from" SET NOT NULL;
--> statement-breakpoint
update services set last_seen_at = updated_at, valid_from = created_at, service_definition = name;
--> statement-breakpoint
ALTER TABLE "services" ALTER COLUMN "last_seen_at" SET DEFAULT null, ALTER COLUMN "last_seen_at" SET NOT NULL, ALTER COLUMN "valid_from" SET DEFAULT null, ALTER COLUMN "valid_from" SET NOT NULL, ALTER COLUMN "service_definition" SET DEFAULT null, ALTER COLUMN "service_definition" SET NOT NULL;
--> statement-breakpoint
-- Of what a version spoke of, all may be gone: then nobody knows its host any more.
update bindings as binding set host_id = coalesce(
  (select host_id from services
    where organization_id = binding.organization_id and id = binding.service_id),
  (select host_id from ports
    where organization_id = binding.organization_id and id = binding.port_id),
  (select host_id from ip_addresses
    where organization_id = binding.organization_id and id = binding.ip_address_id));
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower(name || chr(10) || service_definition)) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_of_host_unique" UNIQUE("organization_id","host_id","current_id");
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_current_unique" UNIQUE("organization_id","current_id");
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_network_unique" UNIQUE("organization_id","network_id","current_id");
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_of_host_unique" UNIQUE("organization_id","host_id","current_id");
--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_of_host_unique" UNIQUE("organization_id","host_id","current_id");
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_of_host_unique" UNIQUE("organization_id","host_id","current_id");
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_current_unique" UNIQUE("organization_id","current_id");
--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_host_check" CHECK ("bindings"."host_id" is not null or "bindings"."valid_to" is not null);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_lineage_check" CHECK (("hosts"."valid_to" is null) = ("hosts"."lineage_id" is null));
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_interval_check" CHECK ("hosts"."valid_from" < "hosts"."valid_to");
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_name_check" CHECK (char_length("hosts"."name") between 1 and 100);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_description_check" CHECK (char_length("hosts"."description") between 1 and 500);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_source_check" CHECK ("hosts"."source" in ('Manual', 'System', 'Discovery', 'Import'));
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_management_url_check" CHECK (char_length("hosts"."management_url") between 1 and 2048);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_hostname_check" CHECK (char_length("hosts"."hostname") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_sys_name_check" CHECK (char_length("hosts"."sys_name") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_sys_descr_check" CHECK (char_length("hosts"."sys_descr") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_sys_object_id_check" CHECK (char_length("hosts"."sys_object_id") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_sys_location_check" CHECK (char_length("hosts"."sys_location") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_sys_contact_check" CHECK (char_length("hosts"."sys_contact") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_chassis_id_check" CHECK (char_length("hosts"."chassis_id") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_manufacturer_check" CHECK (char_length("hosts"."manufacturer") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_model_check" CHECK (char_length("hosts"."model") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_serial_number_check" CHECK (char_length("hosts"."serial_number") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_lineage_check" CHECK (("ip_addresses"."valid_to" is null) = ("ip_addresses"."lineage_id" is null));
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_interval_check" CHECK ("ip_addresses"."valid_from" < "ip_addresses"."valid_to");
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_address_check" CHECK (masklen("ip_addresses"."address") = case family("ip_addresses"."address") when 4 then 32 else 128 end);
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_name_check" CHECK (char_length("ip_addresses"."name") between 1 and 100);
--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_lineage_check" CHECK (("ports"."valid_to" is null) = ("ports"."lineage_id" is null));
--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_interval_check" CHECK ("ports"."valid_from" < "ports"."valid_to");
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_lineage_check" CHECK (("services"."valid_to" is null) = ("services"."lineage_id" is null));
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_interval_check" CHECK ("services"."valid_from" < "services"."valid_to");
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_name_check" CHECK (char_length("services"."name") between 1 and 100);
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_definition_check" CHECK (char_length("services"."service_definition") between 1 and 255);
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_source_check" CHECK ("services"."source" in ('Manual', 'System', 'Discovery', 'Import'));
--> statement-breakpoint
ALTER TABLE "host_tags" ADD CONSTRAINT "host_tags_host_fk" FOREIGN KEY ("organization_id","host_id") REFERENCES "public"."hosts"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "host_tags" ADD CONSTRAINT "host_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "service_tags" ADD CONSTRAINT "service_tags_service_fk" FOREIGN KEY ("organization_id","service_id") REFERENCES "public"."services"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "service_tags" ADD CONSTRAINT "service_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subnet_tags" ADD CONSTRAINT "subnet_tags_subnet_fk" FOREIGN KEY ("organization_id","subnet_id") REFERENCES "public"."subnets"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subnet_tags" ADD CONSTRAINT "subnet_tags_tag_fk" FOREIGN KEY ("organization_id","tag_id") REFERENCES "public"."tags"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_network_fk" FOREIGN KEY ("organization_id","live_network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_service_fk" FOREIGN KEY ("organization_id","host_id","live_service_id") REFERENCES "public"."services"("organization_id","host_id","current_id") ON DELETE cascade DEFERRABLE;
--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_port_fk" FOREIGN KEY ("organization_id","host_id","live_port_id") REFERENCES "public"."ports"("organization_id","host_id","current_id") ON DELETE cascade DEFERRABLE;
--> statement-breakpoint
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_ip_address_fk" FOREIGN KEY ("organization_id","host_id","live_ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","current_id") ON DELETE cascade DEFERRABLE;
--> statement-breakpoint
ALTER TABLE "credential_host_ip_addresses" ADD CONSTRAINT "credential_host_ip_addresses_address_fk" FOREIGN KEY ("organization_id","host_id","ip_address_id") REFERENCES "public"."ip_addresses"("organization_id","host_id","current_id") ON DELETE cascade DEFERRABLE;
--> statement-breakpoint
ALTER TABLE "credential_hosts" ADD CONSTRAINT "credential_hosts_host_fk" FOREIGN KEY ("organization_id","host_id") REFERENCES "public"."hosts"("organization_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_host_fk" FOREIGN KEY ("organization_id","network_id","host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE set null ("host_id") ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "hosts" ADD CONSTRAINT "hosts_network_fk" FOREIGN KEY ("organization_id","live_network_id") REFERENCES "public"."networks"("organization_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_subnet_fk" FOREIGN KEY ("organization_id","network_id","live_subnet_id") REFERENCES "public"."subnets"("organization_id","network_id","current_id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD CONSTRAINT "ip_addresses_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "services" ADD CONSTRAINT "services_host_fk" FOREIGN KEY ("organization_id","network_id","live_host_id") REFERENCES "public"."hosts"("organization_id","network_id","current_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "host_tags_tag_index" ON "host_tags" USING btree ("tag_id");
--> statement-breakpoint
CREATE INDEX "service_tags_tag_index" ON "service_tags" USING btree ("tag_id");
--> statement-breakpoint
CREATE INDEX "subnet_tags_tag_index" ON "subnet_tags" USING btree ("tag_id");
--> statement-breakpoint
CREATE INDEX "subnets_live_index" ON "subnets" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "subnets_history_index" ON "subnets" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");
--> statement-breakpoint
CREATE INDEX "subnets_live_since_index" ON "subnets" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "subnets_closed_index" ON "subnets" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;
--> statement-breakpoint
CREATE INDEX "subnets_live_network_index" ON "subnets" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "subnets_history_network_index" ON "subnets" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");
--> statement-breakpoint
CREATE INDEX "subnets_version_index" ON "subnets" USING btree ("organization_id","live_id","valid_from");
--> statement-breakpoint
CREATE INDEX "subnets_of_network_index" ON "subnets" USING btree ("live_network_id") WHERE live_network_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "subnets_cidr_unique" ON "subnets" USING btree ("organization_id","network_id","cidr") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "subnets_cidr_index" ON "subnets" USING gist ("organization_id","cidr" inet_ops);
--> statement-breakpoint
CREATE INDEX "bindings_version_index" ON "bindings" USING btree ("organization_id","live_id","valid_from");
--> statement-breakpoint
CREATE INDEX "bindings_host_index" ON "bindings" USING btree ("organization_id","host_id","created_at","live_id");
--> statement-breakpoint
CREATE INDEX "bindings_live_host_index" ON "bindings" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;
--> statement-breakpoint
CREATE INDEX "hosts_live_index" ON "hosts" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "hosts_history_index" ON "hosts" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");
--> statement-breakpoint
CREATE INDEX "hosts_live_since_index" ON "hosts" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "hosts_closed_index" ON "hosts" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;
--> statement-breakpoint
CREATE INDEX "hosts_live_network_index" ON "hosts" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "hosts_history_network_index" ON "hosts" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");
--> statement-breakpoint
CREATE INDEX "hosts_version_index" ON "hosts" USING btree ("organization_id","live_id","valid_from");
--> statement-breakpoint
CREATE INDEX "hosts_of_network_index" ON "hosts" USING btree ("live_network_id") WHERE live_network_id is not null;
--> statement-breakpoint
CREATE INDEX "hosts_searchable_index" ON "hosts" USING gist ("organization_id","searchable" gist_trgm_ops);
--> statement-breakpoint
CREATE INDEX "ip_addresses_live_index" ON "ip_addresses" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ip_addresses_history_index" ON "ip_addresses" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");
--> statement-breakpoint
CREATE INDEX "ip_addresses_live_since_index" ON "ip_addresses" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ip_addresses_closed_index" ON "ip_addresses" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;
--> statement-breakpoint
CREATE INDEX "ip_addresses_live_network_index" ON "ip_addresses" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ip_addresses_history_network_index" ON "ip_addresses" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");
--> statement-breakpoint
CREATE INDEX "ip_addresses_version_index" ON "ip_addresses" USING btree ("organization_id","live_id","valid_from");
--> statement-breakpoint
CREATE INDEX "ip_addresses_host_index" ON "ip_addresses" USING btree ("organization_id","host_id","created_at","live_id");
--> statement-breakpoint
CREATE INDEX "ip_addresses_live_host_index" ON "ip_addresses" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "ip_addresses_host_unique" ON "ip_addresses" USING btree ("organization_id","host_id",coalesce("subnet_id", '00000000-0000-0000-0000-000000000000'),"address") WHERE valid_to is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "ip_addresses_subnet_unique" ON "ip_addresses" USING btree ("organization_id","subnet_id","address") WHERE valid_to is null and subnet_id is not null;
--> statement-breakpoint
CREATE INDEX "ip_addresses_subnet_index" ON "ip_addresses" USING btree ("organization_id","subnet_id","created_at","live_id");
--> statement-breakpoint
CREATE INDEX "ip_addresses_live_subnet_index" ON "ip_addresses" USING btree ("live_subnet_id") WHERE live_subnet_id is not null;
--> statement-breakpoint
CREATE INDEX "ip_addresses_address_index" ON "ip_addresses" USING gist ("organization_id","address" inet_ops);
--> statement-breakpoint
CREATE INDEX "ip_addresses_mac_index" ON "ip_addresses" USING btree ("organization_id","mac_address") WHERE mac_address is not null;
--> statement-breakpoint
CREATE INDEX "ports_live_index" ON "ports" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ports_history_index" ON "ports" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");
--> statement-breakpoint
CREATE INDEX "ports_live_since_index" ON "ports" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ports_closed_index" ON "ports" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;
--> statement-breakpoint
CREATE INDEX "ports_live_network_index" ON "ports" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ports_history_network_index" ON "ports" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");
--> statement-breakpoint
CREATE INDEX "ports_version_index" ON "ports" USING btree ("organization_id","live_id","valid_from");
--> statement-breakpoint
CREATE INDEX "ports_host_index" ON "ports" USING btree ("organization_id","host_id","created_at","live_id");
--> statement-breakpoint
CREATE INDEX "ports_live_host_index" ON "ports" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "ports_host_unique" ON "ports" USING btree ("organization_id","host_id","number","protocol") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "ports_number_index" ON "ports" USING btree ("organization_id","number","protocol","host_id");
--> statement-breakpoint
CREATE INDEX "services_live_index" ON "services" USING btree ("organization_id","created_at","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "services_history_index" ON "services" USING btree ("organization_id","created_at","live_id","valid_from","valid_to","network_id","id");
--> statement-breakpoint
CREATE INDEX "services_live_since_index" ON "services" USING btree ("organization_id","valid_from","network_id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "services_closed_index" ON "services" USING btree ("organization_id","valid_to","valid_from","network_id") WHERE valid_to is not null;
--> statement-breakpoint
CREATE INDEX "services_live_network_index" ON "services" USING btree ("organization_id","network_id","created_at","live_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "services_history_network_index" ON "services" USING btree ("organization_id","network_id","created_at","live_id","valid_from","valid_to","id");
--> statement-breakpoint
CREATE INDEX "services_version_index" ON "services" USING btree ("organization_id","live_id","valid_from");
--> statement-breakpoint
CREATE INDEX "services_host_index" ON "services" USING btree ("organization_id","host_id","created_at","live_id");
--> statement-breakpoint
CREATE INDEX "services_live_host_index" ON "services" USING btree ("organization_id","live_host_id","created_at","live_id") WHERE live_host_id is not null;
--> statement-breakpoint
CREATE INDEX "services_searchable_index" ON "services" USING gist ("organization_id","searchable" gist_trgm_ops);
--> statement-breakpoint
-- The timestamp of all that this transaction changes in the history of an organization: fixed by its
-- first change, after the locks for it were taken, and never before `earliest`. A reader of any
-- timestamp so sees all of a transaction or nothing.
-- The shared lock says that the organization is being changed: see app.await_changes.
create function app.changed_at(organization uuid, earliest timestamptz default null)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  fixed timestamptz := nullif(current_setting('app.changed_at', true), '')::timestamptz;
begin
  -- Anybody may set the setting, but not to change the past.
  if fixed >= date_trunc('milliseconds', now()) and fixed < clock_timestamp() + interval '1 second' then
    return fixed;
  end if;
  perform pg_advisory_xact_lock_shared(20261121, hashtext(organization::text));
  fixed := date_trunc('milliseconds', clock_timestamp());
  -- Changes that follow each other within a millisecond run ahead of the clock a little; a row of the
  -- far future, from a clock that was wrong, must not take all others with it.
  if earliest < fixed + interval '1 second' then
    fixed := greatest(fixed, earliest);
  end if;
  perform set_config('app.changed_at', fixed::text, true);
  return fixed;
end
$$;
--> statement-breakpoint

-- Ends a transaction that would change what another one has changed after this one's timestamp was
-- fixed: the caller may try again. Locking all hosts first (app.lock_hosts) avoids it.
create function app.refuse_later_change(changed_at timestamptz, stamped timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if stamped > changed_at and stamped < clock_timestamp() + interval '1 second' then
    raise exception 'the record was changed at the same time'
      using errcode = 'serialization_failure';
  end if;
end
$$;
--> statement-breakpoint

-- Locks a host, and with it all that belongs to it: every change of a part locks the host first, and
-- moves the host's `updated_at` to its own timestamp at least. Returns the transaction's timestamp.
create function app.change_host(organization uuid, host uuid) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  locked record;
  changed_at timestamptz;
begin
  select record.updated_at, record.xmin = pg_current_xact_id()::xid as is_own into locked
  from public.hosts as record
  where record.organization_id = organization and record.current_id = host
  for no key update;
  changed_at := app.changed_at(organization, locked.updated_at + interval '1 millisecond');
  if not locked.is_own then
    -- Equal is too late as well: the other's version would have lasted no time.
    perform app.refuse_later_change(changed_at, locked.updated_at + interval '1 millisecond');
  end if;
  return changed_at;
end
$$;
--> statement-breakpoint

-- Locks hosts of the caller's organization in the order of their ids and fixes the timestamp of the
-- transaction: what changes several hosts calls it first.
create function app.lock_hosts(host_ids uuid[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  earliest timestamptz;
begin
  select max(locked.updated_at) + interval '1 millisecond' into earliest from (
    select record.updated_at from public.hosts as record
    where record.organization_id = organization and record.current_id = any (host_ids)
      and record.updated_at < clock_timestamp() + interval '1 second'
    order by record.id for no key update) as locked;
  perform app.changed_at(organization, earliest);
end
$$;
--> statement-breakpoint

-- Waits for the changes of an organization that are under way now, so that what follows sees all that
-- is stamped with a timestamp that has passed. Without a key, for those of all organizations.
create function app.await_changes() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- As pg_locks has it: unsigned.
  organization bigint := hashtext(app.organization_id()::text)::bigint & 4294967295;
  under_way text[];
begin
  -- Those that begin from here on are not waited for: they are stamped later.
  under_way := array(
    select virtualtransaction from pg_locks
    where locktype = 'advisory' and granted and classid = 20261121 and pid <> pg_backend_pid()
      and database = (select oid from pg_database where datname = current_database())
      and (organization is null or objid::bigint = organization));
  while exists (
    select from pg_locks
    where locktype = 'advisory' and granted and classid = 20261121
      and virtualtransaction = any (under_way))
  loop
    perform pg_sleep(0.001);
  end loop;
end
$$;
--> statement-breakpoint

-- Fixes the timestamp of a list that is read in several transactions. Returns only once that
-- millisecond has passed and nothing stamped with it or before is under way: what follows sees all
-- of it.
create or replace function app.fix_instant() returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  instant timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  while clock_timestamp() < instant + interval '1 millisecond' loop
    perform pg_sleep(0.0005);
  end loop;
  perform app.await_changes();
  perform set_config('app.instant', instant::text, true);
  return instant;
end
$$;
--> statement-breakpoint

-- Callers begin records; only the owner, who seeds, says since when something has been so.
create function app.refuse_written_history() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if row_security_active(tg_relid) then
    new.valid_from := null;
    new.valid_to := null;
    new.lineage_id := null;
    new.last_seen_at := null;
    new.created_at := now();
    new.updated_at := new.created_at;
    new.revision := 1;
  end if;
  return new;
end
$$;
--> statement-breakpoint

-- The triggers of app.keep_history take one argument: the column that names the host, or none.
create function app.begin_record() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed_at timestamptz;
begin
  if new.valid_to is not null then
    new.last_seen_at := coalesce(new.last_seen_at, new.valid_to);
    return new;
  end if;
  if tg_argv[0] = 'host_id' then
    changed_at := app.change_host(new.organization_id, new.host_id);
  else
    changed_at := app.changed_at(new.organization_id);
  end if;
  if new.valid_from is null then
    new.valid_from := changed_at;
    -- now() is rounded to milliseconds, and may so lie ahead.
    new.created_at := least(new.created_at, changed_at);
    new.updated_at := greatest(new.updated_at, changed_at);
  end if;
  new.last_seen_at := coalesce(new.last_seen_at, changed_at);
  return new;
end
$$;
--> statement-breakpoint

-- Any change of a live version, and its deletion.
create function app.change_record() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed_at timestamptz;
begin
  if tg_op = 'DELETE' then
    -- The organization goes with all its history.
    if not exists (select from public.organizations where id = old.organization_id) then
      return old;
    end if;
    if old.valid_to is not null then
      raise exception 'a closed version is history and cannot be deleted'
        using errcode = 'restrict_violation';
    end if;
  else
    if old.valid_to is not null then
      raise exception 'a closed version is history and cannot be changed'
        using errcode = 'restrict_violation';
    end if;
    if (new.id, new.organization_id, new.created_at, new.valid_from, new.valid_to, new.lineage_id)
      is distinct from
      (old.id, old.organization_id, old.created_at, old.valid_from, old.valid_to, old.lineage_id)
    then
      raise exception 'the identity and the interval of a version are not for writers'
        using errcode = 'restrict_violation',
              hint = 'Change the record, and the interval follows; delete it to close it.';
    end if;
  end if;
  case tg_argv[0]
    when 'host_id' then
      changed_at := app.change_host(old.organization_id, old.host_id);
      if tg_op = 'UPDATE' and new.host_id <> old.host_id then
        perform app.change_host(old.organization_id, new.host_id);
      end if;
    when 'id' then
      changed_at := app.change_host(old.organization_id, old.id);
    else
      changed_at := app.changed_at(old.organization_id, old.updated_at + interval '1 millisecond');
  end case;
  perform app.refuse_later_change(changed_at, old.valid_from);
  if tg_op = 'DELETE' then
    return old;
  end if;
  new.revision := old.revision + 1;
  new.updated_at := greatest(changed_at, old.updated_at + interval '1 millisecond');
  return new;
end
$$;
--> statement-breakpoint

-- The live version begins anew, as what it says of the network has changed. A version that lasted no
-- time was never visible, so it is not kept: the row then says what it says since before.
create function app.begin_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.valid_from := greatest(app.changed_at(old.organization_id), old.valid_from);
  return new;
end
$$;
--> statement-breakpoint

-- Keeps the history of a table, whoever writes. Needs the columns of `versioned` (tables/history.ts).
-- To be called again after a column was added.
-- `unversioned`: columns whose change makes no version, beyond those that no table makes one of.
-- `host_column`: the column that names the host a record belongs to, or is.
create procedure app.keep_history(
  record_table name, unversioned name[] default '{}', host_column name default '')
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  kept text;
  kept_old text;
  versioned_new text;
  versioned_old text;
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
    and attname <> all (unversioned || array['id', 'organization_id', 'created_at', 'updated_at',
      'revision', 'last_seen_at', 'first_discovery_id', 'last_discovery_id', 'valid_from', 'valid_to',
      'lineage_id']::name[]);

  -- After the row has left the interval, so that its copy can take the interval over.
  execute format($function$
    create or replace function app.keep_version_of_%1$s() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      closed_at timestamptz;
    begin
      if tg_op = 'UPDATE' then
        closed_at := new.valid_from;
      elsif exists (select from public.organizations where id = old.organization_id) then
        closed_at := app.changed_at(old.organization_id);
      end if;
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
      exclude using gist (organization_id with =, live_id with =,
        tstzrange(valid_from, valid_to) with &&)',
      record_table, record_table || '_one_version_at_a_time');
  end if;

  -- Triggers fire in the order of their names.
  execute format('create or replace trigger history_1_refuse before insert on public.%I
    for each row execute function app.refuse_written_history()', record_table);
  execute format('create or replace trigger history_2_begin before insert on public.%I
    for each row execute function app.begin_record(%L)', record_table, host_column);
  execute format('create or replace trigger history_2_change before update or delete on public.%I
    for each row execute function app.change_record(%L)', record_table, host_column);
  execute format('create or replace trigger history_3_version before update on public.%I
    for each row when ((%s) is distinct from (%s)) execute function app.begin_version()',
    record_table, versioned_new, versioned_old);
  execute format('create or replace trigger history_4_keep_changed after update on public.%1$I
    for each row when (new.valid_from is distinct from old.valid_from)
    execute function app.keep_version_of_%1$s()', record_table);
  execute format('create or replace trigger history_4_keep_deleted after delete on public.%1$I
    for each row execute function app.keep_version_of_%1$s()', record_table);
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
call app.keep_history('bindings', '{}', 'host_id');
--> statement-breakpoint

-- A host stays in its network, as all its history lies there.
create function app.refuse_other_network() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'the network of a record cannot change' using errcode = 'restrict_violation';
end
$$;
--> statement-breakpoint
create trigger refuse_other_network before update on hosts for each row
  when (new.network_id <> old.network_id) execute function app.refuse_other_network();
--> statement-breakpoint
create trigger refuse_other_network before update on subnets for each row
  when (new.network_id <> old.network_id) execute function app.refuse_other_network();
--> statement-breakpoint

-- What a record of a host takes from elsewhere: a binding its host from its service, and every part
-- its network from the host where the writer names none. What is found nowhere, foreign keys refuse.
create function app.complete_part_of_host() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'bindings' then
    if new.valid_to is null or new.host_id is null then
      new.host_id := coalesce((
        select service.host_id from public.services as service
        where service.organization_id = new.organization_id and service.current_id = new.service_id),
        new.host_id, case when new.valid_to is null then new.service_id end);
    end if;
  elsif tg_table_name = 'services' then
    new.service_definition := coalesce(new.service_definition, new.name);
  end if;
  if new.network_id is null then
    new.network_id := (
      select host.network_id from public.hosts as host
      where host.organization_id = new.organization_id and host.current_id = new.host_id);
  end if;
  return new;
end
$$;
--> statement-breakpoint
do $$
declare
  part name;
begin
  foreach part in array array['ip_addresses', 'ports', 'services', 'bindings'] loop
    execute format('create trigger complete before insert or update on %I
      for each row execute function app.complete_part_of_host()', part);
  end loop;
end
$$;
--> statement-breakpoint

-- The smallest live subnet of a network that holds an address; null where none does. As the caller
-- sees it.
create function app.subnet_of(organization uuid, network uuid, address inet) returns uuid
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select subnet.id from public.subnets as subnet
  where subnet.organization_id = organization and subnet.network_id = network
    and subnet.valid_to is null and subnet.cidr >>= address
  order by masklen(subnet.cidr) desc limit 1
$$;
--> statement-breakpoint

-- An address refers to a subnet that exists at the timestamp of the change.
create function app.refuse_later_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.refuse_later_change(new.valid_from, subnet.valid_from)
  from public.subnets as subnet
  where subnet.organization_id = new.organization_id and subnet.current_id = new.subnet_id;
  return null;
end
$$;
--> statement-breakpoint
create trigger refuse_later_subnet after insert or update of subnet_id on ip_addresses
  for each row when (new.live_subnet_id is not null) execute function app.refuse_later_subnet();
--> statement-breakpoint

-- Addresses outlive their subnet: they then lie in none. Their hosts are locked in order, and before
-- the timestamp is fixed.
create function app.empty_subnet() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  earliest timestamptz;
begin
  if old.valid_to is not null then
    return old;
  end if;
  select max(locked.updated_at) + interval '1 millisecond' into earliest from (
    select host.updated_at from public.hosts as host
    where (host.organization_id, host.current_id) in (
      select address.organization_id, address.host_id from public.ip_addresses as address
      where address.organization_id = old.organization_id and address.live_subnet_id = old.id)
      and host.updated_at < clock_timestamp() + interval '1 second'
    order by host.id for no key update) as locked;
  perform app.changed_at(old.organization_id, earliest);
  update public.ip_addresses as address set subnet_id = null
  where address.organization_id = old.organization_id and address.live_subnet_id = old.id;
  return old;
end
$$;
--> statement-breakpoint
create trigger empty before delete on subnets for each row execute function app.empty_subnet();
--> statement-breakpoint
create function app.lock_hosts_of_network() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  earliest timestamptz;
begin
  if exists (select from public.organizations where id = old.organization_id) then
    select max(locked.updated_at) + interval '1 millisecond' into earliest from (
      select host.updated_at from public.hosts as host
      where host.organization_id = old.organization_id and host.live_network_id = old.id
        and host.updated_at < clock_timestamp() + interval '1 second'
      order by host.id for no key update) as locked;
    perform app.changed_at(old.organization_id, earliest);
  end if;
  return old;
end
$$;
--> statement-breakpoint
create trigger lock_hosts before delete on networks
  for each row execute function app.lock_hosts_of_network();
--> statement-breakpoint

-- Which bindings do not go together (API contract, section 9). Every change of a binding locks its
-- host first, so each sees what the one before it left. A rule for callers, like those of migration
-- `keys`: it does not hold for the owner.
create function app.refuse_binding_conflict() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  in_the_way uuid;
begin
  if not row_security_active(tg_relid) then
    return null;
  end if;
  select other.id into in_the_way
  from changed join public.bindings as other
    on other.organization_id = changed.organization_id and other.live_host_id = changed.host_id
      and other.id <> changed.id
  where changed.valid_to is null
    and (changed.ip_address_id is null or other.ip_address_id is null
      or changed.ip_address_id = other.ip_address_id)
    and (changed.port_id = other.port_id
      or (changed.service_id = other.service_id and changed.type <> other.type))
  order by other.created_at, other.id limit 1;
  if found then
    perform app.abort('binding_conflict', jsonb_build_object('id', in_the_way));
  end if;
  return null;
end
$$;
--> statement-breakpoint
create trigger refuse_conflict_inserted after insert on bindings
  referencing new table as changed for each statement
  execute function app.refuse_binding_conflict();
--> statement-breakpoint
create trigger refuse_conflict_updated after update on bindings
  referencing new table as changed for each statement
  execute function app.refuse_binding_conflict();
--> statement-breakpoint

-- What callers see and write.
call app.protect('subnets', 'network_id');
--> statement-breakpoint
do $$
declare
  part record;
begin
  for part in
    select * from (values ('subnet_tags', 'subnets', 'subnet_id'), ('host_tags', 'hosts', 'host_id'),
      ('service_tags', 'services', 'service_id')) as sets (child, owner, owner_id)
  loop
    execute format('alter table %I enable row level security', part.child);
    -- Row level security hides the records themselves.
    execute format('create policy tenant on %1$I to inventory_api using (
      organization_id = (select app.organization_id())
      and ((select app.reaches_all_networks()) or exists (
        select from %2$I as record where record.organization_id = %1$I.organization_id
          and record.id = %1$I.%3$I)))', part.child, part.owner, part.owner_id);
    execute format('grant select, insert, delete on %I to inventory_api', part.child);
  end loop;
  for part in
    select * from (values
      ('host_tags', 'hosts', 'host_id'),
      ('service_tags', 'services', 'service_id'),
      ('subnet_tags', 'subnets', 'subnet_id'),
      ('ip_addresses', 'hosts', 'host_id'),
      ('ports', 'hosts', 'host_id'),
      ('services', 'hosts', 'host_id'),
      ('bindings', 'hosts', 'host_id'),
      ('bindings', 'services', 'service_id'),
      ('credential_hosts', 'hosts', 'host_id'),
      ('credential_host_ip_addresses', 'hosts', 'host_id')
    ) as parts (child, owner, owner_id)
  loop
    execute format('create trigger revise_%2$s_inserted after insert on %1$I
      referencing new table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L)', part.child, part.owner, part.owner_id);
    execute format('create trigger revise_%2$s_updated after update on %1$I
      referencing new table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L)', part.child, part.owner, part.owner_id);
    execute format('create trigger revise_%2$s_deleted after delete on %1$I
      referencing old table as changed for each statement
      execute function app.revise_owners(%2$L, %3$L)', part.child, part.owner, part.owner_id);
  end loop;
end
$$;
--> statement-breakpoint
grant insert, delete on subnets, hosts, ip_addresses, ports, services, bindings to inventory_api;
--> statement-breakpoint
grant update (cidr, name, description, subnet_type, last_seen_at, last_discovery_id)
  on subnets to inventory_api;
--> statement-breakpoint
grant update (name, hostname, description, hidden, virtualization, sys_name, sys_descr, sys_object_id,
  sys_location, sys_contact, management_url, chassis_id, manufacturer, model, serial_number,
  last_seen_at, last_discovery_id) on hosts to inventory_api;
--> statement-breakpoint
grant update (host_id, subnet_id, address, mac_address, name, position, last_seen_at,
  last_discovery_id) on ip_addresses to inventory_api;
--> statement-breakpoint
grant update (host_id, number, protocol, last_seen_at, last_discovery_id) on ports to inventory_api;
--> statement-breakpoint
grant update (host_id, name, service_definition, virtualization, position, last_seen_at,
  last_discovery_id) on services to inventory_api;
--> statement-breakpoint
grant update (host_id, type, service_id, port_id, ip_address_id, last_seen_at, last_discovery_id)
  on bindings to inventory_api;
--> statement-breakpoint
grant execute on function app.lock_hosts(uuid[]), app.await_changes(),
  app.subnet_of(uuid, uuid, inet) to inventory_api;
--> statement-breakpoint

create function app.reach_host_milestone() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(discovered.organization_id, 'FirstHostDiscovered')
  from (
    select distinct organization_id from added
    where source in ('Discovery', 'Import') and valid_to is null) as discovered;
  return null;
end
$$;
--> statement-breakpoint
create trigger reach_milestones after insert on hosts
  referencing new table as added for each statement
  execute function app.reach_host_milestone();
