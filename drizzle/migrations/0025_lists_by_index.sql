-- A page of live hosts or services by name read and sorted all of them.
CREATE INDEX "hosts_live_name_index" ON "hosts" USING btree ("organization_id","name","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint
CREATE INDEX "services_live_name_index" ON "services" USING btree ("organization_id","name","live_id","network_id","id") WHERE valid_to is null;
--> statement-breakpoint

-- Texts of one or two characters have no trigram, so a search for them read all that was valid. Now an
-- index of pairs serves what has no three letters or digits in a row: before, between and behind the
-- characters of a text it has a rune, and a rune stands for each sign of ASCII, of which trigrams are not
-- made. `web` has the trigrams ᛪwᛪ, wᛪe, ᛪeᛪ, eᛪb and ᛪbᛪ.
CREATE INDEX "hosts_pairs_index" ON "hosts" USING gist ("organization_id",(regexp_replace(translate("searchable", E' !"#$%&''()*+,-./:\x3b<=>?@[\\]^_\x60{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'), '.', 'ᛪ\&', 'g') || 'ᛪ') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "ip_addresses_pairs_index" ON "ip_addresses" USING gist ("organization_id",(regexp_replace(translate("searchable", E' !"#$%&''()*+,-./:\x3b<=>?@[\\]^_\x60{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'), '.', 'ᛪ\&', 'g') || 'ᛪ') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "services_pairs_index" ON "services" USING gist ("organization_id",(regexp_replace(translate("searchable", E' !"#$%&''()*+,-./:\x3b<=>?@[\\]^_\x60{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'), '.', 'ᛪ\&', 'g') || 'ᛪ') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint
CREATE INDEX "subnets_pairs_index" ON "subnets" USING gist ("organization_id",(regexp_replace(translate("searchable", E' !"#$%&''()*+,-./:\x3b<=>?@[\\]^_\x60{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'), '.', 'ᛪ\&', 'g') || 'ᛪ') gist_trgm_ops(siglen=64),tstzrange("valid_from", "valid_to"));
--> statement-breakpoint

-- As in the migration `search`, but short texts are found by pairs.
do $$
declare
  searched name;
  pairs_of text := $pairs$
    (regexp_replace(translate(%s, E' !"#$%%&''()*+,-./:\x3b<=>?@[\\]^_\x60{|}~', 'ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ'),
      '.', 'ᛪ\&', 'g') || 'ᛪ')$pairs$;
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
        if translate(folded, '.:-/', 'qzxj') ~ '[[:alnum:]]{3}' then
          return query select record.id from public.%1$I as record
          where record.organization_id = organization
            and translate(record.searchable, '.:-/', 'qzxj') like translate(pattern, '.:-/', 'qzxj')
            and record.searchable like pattern
            and tstzrange(record.valid_from, record.valid_to) @> moment;
        else
          return query select record.id from public.%1$I as record
          where record.organization_id = organization
            and %2$s like '%%' || %3$s || '%%'
            and record.searchable like pattern
            and tstzrange(record.valid_from, record.valid_to) @> moment;
        end if;
      end
      $body$
    $function$, searched, format(pairs_of, 'record.searchable'), format(pairs_of, 'folded'));
  end loop;
end
$$;
