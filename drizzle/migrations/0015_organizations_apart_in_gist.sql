DROP INDEX "hosts_searchable_index";--> statement-breakpoint
DROP INDEX "hosts_pairs_index";--> statement-breakpoint
DROP INDEX "ip_addresses_searchable_index";--> statement-breakpoint
DROP INDEX "ip_addresses_pairs_index";--> statement-breakpoint
DROP INDEX "services_searchable_index";--> statement-breakpoint
DROP INDEX "services_pairs_index";--> statement-breakpoint
DROP INDEX "subnets_searchable_index";--> statement-breakpoint
DROP INDEX "subnets_pairs_index";--> statement-breakpoint
CREATE INDEX "hosts_searchable_index" ON "hosts" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "hosts_pairs_index" ON "hosts" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "ip_addresses_searchable_index" ON "ip_addresses" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "ip_addresses_pairs_index" ON "ip_addresses" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "services_searchable_index" ON "services" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "services_pairs_index" ON "services" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "subnets_searchable_index" ON "subnets" USING gist (coalesce("organization_id", "id"),translate("searchable", '.:-/', 'qzxj') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));--> statement-breakpoint
CREATE INDEX "subnets_pairs_index" ON "subnets" USING gist (coalesce("organization_id", "id"),app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint

-- No look-up loses a version any more: see "Indexes of GiST" in drizzle/README.md.
drop function if exists app.lost_version();
