-- Lists that find by an index, and read what is valid at a timestamp only. An index that ends with the
-- end of a version and its beginning leaves out all others without a look at the table.
DROP INDEX "bindings_version_index";
--> statement-breakpoint
DROP INDEX "bindings_host_index";
--> statement-breakpoint
DROP INDEX "bindings_service_index";
--> statement-breakpoint
DROP INDEX "bindings_port_index";
--> statement-breakpoint
DROP INDEX "bindings_ip_address_index";
--> statement-breakpoint
DROP INDEX "hosts_version_index";
--> statement-breakpoint
DROP INDEX "hosts_searchable_index";
--> statement-breakpoint
DROP INDEX "ip_addresses_version_index";
--> statement-breakpoint
DROP INDEX "ip_addresses_host_index";
--> statement-breakpoint
DROP INDEX "ip_addresses_subnet_index";
--> statement-breakpoint
DROP INDEX "ip_addresses_address_index";
--> statement-breakpoint
DROP INDEX "ip_addresses_mac_index";
--> statement-breakpoint
DROP INDEX "ports_version_index";
--> statement-breakpoint
DROP INDEX "ports_host_index";
--> statement-breakpoint
DROP INDEX "ports_number_index";
--> statement-breakpoint
DROP INDEX "services_version_index";
--> statement-breakpoint
DROP INDEX "services_host_index";
--> statement-breakpoint
DROP INDEX "services_searchable_index";
--> statement-breakpoint
DROP INDEX "subnets_version_index";
--> statement-breakpoint
DROP INDEX "subnets_cidr_index";
--> statement-breakpoint
ALTER TABLE "hosts" drop column "searchable";
--> statement-breakpoint
ALTER TABLE "hosts" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || coalesce(hostname, '') || chr(10) || coalesce(sys_name, '')) collate "und-x-icu")) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "services" drop column "searchable";
--> statement-breakpoint
ALTER TABLE "services" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || service_definition) collate "und-x-icu")) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "ip_addresses" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower((coalesce(name, '') || chr(10) || host(address) || chr(10) || coalesce(mac_address::text, '')) collate "und-x-icu")) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "subnets" ADD COLUMN "searchable" text GENERATED ALWAYS AS (lower((name || chr(10) || coalesce(description, '') || chr(10) || text(cidr)) collate "und-x-icu")) STORED NOT NULL;
--> statement-breakpoint
CREATE INDEX "ip_addresses_searchable_index" ON "ip_addresses" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "services_name_index" ON "services" USING btree ("organization_id",lower("name" collate "und-x-icu"),(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "services_service_definition_index" ON "services" USING btree ("organization_id",lower("service_definition" collate "und-x-icu"),(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "subnets_searchable_index" ON "subnets" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "bindings_version_index" ON "bindings" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "bindings_host_index" ON "bindings" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "bindings_service_index" ON "bindings" USING btree ("organization_id","service_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "bindings_port_index" ON "bindings" USING btree ("organization_id","port_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "bindings_ip_address_index" ON "bindings" USING btree ("organization_id","ip_address_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "hosts_version_index" ON "hosts" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "hosts_searchable_index" ON "hosts" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "ip_addresses_version_index" ON "ip_addresses" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "ip_addresses_host_index" ON "ip_addresses" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "ip_addresses_subnet_index" ON "ip_addresses" USING btree ("organization_id","subnet_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "ip_addresses_address_index" ON "ip_addresses" USING btree ("organization_id","address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from","host_id");
--> statement-breakpoint
CREATE INDEX "ip_addresses_mac_index" ON "ip_addresses" USING btree ("organization_id","mac_address",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from") WHERE mac_address is not null;
--> statement-breakpoint
CREATE INDEX "ports_version_index" ON "ports" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "ports_host_index" ON "ports" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "ports_number_index" ON "ports" USING btree ("organization_id","number","protocol",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from","host_id");
--> statement-breakpoint
CREATE INDEX "services_version_index" ON "services" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "services_host_index" ON "services" USING btree ("organization_id","host_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "services_searchable_index" ON "services" USING gist ("organization_id",translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "subnets_version_index" ON "subnets" USING btree ("organization_id","live_id",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint
CREATE INDEX "subnets_cidr_index" ON "subnets" USING btree ("organization_id","cidr",(case when valid_to is null then 'infinity'::timestamptz else valid_to end),"valid_from");
--> statement-breakpoint

-- The index of the rule that keeps versions apart looks to Postgres as good as the one above, and reads
-- all versions of a record. Over an expression in the place of its column, no query takes it.
do $$
declare
  versioned name;
begin
  foreach versioned in array
    array['subnets', 'hosts', 'ip_addresses', 'ports', 'services', 'bindings']
  loop
    execute format('alter table %1$I drop constraint %2$I, add constraint %2$I
      exclude using gist (organization_id with =, (coalesce(lineage_id, id)) with =,
        tstzrange(valid_from, valid_to) with &&)',
      versioned, versioned || '_one_version_at_a_time');
  end loop;
  execute replace(pg_get_functiondef('app.keep_history'::regproc), 'live_id with =',
    '(coalesce(lineage_id, id)) with =');
end
$$;
--> statement-breakpoint

-- The blocks that hold an address: one for each length of a prefix.
create function app.blocks_of(address inet) returns cidr[]
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select array_agg(network(set_masklen(address, length)))
  from generate_series(0, case family(address) when 4 then 32 else 128 end) as length
$$;
--> statement-breakpoint
create or replace function app.subnet_of(organization uuid, network uuid, address inet) returns uuid
language sql stable parallel safe set search_path = pg_catalog, pg_temp as $$
  select subnet.id from public.subnets as subnet
  where subnet.organization_id = organization and subnet.network_id = network
    and subnet.valid_to is null and subnet.cidr = any (app.blocks_of(address))
  order by masklen(subnet.cidr) desc limit 1
$$;
--> statement-breakpoint

-- The versions of the caller's organization that contain a text, in any case: at a timestamp, or the
-- live ones. Row level security uses an index only for operators that cannot leak, and `like` is none of
-- them. So these functions read the index as the owner, and return nothing but ids: whoever uses them
-- reads the rows behind these as a caller may.
do $$
declare
  searched name;
begin
  foreach searched in array array['hosts', 'services', 'subnets', 'ip_addresses'] loop
    execute format($function$
      create function app.search_%1$s(text text, at timestamptz) returns setof uuid
      language plpgsql stable parallel safe security definer rows 100
      set search_path = pg_catalog, pg_temp as $body$
      declare
        organization uuid := app.organization_id();
        pattern text := '%%' || regexp_replace(lower(text collate "und-x-icu"), '([\\%%_])', '\\\1', 'g')
          || '%%';
        -- What is live ends later than all.
        moment timestamptz := coalesce(at, 'infinity');
      begin
        return query select record.id from public.%1$I as record
        where record.organization_id = organization
          and translate(record.searchable, '.:-/', 'qzxj') like translate(pattern, '.:-/', 'qzxj')
          and record.searchable like pattern
          and tstzrange(record.valid_from, record.valid_to) @> moment;
      end
      $body$
    $function$, searched);
    execute format('grant execute on function app.search_%s(text, timestamptz) to inventory_api',
      searched);
  end loop;
end
$$;
--> statement-breakpoint

-- The hosts with a service of this name or definition, in any case: `lower` might leak, too.
create function app.hosts_with_service(text text, at timestamptz) returns setof uuid
language plpgsql stable parallel safe security definer rows 100
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  folded text := lower(text collate "und-x-icu");
  -- What is live ends later than all.
  later_than timestamptz := coalesce(at, '294000-01-01'::timestamptz);
begin
  return query select service.host_id from public.services as service
  where service.organization_id = organization
    and lower(service.name collate "und-x-icu") = folded
    and case when service.valid_to is null then 'infinity'::timestamptz else service.valid_to end > later_than
    and service.valid_from <= later_than
  union
  select service.host_id from public.services as service
  where service.organization_id = organization
    and lower(service.service_definition collate "und-x-icu") = folded
    and case when service.valid_to is null then 'infinity'::timestamptz else service.valid_to end > later_than
    and service.valid_from <= later_than;
end
$$;
--> statement-breakpoint
grant execute on function app.hosts_with_service(text, timestamptz), app.blocks_of(inet)
  to inventory_api;
