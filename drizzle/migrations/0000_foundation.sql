-- What tables need: extensions for exclusion constraints and for searches, and the schema of our functions.
create extension if not exists btree_gist;
--> statement-breakpoint

create schema app;
--> statement-breakpoint

-- Functions, also those of later extensions, are for nobody but their owner until they are granted.
alter default privileges revoke execute on functions from public;
--> statement-breakpoint

-- A type in pg_temp hides one of the same name that a function's body means, unless pg_temp is searched last.
-- Whoever may make none there has nothing to hide it with either.
do $$
begin
  execute format('revoke temporary on database %I from public', current_database());
end
$$;
--> statement-breakpoint

create extension if not exists pg_trgm;
--> statement-breakpoint

-- Large objects belong to no organization. Where the migrating owner is no superuser, as with Neon, this warns and
-- changes nothing.
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
--> statement-breakpoint

-- Answers callers. Roles belong to the whole cluster, hence the check.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_api') then
    create role inventory_api nologin;
  end if;
end
$$;
--> statement-breakpoint

-- Polls daemons for all tenants.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_poller') then
    create role inventory_poller nologin;
  end if;
end
$$;
--> statement-breakpoint

-- Works on what daemons report: row level security holds for it as for callers. It is no login, and
-- nobody becomes it; the functions of a visit run as it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'inventory_ingest') then
    create role inventory_ingest nologin;
  end if;
end
$$;
--> statement-breakpoint

grant inventory_api, inventory_poller, inventory_ingest to current_user;
--> statement-breakpoint

grant inventory_api to inventory_ingest;
--> statement-breakpoint

-- A role that is there already must do no more than we would have let it.
do $$
declare
  found record;
begin
  for found in
    select rolname, attribute
    from pg_catalog.pg_roles, lateral (values
      ('login', rolcanlogin), ('superuser', rolsuper), ('bypassrls', rolbypassrls),
      ('createrole', rolcreaterole), ('createdb', rolcreatedb), ('replication', rolreplication)
    ) as has (attribute, is_set)
    where rolname in ('inventory_api', 'inventory_poller') and is_set
  loop
    raise exception 'the role % may do more than the service needs (%): take it away with "alter role % no%", then migrate again',
      found.rolname, found.attribute, found.rolname, found.attribute;
  end loop;
  for found in
    select pg_get_userbyid(member) as rolname, pg_get_userbyid(roleid) as granted
    from pg_catalog.pg_auth_members
    where pg_get_userbyid(member) in ('inventory_api', 'inventory_poller')
  loop
    raise exception 'the role % is a member of %: take it away with "revoke % from %", then migrate again',
      found.rolname, found.granted, found.granted, found.rolname;
  end loop;
end
$$;
--> statement-breakpoint

grant usage on schema public, app to inventory_api, inventory_poller;
--> statement-breakpoint

-- The functions that constraints and indexes of tables use stay in migrations: a new text needs them built anew.
--
-- Whether no member comes twice.
create function app.is_set(members text[]) returns boolean
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select count(*) = count(distinct member) from unnest(members) as member
$$;
--> statement-breakpoint

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

-- Who writes a record computes the entries of its indexes, and who reads one must have these rights, too: a
-- connection in which a query was planned without them never takes the indexes.
grant execute on function app.is_set(text[]), app.lettered(text), app.paired(text) to inventory_api;
