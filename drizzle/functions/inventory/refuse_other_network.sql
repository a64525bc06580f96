-- Prevents a host from moving to another network, since all of its history belongs to its network.
create or replace function app.refuse_other_network() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'the network of a record cannot change' using errcode = 'restrict_violation';
end
$$;
