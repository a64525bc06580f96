-- They return whole rows from now on, which no replacement of a function can change.
drop function if exists app.search_hosts(text, timestamptz, uuid, integer, inet[], inet[], macaddr, macaddr);
--> statement-breakpoint
drop function if exists app.search_ip_addresses(text, timestamptz, uuid, inet[], inet[], macaddr, macaddr);
--> statement-breakpoint
drop function if exists app.search_services(text, timestamptz, uuid);
--> statement-breakpoint
drop function if exists app.search_subnets(text, timestamptz, uuid, cidr[]);
