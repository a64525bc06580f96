-- What one organization may ask of the service in a day, and what a search may look at.
--
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

-- At most ten scans of a daemon wait or run, and at most 300 are asked for in 24 hours: to scan and to
-- cancel in turns would fill the table else, where scans stay for 90 days. Two callers that add one follow
-- each other, so that the second counts the first one's. Of all daemons of an organization, those that are
-- gone since included, at most 10,000 are asked for; callers at the same moment may come beyond it. Scans
-- of a schedule are bounded by it, and do not count for the day.
create or replace function app.bound_sessions() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  maximum constant integer := 10;
  maximum_of_day constant integer := 300;
  maximum_of_organization constant integer := 10000;
  waiting integer;
  earliest timestamptz;
begin
  perform from public.daemons as daemon
  where daemon.organization_id = new.organization_id and daemon.id = new.daemon_id
  for no key update;
  select count(*) into waiting from public.discovery_sessions as session
  where session.organization_id = new.organization_id and session.daemon_id = new.daemon_id
    and session.finished_at is null;
  if waiting >= maximum then
    perform app.abort('too_many_scans',
      jsonb_build_object('id', new.daemon_id, 'maximum', maximum));
  end if;
  -- When the scan was asked for that has to be a day old before the next one.
  select session.created_at into earliest from public.discovery_sessions as session
  where session.organization_id = new.organization_id and session.daemon_id = new.daemon_id
    and session.created_at > now() - interval '1 day' and not session.is_scheduled
  order by session.created_at desc offset maximum_of_day - 1 limit 1;
  if found then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'scans_of_daemon',
      'retry_after_seconds',
      greatest(1, ceil(extract(epoch from earliest + interval '1 day' - now()))::integer)));
  end if;
  select requested.requested_at into earliest from app.requested_scans as requested
  where requested.organization_id = new.organization_id
    and requested.requested_at > now() - interval '1 day'
  order by requested.requested_at desc offset maximum_of_organization - 1 limit 1;
  if found then
    perform app.abort('rate_limit_exceeded', jsonb_build_object('limit', 'scans_of_organization',
      'retry_after_seconds',
      greatest(1, ceil(extract(epoch from earliest + interval '1 day' - now()))::integer)));
  end if;
  insert into app.requested_scans (organization_id, requested_at) values (new.organization_id, now());
  return new;
end
$$;
--> statement-breakpoint

-- Deletes so many old scans and requested scans that count no more, at most. Returns how many.
create or replace function app.sweep_discovery_sessions(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer;
  swept_requests integer;
begin
  delete from public.discovery_sessions as old where old.ctid = any (array(
    select due.ctid from public.discovery_sessions as due
    where due.finished_at <= now() - interval '90 days'
    order by due.finished_at limit maximum
    for update skip locked));
  get diagnostics swept = row_count;
  delete from app.requested_scans as old where old.ctid = any (array(
    select due.ctid from app.requested_scans as due
    where due.requested_at <= now() - interval '1 day'
    order by due.requested_at limit maximum - swept for update skip locked));
  get diagnostics swept_requests = row_count;
  return swept + swept_requests;
end
$$;
--> statement-breakpoint

-- As in the migration `signs`, but a key limited to networks looks into these alone: how long its search
-- takes must not tell what the others hold. That part is planned for each search, as the best way depends
-- on how much these networks hold.
do $$
declare
  searched name;
begin
  foreach searched in array array['hosts', 'services', 'subnets', 'ip_addresses'] loop
    execute format($function$
      create or replace function app.search_%1$s(text text, at timestamptz) returns setof uuid
      language plpgsql stable parallel safe security definer rows 100
      set search_path = pg_catalog, pg_temp as $body$
      declare
        organization uuid := app.organization_id();
        reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
        folded text := lower(text collate "und-x-icu");
        pattern text := '%%' || regexp_replace(folded, '([\\%%_])', '\\\1', 'g') || '%%';
        -- What is live ends later than all.
        moment timestamptz := coalesce(at, 'infinity');
      begin
        -- Where runes are no letters, as in a database whose LC_CTYPE is C, pairs tell nearly nothing.
        if translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{3}'
          and (folded !~ '[^[:alnum:] .:/-]' or 'ᛪ' !~ '[[:alnum:]]') then
          if reached is null then
            return query select record.id from public.%1$I as record
            where record.organization_id = organization
              and translate(record.searchable, '.:-/', 'qzxj') like translate(pattern, '.:-/', 'qzxj')
              and record.searchable like pattern
              and tstzrange(record.valid_from, record.valid_to) @> moment;
          else
            return query execute 'select record.id from public.%1$I as record
            where record.organization_id = $1 and record.network_id = any ($2)
              and translate(record.searchable, ''.:-/'', ''qzxj'') like translate($3, ''.:-/'', ''qzxj'')
              and record.searchable like $3
              and tstzrange(record.valid_from, record.valid_to) @> $4'
            using organization, reached, pattern, moment;
          end if;
        elsif reached is null then
          return query select record.id from public.%1$I as record
          where record.organization_id = organization
            and app.paired(record.searchable) like '%%' || app.paired(folded) || '%%'
            and record.searchable like pattern
            and tstzrange(record.valid_from, record.valid_to) @> moment;
        else
          return query execute 'select record.id from public.%1$I as record
          where record.organization_id = $1 and record.network_id = any ($2)
            and app.paired(record.searchable) like ''%%'' || app.paired($5) || ''%%''
            and record.searchable like $3
            and tstzrange(record.valid_from, record.valid_to) @> $4'
          using organization, reached, pattern, moment, folded;
        end if;
      end
      $body$
    $function$, searched);
  end loop;
end
$$;
--> statement-breakpoint

-- The same: it runs past the policies, so it looks itself which networks the key reaches.
create or replace function app.hosts_with_service(text text, at timestamptz) returns setof uuid
language plpgsql stable parallel safe security definer rows 100
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  -- What is live ends later than all.
  later_than timestamptz := coalesce(at, '294000-01-01'::timestamptz);
begin
  return query select service.host_id from public.services as service
  where service.organization_id = organization
    and (reached is null or service.network_id = any (reached))
    and lower(service.name collate "und-x-icu") = folded
    and case when service.valid_to is null then 'infinity'::timestamptz else service.valid_to end > later_than
    and service.valid_from <= later_than
  union
  select service.host_id from public.services as service
  where service.organization_id = organization
    and (reached is null or service.network_id = any (reached))
    and lower(service.service_definition collate "und-x-icu") = folded
    and case when service.valid_to is null then 'infinity'::timestamptz else service.valid_to end > later_than
    and service.valid_from <= later_than;
end
$$;
