ALTER TABLE "hosts" ADD COLUMN "is_stale" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "stale_after_hours" integer;--> statement-breakpoint
ALTER TABLE "networks" ADD CONSTRAINT "networks_stale_after_hours_check" CHECK ("networks"."stale_after_hours" between 1 and 8760);
--> statement-breakpoint

-- The organizations with networks that say when a host is stale, or with hosts that are still said to be: when
-- app.sweep_stale_hosts looked last, and behind which host, in the order of creation, its walk goes on.
create table app.stale_sweeps (
  organization_id uuid primary key references public.organizations on delete cascade,
  looked_at timestamptz not null default now(),
  after_created_at timestamptz not null default '-infinity',
  after_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
