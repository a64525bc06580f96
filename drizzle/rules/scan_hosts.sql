grant select, insert, delete on app.scan_hosts to inventory_ingest;
