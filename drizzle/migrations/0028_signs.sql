-- Trigrams are of letters and digits alone. A search for a sign beyond ASCII, such as an emoji, read all that
-- was valid, and one for a word and a sign read all that have the word.
--
-- A text with an ideograph for each sign beyond ASCII. Two signs may have the same: whoever finds by it
-- compares the text as well. Most texts are ASCII alone, which is seen fastest by their lengths.
create function app.lettered(text text) returns text
language sql immutable strict parallel safe
return (
  select string_agg(
    case when one ~ '[\x01-\x7f[:alnum:]]' then one else chr(19968 + ascii(one) % 20992) end,
    '' order by position)
  from string_to_table(text, null) with ordinality as characters(one, position));
--> statement-breakpoint

-- A text with a letter for each sign, which are runes for those of ASCII, and a rune before, between and
-- behind its characters, so that its trigrams tell single characters and pairs: of `web`, `ᛪwᛪ`, `wᛪe`,
-- `ᛪeᛪ`, `eᛪb` and `ᛪbᛪ`. Were it strict, Postgres would call it for each row instead of taking its
-- expression for it.
create function app.paired(text text) returns text
language sql immutable parallel safe
return regexp_replace(
  translate(
    case
      when octet_length(text) = length(text) then text
      when text ~ '[^\x01-\x7f[:alnum:]]' then app.lettered(text)
      else text
    end,
    E' !"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'),
  '.', 'ᛪ\&', 'g') || 'ᛪ';
--> statement-breakpoint

-- Whoever writes a record computes the entries of its indexes. Whoever reads one must have these rights,
-- too: a connection in which a query was planned without them never takes the indexes.
grant execute on function app.lettered(text), app.paired(text) to inventory_api;
--> statement-breakpoint
-- Under other names first, for reads to go on: to drop an index locks its table for everybody.
CREATE INDEX "hosts_new_pairs_index" ON "hosts" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "ip_addresses_new_pairs_index" ON "ip_addresses" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "services_new_pairs_index" ON "services" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "subnets_new_pairs_index" ON "subnets" USING gist ("organization_id",app.paired("searchable") gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint

-- As in the migration `lists_by_index`, but trigrams serve only texts without signs that they cannot tell.
do $$
declare
  searched name;
begin
  foreach searched in array array['hosts', 'services', 'subnets', 'ip_addresses'] loop
    execute format($function$
      create or replace function app.search_%1$s(text text, at timestamptz) returns setof uuid
      language plpgsql stable parallel safe security definer rows 100
      set search_path = pg_catalog, pg_temp as $body$
      declare
        organization uuid := app.organization_id();
        folded text := lower(text collate "und-x-icu");
        pattern text := '%%' || regexp_replace(folded, '([\\%%_])', '\\\1', 'g') || '%%';
        -- What is live ends later than all.
        moment timestamptz := coalesce(at, 'infinity');
      begin
        -- Where runes are no letters, as in a database whose LC_CTYPE is C, pairs tell nearly nothing.
        if translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{3}'
          and (folded !~ '[^[:alnum:] .:/-]' or 'ᛪ' !~ '[[:alnum:]]') then
          return query select record.id from public.%1$I as record
          where record.organization_id = organization
            and translate(record.searchable, '.:-/', 'qzxj') like translate(pattern, '.:-/', 'qzxj')
            and record.searchable like pattern
            and tstzrange(record.valid_from, record.valid_to) @> moment;
        else
          return query select record.id from public.%1$I as record
          where record.organization_id = organization
            and app.paired(record.searchable) like '%%' || app.paired(folded) || '%%'
            and record.searchable like pattern
            and tstzrange(record.valid_from, record.valid_to) @> moment;
        end if;
      end
      $body$
    $function$, searched);
  end loop;
end
$$;
--> statement-breakpoint

DROP INDEX "hosts_pairs_index";
--> statement-breakpoint
ALTER INDEX "hosts_new_pairs_index" RENAME TO "hosts_pairs_index";
--> statement-breakpoint
DROP INDEX "ip_addresses_pairs_index";
--> statement-breakpoint
ALTER INDEX "ip_addresses_new_pairs_index" RENAME TO "ip_addresses_pairs_index";
--> statement-breakpoint
DROP INDEX "services_pairs_index";
--> statement-breakpoint
ALTER INDEX "services_new_pairs_index" RENAME TO "services_pairs_index";
--> statement-breakpoint
DROP INDEX "subnets_pairs_index";
--> statement-breakpoint
ALTER INDEX "subnets_new_pairs_index" RENAME TO "subnets_pairs_index";
