-- Returns metadata with the keys that it lacks from others, in the order of `others` and of the keys, up to the maximum
-- number of keys (API contract, section 7).
create or replace function app.merged_metadata(own jsonb, others jsonb[]) returns jsonb
language sql immutable parallel safe
return own || coalesce((
  select jsonb_object_agg(added.key, added.value) from (
    select lacking.key, lacking.value from (
      select distinct on (member.key) member.key, member.value, given.position
      from unnest(others) with ordinality as given (metadata, position)
      cross join jsonb_each(given.metadata) as member
      where not own ? member.key
      order by member.key, given.position) as lacking
    order by lacking.position, lacking.key
    limit 50 - (select count(*) from jsonb_object_keys(own))) as added), '{}');

grant execute on function app.merged_metadata to inventory_api;
