-- The labels of records of one kind, at the second of two instants if they existed then, otherwise at the first.
create or replace function app.labels_of(kind_of_records text, ids uuid[], from_at timestamptz, to_at timestamptz)
returns table (id uuid, label text)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  kind record;
begin
  for kind in select * from app.change_kinds() as known where known.entity = kind_of_records loop
    return query execute format('
      select wanted.id, coalesce(later.label, former.label)
      from unnest($3) as wanted (id)
      left join lateral (%s) as former on true
      left join lateral (%s) as later on true',
      app.version_at(kind.relation, 'null', kind.label, 'null', 'wanted.id', '$1'),
      app.version_at(kind.relation, 'null', kind.label, 'null', 'wanted.id', '$2'))
    using from_at, to_at, ids;
  end loop;
end
$$;

grant execute on function app.labels_of to inventory_api;
