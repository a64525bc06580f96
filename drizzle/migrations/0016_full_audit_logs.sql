-- Until when an organization writes no more into its audit log, and the transaction that found it full, which goes on.
-- Callers that find it at once add a row each, and wait for nobody.
create table app.full_audit_logs (
  organization_id uuid not null references public.organizations (id) on delete cascade,
  until timestamptz not null,
  transaction_id xid8 not null,
  primary key (organization_id, until, transaction_id)
);
--> statement-breakpoint

drop function if exists app.refuse_many_audit_entries(uuid);
--> statement-breakpoint

-- The indexes that the migration before this one built are new, and the planner knows nothing of their expressions.
analyze public.hosts, public.ip_addresses, public.services, public.subnets;
