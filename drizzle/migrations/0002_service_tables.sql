-- The visit of a daemon that this transaction is part of: what app.enter is for a key. Only the
-- transaction that made a row finds it, and only app.enter_visit makes one.
create table app.daemon_visits (
  transaction_id xid8 primary key default pg_current_xact_id(),
  organization_id uuid not null,
  network_id uuid not null,
  daemon_id uuid not null
);
--> statement-breakpoint

-- What a scan saw and could not store, until it is settled: hosts by the ids that the daemon knows them
-- by, and their addresses. `is_unbounded`: it was too much to remember.
create table app.scan_gaps (
  organization_id uuid not null,
  session_id uuid not null,
  host_ids uuid[] not null default '{}' check (cardinality(host_ids) <= 10000),
  addresses inet[] not null default '{}' check (cardinality(addresses) <= 10000),
  is_unbounded boolean not null default false,
  primary key (organization_id, session_id),
  foreign key (organization_id, session_id)
    references public.discovery_sessions (organization_id, id) on delete cascade
);
--> statement-breakpoint

-- What a scan looked at: light or full, and with which credentials on which hosts. So that it ends only
-- what it looked for. One row for all scans of a daemon that looked alike. `credentials`: for each that was
-- handed over, by its id and a digest of what it holds, as a changed one is another one, `{"network": true}`
-- where it was for every host of the network, else `{"hosts": [ids], "addresses": [...]}`. A name that no other
-- scope has stands for credentials of which nobody knows: what was seen with them, no other scan ends.
create table app.scan_scopes (
  organization_id uuid not null,
  daemon_id uuid not null,
  id uuid not null default gen_random_uuid(),
  is_full boolean not null,
  credentials jsonb not null,
  digest bytea not null,
  used_at timestamptz not null default now(),
  primary key (organization_id, id),
  unique (organization_id, daemon_id, digest),
  foreign key (organization_id, daemon_id)
    references public.daemons (organization_id, id) on delete cascade
);
--> statement-breakpoint

-- The scans that were handed to a daemon. They outlive the sweep of sessions, as what they saw does.
create table app.handed_scans (
  organization_id uuid not null,
  session_id uuid not null,
  daemon_id uuid not null,
  started_at timestamptz not null,
  scope_id uuid not null,
  primary key (organization_id, session_id),
  foreign key (organization_id, daemon_id)
    references public.daemons (organization_id, id) on delete cascade,
  foreign key (organization_id, scope_id)
    references app.scan_scopes (organization_id, id) on delete cascade
);
--> statement-breakpoint

create index handed_scans_daemon_index on app.handed_scans (organization_id, daemon_id, started_at);
--> statement-breakpoint

create index handed_scans_scope_index on app.handed_scans (organization_id, scope_id);
--> statement-breakpoint

-- The hosts that a scan has found, until it is settled: another daemon may see them meanwhile.
create table app.scan_hosts (
  organization_id uuid not null,
  session_id uuid not null,
  host_id uuid not null,
  primary key (organization_id, session_id, host_id),
  foreign key (organization_id, session_id)
    references public.discovery_sessions (organization_id, id) on delete cascade
);
--> statement-breakpoint

-- The scans that ran when their daemon was deleted, with all that it takes to end them there: the daemon
-- goes on until it is told. Its token stays sealed. Kept for minutes.
create table app.scan_cancellations (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  session_id uuid not null,
  daemon_id uuid not null,
  url text not null,
  sealed_token text not null,
  requested_at timestamptz not null default now(),
  next_try_at timestamptz not null default now(),
  primary key (organization_id, session_id)
);
--> statement-breakpoint

create index scan_cancellations_requested_index on app.scan_cancellations (requested_at);
--> statement-breakpoint

-- The scans of the last day that requests asked for, a row for each, so that none waits for another to
-- commit. They outlive daemons: to delete one and provision its URL again would begin its day anew.
create table app.requested_scans (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  requested_at timestamptz not null,
  id bigint generated always as identity,
  primary key (organization_id, requested_at, id)
);
--> statement-breakpoint

