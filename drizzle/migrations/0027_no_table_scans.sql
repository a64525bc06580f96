-- A table holds the rows of all tenants, and an index leads to those of one. Postgres read whole tables
-- where one tenant has most of the rows: others' too, and all versions of each.
do $$
declare
  gate text := pg_get_functiondef('app.enter(bytea, public.role, integer, boolean)'::regprocedure);
  parallel text := E'  perform set_config(''max_parallel_workers_per_gather'', ''0'', true);\n';
begin
  if position(parallel in gate) = 0 then
    raise exception 'The gate turns no parallel workers off.';
  end if;
  execute replace(gate, parallel, parallel
    || E'  -- Where nothing else is possible, a table is read from end to end all the same. Up to version 17\n'
    || E'  -- Postgres then counts that as so dear that it compiles the statement, which takes longer than to run it.\n'
    || E'  perform set_config(''enable_seqscan'', ''off'', true), set_config(''jit'', ''off'', true);\n');
end
$$;
