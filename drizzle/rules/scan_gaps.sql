grant select, delete on app.scan_gaps to inventory_ingest;
