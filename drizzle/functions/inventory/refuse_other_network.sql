-- Keeps a host in its network, since all its history is there.
create or replace function app.refuse_other_network() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'the network of a record cannot change' using errcode = 'restrict_violation';
end
$$;
