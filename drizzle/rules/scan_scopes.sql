grant select on app.scan_scopes to inventory_ingest;