create index requested_scans_requested_at_index on app.requested_scans (requested_at);
--> statement-breakpoint

-- How many versions an organization has begun in an hour, and tags that it has put on records, in as many
-- counters as it had writers at once: each takes one that is free, so none waits for another to commit.
create table app.version_counters (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  hour timestamptz not null,
  id bigint generated always as identity,
  versions bigint not null check (versions > 0),
  primary key (organization_id, hour, id)
) with (fillfactor = 50);
--> statement-breakpoint

create index version_counters_hour_index on app.version_counters (hour);
--> statement-breakpoint

-- The files of `functions/` and `rules/` that were applied last, by their paths: see drizzle/migrate.ts.
create table app.applied_files (
  path text primary key,
  hash text not null
);
--> statement-breakpoint

-- A binding that a scan did not see again, and the scope of the scan that saw it last.
create type app.unseen_binding as (id uuid, host_id uuid, scope_id uuid);
--> statement-breakpoint

-- A host of such bindings, and the host that had them once: itself, or one that was consolidated into it.
create type app.judged_host as (scope_id uuid, host_id uuid, known_as uuid);
--> statement-breakpoint

-- What all phases of app.ingest know. `daemon_id`: the daemon that reports; null of an import. `watching`: the
-- daemons of the network that can be reached: what one of them has filled is its own to change.
create type app.ingest_context as (
  organization_id uuid, network_id uuid, discovery_id uuid, daemon_id uuid, seen_at timestamptz,
  watching uuid[]);
--> statement-breakpoint

-- The rows that app.ingest works on. `index` is the place of a host in the report.
-- `ranks`: see app.fillable. `given_name`: what the reporter calls the host.
create type app.ingested_host as (
  index int, told_id uuid, details jsonb, ranks jsonb, given_name text, fallback_name text,
  tcp int4multirange, udp int4multirange);
--> statement-breakpoint

-- `identifies`: whether the address can tell its host from others. `is_local`: many hosts may have it.
create type app.ingested_address as (
  index int, position int, address inet, mac macaddr, name text, subnet_id uuid, identifies boolean,
  is_local boolean, mac_identifies boolean);
--> statement-breakpoint

-- An address of the report and one that is stored. `likeness`: whether they have the same MAC address (2),
-- another one (0), or it tells nothing (1). `is_free`: whether another device may have the address now;
-- `is_gone`: whether one has, as its host was seen elsewhere since.
create type app.ingested_pair as (
  index int, position int, address inet, host_id uuid, address_id uuid, is_exact boolean, likeness int,
  is_free boolean, is_gone boolean);
--> statement-breakpoint

create type app.ingested_match as (index int, host_id uuid, matched_by text);
--> statement-breakpoint

-- A record of the report and the stored one, which has `id`. `changes`: its columns that change.
-- `evidence`: what then stands behind them, and behind what is now better known.
create type app.ingested_record as (
  index int, key text, host_id uuid, id uuid, is_new boolean, changes jsonb, evidence jsonb);
--> statement-breakpoint

-- A service of the report and the stored one, which has `id`. `is_replacing`: whether that one was a guess.
-- `runner`: the service of the report that runs its container.
create type app.ingested_service as (
  index int, service int, host_id uuid, id uuid, is_new boolean, is_replacing boolean, is_probed boolean,
  name text, definition text, version text, virtualization jsonb, runner int);
--> statement-breakpoint

create type app.ingested_binding as (
  index int, position int, host_id uuid, service_key text, service_id uuid, is_unclaimed boolean,
  is_guess boolean, is_protocol boolean, type text, port_id uuid, ip_address_id uuid, fate text,
  taken_id uuid, other_id uuid);
--> statement-breakpoint

create type app.ingested_issue as (index int, kind text, position int, other text);
