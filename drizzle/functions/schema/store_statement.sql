-- Creates the function that runs a stored statement (src/database/stored-statement.ts). Postgres determines the types
-- of the columns. A generic plan suits every id, since the statement looks up a single record. The function has the
-- rights of its caller, so row level security applies to the statement. It replaces a function whose columns had other
-- types, which `create or replace` cannot do.
create or replace procedure app.store_statement(function_name name, statement text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  path constant text := 'pg_catalog, public, pg_temp';
  columns text;
begin
  perform set_config('search_path', path, true);
  execute 'create temporary table stored_statement as ' || statement || ' with no data' using null::uuid;
  select string_agg(format('%I %s', attname, format_type(atttypid, null)), ', ' order by attnum) into columns
  from pg_attribute where attrelid = 'pg_temp.stored_statement'::regclass and attnum > 0;
  drop table pg_temp.stored_statement;
  execute format('drop function if exists app.%I(uuid)', function_name);
  execute format(
    'create function app.%I(uuid) returns table (%s) language plpgsql stable rows 1
       set search_path = %s set plan_cache_mode = force_generic_plan as %L',
    function_name, columns, path,
    format(E'#variable_conflict use_column\nbegin\n  return query\n%s;\nend\n', statement));
end
$$;
