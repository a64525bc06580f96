CREATE TABLE "count_deltas" (
	"organization_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"network_id" uuid NOT NULL,
	"change" integer NOT NULL,
	"is_folded" boolean DEFAULT false NOT NULL,
	CONSTRAINT "count_deltas_kind_check" CHECK ("count_deltas"."kind" = any ('{bindings,hosts,ip_addresses,interfaces,ports,services,subnets}'::text[])),
	CONSTRAINT "count_deltas_change_check" CHECK ("count_deltas"."change" <> 0)
);
--> statement-breakpoint
ALTER TABLE "count_deltas" ADD CONSTRAINT "count_deltas_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "count_deltas_sum_index" ON "count_deltas" USING btree ("organization_id","kind","network_id","change");--> statement-breakpoint
CREATE INDEX "count_deltas_unfolded_index" ON "count_deltas" USING btree ("organization_id") WHERE not is_folded;--> statement-breakpoint

-- Counts the existing records. Until the triggers exist, at the end of this transaction, no record may begin or end.
lock table bindings, hosts, interfaces, ip_addresses, ports, services, subnets in share row exclusive mode;
--> statement-breakpoint

insert into count_deltas (organization_id, kind, network_id, change, is_folded)
select organization_id, 'bindings', network_id, count(*), true from bindings
where valid_to is null group by organization_id, network_id
union all
select organization_id, 'hosts', network_id, count(*), true from hosts
where valid_to is null group by organization_id, network_id
union all
select organization_id, 'interfaces', network_id, count(*), true from interfaces
where valid_to is null group by organization_id, network_id
union all
select organization_id, 'ip_addresses', network_id, count(*), true from ip_addresses
where valid_to is null group by organization_id, network_id
union all
select organization_id, 'ports', network_id, count(*), true from ports
where valid_to is null group by organization_id, network_id
union all
select organization_id, 'services', network_id, count(*), true from services
where valid_to is null group by organization_id, network_id
union all
select organization_id, 'subnets', network_id, count(*), true from subnets
where valid_to is null group by organization_id, network_id;
