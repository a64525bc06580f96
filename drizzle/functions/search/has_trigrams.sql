-- Whether trigrams tell where a text is. Where runes are no letters, as in a database whose LC_CTYPE is C,
-- pairs tell nearly nothing.
create or replace function app.has_trigrams(folded text) returns boolean
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{3}'
    and (folded !~ '[^[:alnum:] .:/-]' or 'ᛪ' !~ '[[:alnum:]]')
$$;
