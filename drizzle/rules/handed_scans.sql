grant select on app.handed_scans to inventory_ingest;
