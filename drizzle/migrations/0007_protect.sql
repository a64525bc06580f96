CREATE TABLE "credential_secret_fields" (
	"organization_id" uuid NOT NULL,
	"credential_id" uuid NOT NULL,
	"field" text NOT NULL,
	CONSTRAINT "credential_secret_fields_pk" PRIMARY KEY("organization_id","credential_id","field")
);
--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_plan_check";--> statement-breakpoint
ALTER TABLE "organizations" DROP CONSTRAINT "organizations_downgrade_check";--> statement-breakpoint
ALTER TABLE "credential_secrets" DROP CONSTRAINT "credential_secrets_credential_fk";
--> statement-breakpoint
ALTER TABLE "credential_secret_fields" ADD CONSTRAINT "credential_secret_fields_credential_fk" FOREIGN KEY ("organization_id","credential_id") REFERENCES "public"."credentials"("organization_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
insert into credential_secret_fields (organization_id, credential_id, field)
select organization_id, credential_id, field from credential_secrets;--> statement-breakpoint
ALTER TABLE "credential_secrets" ADD CONSTRAINT "credential_secrets_field_fk" FOREIGN KEY ("organization_id","credential_id","field") REFERENCES "public"."credential_secret_fields"("organization_id","credential_id","field") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_plan_check" CHECK (case jsonb_typeof("organizations"."plan") when 'object'
    then coalesce("organizations"."plan" ->> 'type' in ('Community', 'Free', 'Starter', 'Pro', 'Team', 'Business', 'Enterprise', 'Demo', 'CommercialSelfHosted') and "organizations"."plan" ->> 'rate' in ('Month', 'Year') and jsonb_typeof("organizations"."plan" -> 'trial_days') in ('number') and jsonb_typeof("organizations"."plan" -> 'base_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'seat_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'network_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'host_cents') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'included_seats') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'included_networks') in ('number', 'null') and jsonb_typeof("organizations"."plan" -> 'included_hosts') in ('number', 'null') and "organizations"."plan" - array['type', 'rate', 'trial_days', 'base_cents', 'seat_cents', 'network_cents', 'host_cents', 'included_seats', 'included_networks', 'included_hosts'] = '{}', false) else "organizations"."plan" is null end);--> statement-breakpoint
ALTER TABLE "organizations" ADD CONSTRAINT "organizations_downgrade_check" CHECK (case jsonb_typeof("organizations"."last_downgrade_from_plan") when 'object'
    then coalesce("organizations"."last_downgrade_from_plan" ->> 'type' in ('Community', 'Free', 'Starter', 'Pro', 'Team', 'Business', 'Enterprise', 'Demo', 'CommercialSelfHosted') and "organizations"."last_downgrade_from_plan" ->> 'rate' in ('Month', 'Year') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'trial_days') in ('number') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'base_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'seat_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'network_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'host_cents') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'included_seats') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'included_networks') in ('number', 'null') and jsonb_typeof("organizations"."last_downgrade_from_plan" -> 'included_hosts') in ('number', 'null') and "organizations"."last_downgrade_from_plan" - array['type', 'rate', 'trial_days', 'base_cents', 'seat_cents', 'network_cents', 'host_cents', 'included_seats', 'included_networks', 'included_hosts'] = '{}', false) else "organizations"."last_downgrade_from_plan" is null end);
--> statement-breakpoint
drop function app.is_plan(jsonb);
--> statement-breakpoint

-- Makes a table the tenants': the API's role sees the rows of its key's organization and, with a
-- network column, only those in networks that the key reaches. It may read every column: what callers
-- may not see lies in a table of its own. Rights to write are granted beside the call.
-- Row level security is not forced on the owner, in whose name the gate, the triggers and the commands
-- work for all tenants.
create procedure app.protect(tenant_table regclass, network_column name default null)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  condition text := 'organization_id = (select app.organization_id())';
begin
  if network_column is not null then
    condition := condition || format(
      ' and ((select app.reaches_all_networks()) or %I = any ((select app.network_ids())::uuid[]))',
      network_column);
  end if;
  execute format('alter table %s enable row level security', tenant_table);
  execute format('drop policy if exists tenant on %s', tenant_table);
  execute format('create policy tenant on %s to inventory_api using (%s)', tenant_table, condition);
  execute format('grant select on %s to inventory_api', tenant_table);
end
$$;
--> statement-breakpoint

-- A right to the columns of a table would outlive the grant of the whole.
revoke select on daemons, credential_secrets from inventory_api;
--> statement-breakpoint
call app.protect('networks', 'id');
--> statement-breakpoint
call app.protect('hosts', 'network_id');
--> statement-breakpoint
call app.protect('ip_addresses', 'network_id');
--> statement-breakpoint
call app.protect('ports', 'network_id');
--> statement-breakpoint
call app.protect('services', 'network_id');
--> statement-breakpoint
call app.protect('daemons', 'network_id');
--> statement-breakpoint
call app.protect('bindings', 'network_id');
--> statement-breakpoint
call app.protect('tags');
--> statement-breakpoint
call app.protect('credentials');
--> statement-breakpoint
call app.protect('credential_tags');
--> statement-breakpoint
call app.protect('credential_secret_fields');
--> statement-breakpoint

-- A secret is deleted with its row of credential_secret_fields, so the API needs no right to look for
-- one among the ciphertexts.
grant delete on credential_secret_fields to inventory_api;
--> statement-breakpoint
revoke delete on credential_secrets from inventory_api;
--> statement-breakpoint
drop trigger refuse_deletion_beyond_reach on credential_secrets;
--> statement-breakpoint
create trigger refuse_deletion_beyond_reach after delete on credential_secret_fields
  referencing old table as changed for each statement
  execute function app.refuse_beyond_reach();
--> statement-breakpoint
create function app.add_secret_field() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.credential_secret_fields (organization_id, credential_id, field)
  values (new.organization_id, new.credential_id, new.field) on conflict do nothing;
  return new;
end
$$;
--> statement-breakpoint
create trigger add_secret_field before insert on credential_secrets
  for each row execute function app.add_secret_field();
