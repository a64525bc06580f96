-- Gives a table a constraint that Drizzle cannot express, or that must differ from Drizzle's own. A constraint that
-- already has this definition is left in place, since adding one reads the whole table. `definition` must be written as
-- pg_get_constraintdef prints it; line breaks do not matter.
create or replace procedure app.constrain(constrained regclass, constraint_name name, definition text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  wanted text := btrim(regexp_replace(regexp_replace(definition, '\(\s+', '(', 'g'), '\s+', ' ', 'g'));
  found text;
begin
  select pg_get_constraintdef(oid) into found from pg_constraint
  where conrelid = constrained and conname = constraint_name;
  if found = wanted then
    return;
  end if;
  if found is not null then
    execute format('alter table %s drop constraint %I', constrained, constraint_name);
  end if;
  execute format('alter table %s add constraint %I %s', constrained, constraint_name, wanted);
end
$$;
