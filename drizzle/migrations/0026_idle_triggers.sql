-- A statement that changes nothing still runs the triggers of its table. To find that out took each of
-- them about as long as the statement, and most replacements of a record leave most of its sets as they
-- are. Now they look first.
do $$
declare
  watching text[];
begin
  foreach watching slice 1 in array array[
    ['app.revise_owners', 'changed'],
    ['app.refuse_beyond_reach', 'changed'],
    ['app.refuse_too_many_addresses', 'changed'],
    ['app.drop_emptied_assignments', 'gone']]
  loop
    execute regexp_replace(pg_get_functiondef(watching[1]::regproc), E'\nbegin\n', format(E'\nbegin\n'
      '  if not exists (select from %I) then\n'
      '    return null;\n'
      '  end if;\n', watching[2]));
  end loop;
end
$$;
