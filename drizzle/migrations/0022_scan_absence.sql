-- A new service keeps every field of its virtualization, also those that are null: the rule for what is
-- left out reaches into objects. The rest of app.ingest (migration `ingest`) stays as it is.
do $$
declare
  definition text := pg_get_functiondef('app.ingest(uuid, uuid, text, jsonb, boolean)'::regprocedure);
  mended text := replace(definition,
    $old$then jsonb_strip_nulls(jsonb_build_object('name', sent.name,
          'service_definition', sent.definition, 'virtualization', sent.virtualization))$old$,
    $new$then jsonb_build_object('name', sent.name, 'service_definition', sent.definition)
          || case when sent.virtualization is null then '{}'
            else jsonb_build_object('virtualization', sent.virtualization) end$new$);
begin
  if mended = definition then
    raise exception 'app.ingest is not the one of migration `ingest`';
  end if;
  execute mended;
end
$$;
