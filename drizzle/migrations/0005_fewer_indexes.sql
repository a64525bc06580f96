ALTER TABLE "bindings" DROP CONSTRAINT "bindings_of_host_unique";--> statement-breakpoint
DROP INDEX "bindings_history_network_index";--> statement-breakpoint
DROP INDEX "hosts_history_network_index";--> statement-breakpoint
DROP INDEX "ip_addresses_history_network_index";--> statement-breakpoint
DROP INDEX "ip_addresses_live_subnet_index";--> statement-breakpoint
DROP INDEX "ports_history_network_index";--> statement-breakpoint
DROP INDEX "ports_live_host_index";--> statement-breakpoint
DROP INDEX "services_history_network_index";--> statement-breakpoint
DROP INDEX "subnets_history_network_index";--> statement-breakpoint
DROP INDEX "bindings_live_service_index";--> statement-breakpoint
DROP INDEX "bindings_live_port_index";--> statement-breakpoint
DROP INDEX "bindings_live_ip_address_index";--> statement-breakpoint
CREATE INDEX "bindings_live_service_index" ON "bindings" USING btree ("organization_id","live_service_id") WHERE live_service_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_port_index" ON "bindings" USING btree ("organization_id","live_port_id") WHERE live_port_id is not null;--> statement-breakpoint
CREATE INDEX "bindings_live_ip_address_index" ON "bindings" USING btree ("organization_id","live_ip_address_id") WHERE live_ip_address_id is not null;