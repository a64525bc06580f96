-- What the tables' own constraints need: the extension behind the exclusion of overlapping binding
-- versions, the schema of the functions, and the predicates that check constraints call.
create extension if not exists btree_gist;
--> statement-breakpoint
create schema app;
--> statement-breakpoint
create function app.is_set(members text[]) returns boolean
language sql immutable strict parallel safe as $$
  select count(*) = count(distinct member) from unnest(members) as member
$$;
--> statement-breakpoint
create function app.is_plan(plan jsonb) returns boolean
language sql immutable strict parallel safe as $$
  select coalesce(
    jsonb_typeof(plan) = 'object'
    and plan ->> 'type' in ('Community', 'Free', 'Starter', 'Pro', 'Team', 'Business', 'Enterprise', 'Demo', 'CommercialSelfHosted')
    and plan ->> 'rate' in ('Month', 'Year')
    and jsonb_typeof(plan -> 'base_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'trial_days') = 'number'
    and jsonb_typeof(plan -> 'seat_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'network_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'host_cents') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_seats') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_networks') in ('number', 'null')
    and jsonb_typeof(plan -> 'included_hosts') in ('number', 'null')
    and (select count(*) = 10 from jsonb_object_keys(plan)),
    false)
$$;
