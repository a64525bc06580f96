-- The searches take more than a text, and return versions in place of ids.
drop function if exists
  app.search_hosts(text, timestamptz),
  app.search_ip_addresses(text, timestamptz),
  app.search_services(text, timestamptz),
  app.search_subnets(text, timestamptz);
--> statement-breakpoint
-- Each table of owners has a function of its own.
drop function if exists app.revise_owners();
