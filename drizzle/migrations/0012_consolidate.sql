-- A daemon moves with its host, when that is consolidated with another one. Which host of which
-- network it may be, a foreign key says.
grant update (host_id) on daemons to inventory_api;
