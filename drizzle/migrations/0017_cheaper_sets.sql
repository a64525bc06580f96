-- The same as before, without a query: every update of an organization asks it.
create or replace function app.is_set(members text[]) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  for place in 2 .. cardinality(members) loop
    if members[place] = any (members[:place - 1]) then
      return false;
    end if;
  end loop;
  return array_position(members, null) is null;
end
$$;
--> statement-breakpoint

-- Its place has app.audit_table, as the triggers that it made are others now.
drop procedure if exists app.audit(regclass, text, text[]);
