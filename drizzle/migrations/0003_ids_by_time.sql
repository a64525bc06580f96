-- What columns have as their default must be there before them: its text is in functions/ids/uuid_v7.sql.
create function app.uuid_v7() returns uuid
language sql volatile parallel safe
return gen_random_uuid();
--> statement-breakpoint

ALTER TABLE "credentials" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "user_api_keys" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "bindings" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "daemons" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "discovery_sessions" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "hosts" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "ip_addresses" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "networks" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "organizations" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "ports" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "services" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "subnets" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
ALTER TABLE "tags" ALTER COLUMN "id" SET DEFAULT app.uuid_v7();--> statement-breakpoint
alter table app.scan_scopes alter column id set default app.uuid_v7();
