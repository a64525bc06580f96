ALTER TABLE "daemons" ADD COLUMN "has_docker_socket" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "interfaced_cidrs" "cidr"[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_interfaced_cidrs_check" CHECK (cardinality(interfaced_cidrs) <= 100);