ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_action_check";--> statement-breakpoint
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_action_check" CHECK ("audit_entries"."action" = any ('{created,updated,deleted,rotated,assigned,unassigned,replayed,tested,retried,scanned,cancelled}'::text[]));--> statement-breakpoint
DROP FUNCTION IF EXISTS app.differences(timestamptz, timestamptz, uuid, text[], uuid);
