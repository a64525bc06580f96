-- The ids of the ip addresses whose searchable text contains `text` at the instant `at`, or now where it is null.
create or replace function app.search_ip_addresses(text text, at timestamptz) returns setof uuid
language plpgsql stable parallel safe security definer rows 100
set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
  reached uuid[] := case when not app.reaches_all_networks() then app.network_ids() end;
  folded text := lower(text collate "und-x-icu");
  pattern text := '%' || regexp_replace(folded, '([\\%_])', '\\\1', 'g') || '%';
  -- What is live ends later than all.
  moment timestamptz := coalesce(at, 'infinity');
begin
  -- Where runes are no letters, as in a database whose LC_CTYPE is C, pairs tell nearly nothing.
  if translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{3}'
    and (folded !~ '[^[:alnum:] .:/-]' or 'ᛪ' !~ '[[:alnum:]]') then
    if reached is null then
      return query select record.id from public.ip_addresses as record
      where record.organization_id = organization
        and translate(record.searchable, '.:-/', 'qzxj') like translate(pattern, '.:-/', 'qzxj')
        and record.searchable like pattern
        and tstzrange(record.valid_from, record.valid_to) @> moment;
    else
      return query execute 'select record.id from public.ip_addresses as record
      where record.organization_id = $1 and record.network_id = any ($2)
        and translate(record.searchable, ''.:-/'', ''qzxj'') like translate($3, ''.:-/'', ''qzxj'')
        and record.searchable like $3
        and tstzrange(record.valid_from, record.valid_to) @> $4'
      using organization, reached, pattern, moment;
    end if;
  elsif reached is null then
    return query select record.id from public.ip_addresses as record
    where record.organization_id = organization
      and app.paired(record.searchable) like '%' || app.paired(folded) || '%'
      and record.searchable like pattern
      and tstzrange(record.valid_from, record.valid_to) @> moment;
  else
    return query execute 'select record.id from public.ip_addresses as record
    where record.organization_id = $1 and record.network_id = any ($2)
      and app.paired(record.searchable) like ''%'' || app.paired($5) || ''%''
      and record.searchable like $3
      and tstzrange(record.valid_from, record.valid_to) @> $4'
    using organization, reached, pattern, moment, folded;
  end if;
end
$$;

grant execute on function app.search_ip_addresses(text, timestamptz) to inventory_api;
