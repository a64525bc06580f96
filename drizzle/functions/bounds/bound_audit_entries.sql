-- Bounds the audit log where several entries are written at once. Looks for one entry of a thousandth of the most that
-- may be: to count takes the longer the more there are. So an organization may exceed the bound by about that. A new
-- UUID draws it, as who writes SQL sets the seed of random().
create or replace function app.bound_audit_entries(organization uuid, written integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if abs(uuid_hash(gen_random_uuid())::bigint) % app.maximum_audit_entries_of_day() < written * 1000::bigint then
    perform app.refuse_many_audit_entries(organization);
  end if;
end
$$;
