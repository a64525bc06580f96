-- What a report says, flat: `index` is the place of its host. See src/discovery/ingest/parameter.ts.
create type app.reported_address as (index int, position int, ip inet, mac macaddr, name text);
--> statement-breakpoint
create type app.reported_port as (index int, number int, protocol text);
--> statement-breakpoint
create type app.reported_service as (
  index int, service int, name text, definition text, version text, container text, virtualization jsonb,
  runner int, is_guess boolean, is_of_port boolean, is_protocol boolean);
--> statement-breakpoint
create type app.reported_binding as (
  index int, position int, service int, type text, number int, protocol text, ip inet);
--> statement-breakpoint

-- Their parameters were JSON.
drop function if exists app.place_addresses(app.ingest_context, jsonb, app.ingested_record[]);
--> statement-breakpoint
drop function if exists app.plan_ports(app.ingest_context, jsonb, app.ingested_record[]);
--> statement-breakpoint
drop function if exists app.match_services(
  app.ingest_context, jsonb, app.ingested_record[], app.ingested_record[]);
--> statement-breakpoint
drop function if exists app.superseded_bindings(
  app.ingest_context, jsonb, app.ingested_record[], app.ingested_record[]);
--> statement-breakpoint
drop function if exists app.plan_bindings(
  app.ingest_context, jsonb, app.ingested_host[], app.ingested_record[], app.ingested_record[],
  app.ingested_record[], app.ingested_record[], uuid[], uuid[], uuid[]);
