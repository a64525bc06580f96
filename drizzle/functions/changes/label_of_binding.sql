-- What a person calls a binding at an instant: its service, and the port or address that it is bound to. What had no
-- version at that instant is left out.
create or replace function app.label_of_binding(
  service uuid, port uuid, ip_address uuid, instant timestamptz)
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return concat_ws(' ', (
    select known.name from public.services as known
    where known.live_id = service and known.valid_from <= instant
      and case when known.valid_to is null then 'infinity'::timestamptz else known.valid_to end > instant
    limit 1), (
    select known.number || '/' || known.protocol from public.ports as known
    where known.live_id = port and known.valid_from <= instant
      and case when known.valid_to is null then 'infinity'::timestamptz else known.valid_to end > instant
    limit 1), (
    select host(known.address) from public.ip_addresses as known
    where known.live_id = ip_address and known.valid_from <= instant
      and case when known.valid_to is null then 'infinity'::timestamptz else known.valid_to end > instant
    limit 1));
end
$$;

grant execute on function app.label_of_binding(uuid, uuid, uuid, timestamptz) to inventory_api;
