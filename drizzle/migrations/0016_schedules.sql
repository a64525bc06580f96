ALTER TABLE "daemons" ADD COLUMN "schedule_cron" text;--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "schedule_timezone" text;--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "next_scan_at" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "daemons_next_scan_index" ON "daemons" USING btree ("next_scan_at") WHERE next_scan_at is not null;--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_schedule_cron_check" CHECK (char_length("daemons"."schedule_cron") between 1 and 100);--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_schedule_timezone_check" CHECK (char_length("daemons"."schedule_timezone") between 1 and 64);--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_schedule_check" CHECK (("daemons"."schedule_cron" is null) = ("daemons"."schedule_timezone" is null)
        and ("daemons"."next_scan_at" is null or "daemons"."schedule_cron" is not null));--> statement-breakpoint
grant update (schedule_cron, schedule_timezone, next_scan_at) on daemons to inventory_api;--> statement-breakpoint
grant update (next_scan_at) on daemons to inventory_poller;
