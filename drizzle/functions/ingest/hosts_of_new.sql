-- For each planned record, in order, its host if the record is new, otherwise null.
create or replace function app.hosts_of_new(planned app.ingested_record[]) returns uuid[]
language sql immutable parallel safe
return array(select case when one.is_new then one.host_id end from unnest(planned) as one);

grant execute on function app.hosts_of_new to inventory_api;
