-- A record's `discovered` or `evidence` after it has taken over `fields` from another record.
create or replace function app.noted(own jsonb, theirs jsonb, fields text[]) returns jsonb
language sql immutable parallel safe
return nullif(coalesce(own, '{}') - fields || coalesce((
  select jsonb_object_agg(note.key, note.value) from jsonb_each(theirs) as note
  where note.key = any (fields)), '{}'), '{}');

grant execute on function app.noted to inventory_api;
