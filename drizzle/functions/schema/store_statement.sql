-- Creates the function that runs a stored statement (src/database/stored-statement.ts). Postgres determines the types
-- of the arguments and of the columns. It keeps a generic plan, which therefore has to suit all arguments. The function
-- has the rights of its caller, so row-level security applies to the statement. It replaces a function whose columns had
-- other types, which `create or replace` cannot do.
create or replace procedure app.store_statement(function_name name, statement text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  path constant text := 'pg_catalog, public, pg_temp';
  arguments regtype[];
  columns text;
begin
  perform set_config('search_path', path, true);
  -- A rollback does not remove a prepared statement.
  if exists (select from pg_prepared_statements where name = 'stored_statement') then
    deallocate stored_statement;
  end if;
  execute 'prepare stored_statement as ' || statement;
  select parameter_types into arguments from pg_prepared_statements where name = 'stored_statement';
  execute format('create temporary table stored_statement as execute stored_statement(%s) with no data',
    array_to_string(array_fill('null'::text, array[cardinality(arguments)]), ', '));
  deallocate stored_statement;
  select string_agg(format('%I %s', attname, format_type(atttypid, null)), ', ' order by attnum) into columns
  from pg_attribute where attrelid = 'pg_temp.stored_statement'::regclass and attnum > 0;
  drop table pg_temp.stored_statement;
  execute format('drop function if exists app.%I', function_name);
  execute format(
    'create function app.%I(%s) returns table (%s) language plpgsql stable
       set search_path = %s set plan_cache_mode = force_generic_plan as %L',
    function_name, array_to_string(arguments, ', '), columns, path,
    format(E'#variable_conflict use_column\nbegin\n  return query\n%s;\nend\n', statement));
end
$$;
