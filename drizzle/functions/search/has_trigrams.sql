-- True if the trigram index narrows the search for a string: the string has three letters or digits in a row, and no
-- characters that trigrams leave out. Such characters are accepted if the database does not treat runes as letters (as
-- with LC_CTYPE C), since the index of pairs hardly narrows anything there.
create or replace function app.has_trigrams(folded text) returns boolean
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{3}'
    and (folded !~ '[^[:alnum:] .:/-]' or 'ᛪ' !~ '[[:alnum:]]')
$$;
