-- The changes of the caller's organization after a position, at most `maximum`, in the order (at, entity, entity_id):
-- see section 11 of the API contract. The last row is not a change: it holds `has_more`, and the position from which to
-- continue.
--
-- `after_at` is null for changes from now on, and '-infinity' for all changes that are kept. An `after_entity` of '~',
-- which sorts after all entities, selects all changes after an instant. `of_organization` is the cursor's organization;
-- without a cursor, a position in the future means changes from now on. Records that the key must not see affect only
-- the duration: a page ends at a change that it returns, or at the position up to which everything is settled.
--
-- With `until_at`, the changes end at this instant. The returned position is at this instant, or later, once no further
-- change can be stamped up to it.
create or replace function app.changes(
  of_organization uuid, after_at timestamptz, after_entity text, after_id uuid, maximum integer,
  whole boolean, network uuid, entities text[], host uuid, of_record uuid, kinds_of_change text[],
  until_at timestamptz default null)
returns table (
  at timestamptz, entity text, entity_id uuid, host_id uuid, network_id uuid, label text, change text,
  before json, after json, actor_type text, actor_id uuid, actor_name text, request_id text,
  discovery_id uuid, host_label text, has_more boolean)
language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  -- Maximum number of beginnings and ends of each kind that are read for one network, and of changes that are read if
  -- they are filtered by kind.
  maximum_scanned constant integer := 20000;
  maximum_judged constant integer := 5000;
  -- Approximate maximum size of a page's JSON. A page has at least one change, however large that change is.
  maximum_bytes constant integer := 1048576;
  bytes integer := 0;
  -- Each statement in a volatile function has its own snapshot, so the following statements see everything that is
  -- settled.
  settled constant app.change_key :=
    (coalesce(app.settled_at(), '0001-01-01T00:00:00Z'), '~', '00000000-0000-0000-0000-000000000000');
  -- The position at which the changes end for now.
  finish app.change_key := settled;
  place app.change_key := (after_at, after_entity, after_id);
  oldest timestamptz;
  is_more boolean := false;
  between_them record;
  -- With a filter by kind of change, changes are read in batches, since matching ones may be far apart.
  left_to_judge integer := case when kinds_of_change is null then maximum else maximum_judged end;
  portion integer := maximum;
  shown integer := 0;
  last_shown app.change_key;
begin
  if of_organization <> app.organization_id() then
    perform app.abort('validation_failed', jsonb_build_object('issue_count', 1, 'issues',
      jsonb_build_array(jsonb_build_object('path', 'query.cursor', 'code', 'custom', 'message',
        'is a cursor of another organization: omit it to start again'))));
  end if;
  if until_at is not null
    and (settled.at >= until_at or (select known.settled from app.settled_until(until_at) as known) >= until_at)
  then
    finish.at := until_at;
  end if;
  if after_at = '-infinity' then
    oldest := app.history_from(app.organization_id());
    place := (coalesce(oldest, after_at), '~', after_id);
  end if;
  if after_at is null or (of_organization is null and after_at > settled.at) then
    place := settled;
    place.at := greatest(settled.at, finish.at);
  elsif (place.at, place.entity collate "C") < (finish.at, finish.entity) then
    <<portions>>
    loop
      select * into between_them from app.changed_between(
        place, finish.at, portion, maximum_scanned, network, entities, host, of_record) as changed;
      left_to_judge := left_to_judge - portion;
      place := case when cardinality(between_them.keys) > portion then between_them.keys[portion]
        else coalesce(between_them.edge, finish) end;
      is_more := place is distinct from finish;
      for at, entity, entity_id, host_id, network_id, label, change, before, after, actor_type, actor_id,
        actor_name, request_id, discovery_id, host_label in
        select * from app.changes_of(between_them.keys[1:portion], whole)
      loop
        continue when change <> all (kinds_of_change);
        bytes := bytes + coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0);
        if shown = maximum or (shown > 0 and bytes > maximum_bytes) then
          place := last_shown;
          is_more := true;
          exit portions;
        end if;
        shown := shown + 1;
        last_shown := (at, entity, entity_id);
        return next;
      end loop;
      exit when shown = maximum or left_to_judge = 0 or cardinality(between_them.keys) <= portion;
      portion := least(2 * portion, left_to_judge);
    end loop;
    if after_at = '-infinity' then
      perform app.refuse_moved_history(oldest);
    else
      perform app.require_history(after_at, case when of_organization is not null then after_entity end);
    end if;
  end if;
  at := place.at;
  entity := place.entity;
  entity_id := place.entity_id;
  change := null;
  before := null;
  after := null;
  has_more := is_more;
  return next;
end
$$;

grant execute on function app.changes to inventory_api;
