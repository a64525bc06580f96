CREATE TABLE "discovery_sessions" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"revision" bigint DEFAULT 1 NOT NULL,
	"organization_id" uuid NOT NULL,
	"network_id" uuid NOT NULL,
	"daemon_id" uuid NOT NULL,
	"phase" text DEFAULT 'Queued' NOT NULL,
	"subnet_ids" uuid[],
	"progress" integer DEFAULT 0 NOT NULL,
	"hosts_discovered" integer,
	"estimated_remaining_secs" integer,
	"error" text,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"cancel_requested_at" timestamp(3) with time zone,
	"moved_at" timestamp(3) with time zone,
	"settled_at" timestamp(3) with time zone,
	"is_scheduled" boolean DEFAULT false NOT NULL,
	CONSTRAINT "discovery_sessions_pk" PRIMARY KEY("organization_id","id"),
	CONSTRAINT "discovery_sessions_phase_check" CHECK ("discovery_sessions"."phase" in ('Queued', 'Pending', 'Starting', 'Started', 'Scanning', 'Complete', 'Failed', 'Cancelled')),
	CONSTRAINT "discovery_sessions_progress_check" CHECK ("discovery_sessions"."progress" between 0 and 100),
	CONSTRAINT "discovery_sessions_hosts_check" CHECK ("discovery_sessions"."hosts_discovered" >= 0),
	CONSTRAINT "discovery_sessions_remaining_check" CHECK ("discovery_sessions"."estimated_remaining_secs" >= 0),
	CONSTRAINT "discovery_sessions_subnets_check" CHECK (cardinality("discovery_sessions"."subnet_ids") between 1 and 1000),
	CONSTRAINT "discovery_sessions_error_check" CHECK ((error is not null) = (phase = 'Failed') and char_length(error) between 1 and 500),
	CONSTRAINT "discovery_sessions_started_check" CHECK (("discovery_sessions"."started_at" is not null) or not "discovery_sessions"."phase" in ('Pending', 'Starting', 'Started', 'Scanning', 'Complete')),
	CONSTRAINT "discovery_sessions_moved_check" CHECK (("discovery_sessions"."moved_at" is not null) or not "discovery_sessions"."phase" in ('Pending', 'Starting', 'Started', 'Scanning')),
	CONSTRAINT "discovery_sessions_settled_check" CHECK ("discovery_sessions"."settled_at" is null or "discovery_sessions"."phase" = 'Complete'),
	CONSTRAINT "discovery_sessions_finished_check" CHECK (("discovery_sessions"."finished_at" is not null) = ("discovery_sessions"."phase" in ('Complete', 'Failed', 'Cancelled')))
);
--> statement-breakpoint
ALTER TABLE "daemons" ADD COLUMN "introduced_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_network_unique" UNIQUE("organization_id","network_id","id");
--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "discovery_sessions" ADD CONSTRAINT "discovery_sessions_daemon_fk" FOREIGN KEY ("organization_id","network_id","daemon_id") REFERENCES "public"."daemons"("organization_id","network_id","id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "discovery_sessions_list_index" ON "discovery_sessions" USING btree ("organization_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "discovery_sessions_daemon_index" ON "discovery_sessions" USING btree ("organization_id","daemon_id","created_at");
--> statement-breakpoint
CREATE INDEX "discovery_sessions_network_index" ON "discovery_sessions" USING btree ("organization_id","network_id","created_at");
--> statement-breakpoint
CREATE INDEX "discovery_sessions_open_index" ON "discovery_sessions" USING btree ("organization_id","daemon_id","created_at","id") WHERE finished_at is null or (phase = 'Complete' and settled_at is null);
--> statement-breakpoint
CREATE UNIQUE INDEX "discovery_sessions_one_runs" ON "discovery_sessions" USING btree ("organization_id","daemon_id") WHERE phase in ('Pending', 'Starting', 'Started', 'Scanning');
--> statement-breakpoint
CREATE INDEX "discovery_sessions_moved_index" ON "discovery_sessions" USING btree ("moved_at") WHERE phase in ('Pending', 'Starting', 'Started', 'Scanning');
--> statement-breakpoint
CREATE INDEX "discovery_sessions_finished_index" ON "discovery_sessions" USING btree ("finished_at") WHERE finished_at is not null;
--> statement-breakpoint
-- Callers see the scans of the networks that their key reaches, ask for new ones and cancel them. The
-- poller runs the scans of all tenants.
call app.protect('discovery_sessions', 'network_id');
--> statement-breakpoint
create policy poller on discovery_sessions to inventory_poller using (true);
--> statement-breakpoint
grant insert on discovery_sessions to inventory_api, inventory_poller;
--> statement-breakpoint
grant update (phase, finished_at, cancel_requested_at) on discovery_sessions to inventory_api;
--> statement-breakpoint
grant select on discovery_sessions to inventory_poller;
--> statement-breakpoint
grant update (phase, progress, hosts_discovered, estimated_remaining_secs, error, started_at,
  finished_at, moved_at, settled_at) on discovery_sessions to inventory_poller;
--> statement-breakpoint
grant update (introduced_at, host_id) on daemons to inventory_poller;
--> statement-breakpoint

-- A scan only goes forward, and never changes once it has ended, whoever writes.
create function app.keep_session_forward() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  phases constant text[] := array['Queued', 'Pending', 'Starting', 'Started', 'Scanning',
    'Complete', 'Failed', 'Cancelled'];
begin
  if old.finished_at is not null and (old.settled_at is not null
    or to_jsonb(new) - 'settled_at' <> to_jsonb(old) - 'settled_at')
  then
    raise exception 'a scan that has ended does not change' using errcode = 'restrict_violation';
  end if;
  if array_position(phases, new.phase) < array_position(phases, old.phase) then
    raise exception 'a scan does not go back to an earlier phase'
      using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
--> statement-breakpoint
create trigger keep_forward before update on discovery_sessions
  for each row execute function app.keep_session_forward();
--> statement-breakpoint
create trigger touch before update on discovery_sessions
  for each row when (old.finished_at is null) execute function app.touch();
--> statement-breakpoint

-- At most ten scans of a daemon wait or run. Two callers that add one follow each other, so that the
-- second counts the first one's. The schedule looks for itself: it must not end a transaction.
create function app.bound_sessions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  waiting integer;
begin
  perform from public.daemons as daemon
  where daemon.organization_id = new.organization_id and daemon.id = new.daemon_id
  for no key update;
  select count(*) into waiting from public.discovery_sessions as session
  where session.organization_id = new.organization_id and session.daemon_id = new.daemon_id
    and session.finished_at is null;
  if waiting >= 10 then
    perform app.abort('entity_in_use', jsonb_build_object('entity', 'Daemon', 'id', new.daemon_id,
      'used_by', jsonb_build_object('scans', waiting)));
  end if;
  return new;
end
$$;
--> statement-breakpoint
create trigger bound_sessions before insert on discovery_sessions for each row
  when (current_user = 'inventory_api') execute function app.bound_sessions();
--> statement-breakpoint

create function app.reach_session_milestone() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform app.reach_milestone(new.organization_id, 'FirstDiscoveryCompleted');
  return null;
end
$$;
--> statement-breakpoint
create trigger reach_milestone after update on discovery_sessions for each row
  when (new.phase = 'Complete') execute function app.reach_session_milestone();
