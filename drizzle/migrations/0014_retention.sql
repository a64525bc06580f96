ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_error_check";--> statement-breakpoint
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_last_error_check";--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "history_days" integer;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "history_from" timestamp(3) with time zone;--> statement-breakpoint
CREATE INDEX "closed_host_tags_ended_index" ON "closed_host_tags" USING btree ("organization_id","valid_to");--> statement-breakpoint
CREATE INDEX "closed_service_tags_ended_index" ON "closed_service_tags" USING btree ("organization_id","valid_to");--> statement-breakpoint
CREATE INDEX "closed_subnet_tags_ended_index" ON "closed_subnet_tags" USING btree ("organization_id","valid_to");--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_history_days_check" CHECK ("organizations"."history_days" between 1 and 3650);--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_error_check" CHECK ("webhook_deliveries"."error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'redirected', 'url_forbidden', 'url_not_encrypted', 'secret_unreadable', 'history_expired'));--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_last_error_check" CHECK ("webhooks"."last_error" in ('dns_failed', 'connection_refused', 'timed_out', 'tls_failed', 'http_status', 'redirected', 'url_forbidden', 'url_not_encrypted', 'secret_unreadable', 'history_expired'));
--> statement-breakpoint

-- Up to where what organizations keep no longer is deleted, and when app.sweep_history looked last. `transaction_id` is
-- that of the sweep: only the one under way finds itself here, and only it deletes closed versions.
create table app.history_sweeps (
  organization_id uuid primary key references public.organizations on delete cascade,
  looked_at timestamptz,
  swept_to timestamptz,
  transaction_id xid8
);
