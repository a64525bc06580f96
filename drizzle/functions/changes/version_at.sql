-- A subquery, for queries built from app.change_kinds, that selects the version of a record that is valid at an
-- instant. The arguments are the columns of the kind, except for three expressions: `record` for the returned value of
-- a version, which may contain `named.label`, `id` for the record, and `instant`.
create or replace function app.version_at(
  relation text, host_id text, label text, record text, id text, instant text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select format('
    select version.id, version.network_id, %2$s as host_id, named.label, %4$s as record, version.valid_from
    from public.%1$I as version
    cross join lateral (select %3$s as label offset 0) as named
    where version.live_id = %5$s and version.valid_from <= %6$s
      and case when version.valid_to is null then ''infinity''::timestamptz else version.valid_to end > %6$s
    limit 1', relation, format(host_id, instant), format(label, instant), record, id, instant)
$$;

grant execute on function app.version_at to inventory_api;
