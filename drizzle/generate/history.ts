import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Kind } from "../../src/database/tables/kinds.ts";
import {
  changedColumns,
  versionColumns,
  writtenColumns,
} from "../../src/database/tables/version-columns.ts";
import { type GeneratedFunction, lines, literal, triggerFunction } from "./text.ts";

export const comparison = (columns: readonly string[], operator: string, indent: string) => `\
${indent}(
${lines(
  columns.map((name) => `new.${name}`),
  `${indent}  `,
)}
${indent}) ${operator} (
${lines(
  columns.map((name) => `old.${name}`),
  `${indent}  `,
)}
${indent})`;

/**
 * Returns the triggers that version records of this kind, and limit how many of them a host can
 * have.
 */
export function historyRules(kind: Kind): string {
  const name = getTableName(kind.table);
  const parent = kind.parent ?? "";
  return `\
-- The record comes first: it narrows the search more than the organization. Every key is an
-- expression, as in all GiST indexes: see drizzle/README.md, "GiST indexes".
call app.constrain('${name}', '${name}_one_version_at_a_time', '
  EXCLUDE USING gist (
    COALESCE(lineage_id, id) WITH =, COALESCE(organization_id, id) WITH =,
    tstzrange(valid_from, valid_to) WITH &&)');

-- History. Triggers fire in the order of their names.
create trigger history_1_refuse before insert on ${name}
  for each row when (row_security_active('${name}'::regclass))
  execute function app.refuse_written_history();
create trigger history_2_begin before insert on ${name}
  for each row when (new.valid_to is null or new.last_seen_at is null)
  execute function app.begin_record('${parent}');
create trigger history_2_change before update on ${name}
  for each row when (
    old.valid_to is not null
    -- Most updates only move last_seen_at. An update that does not change any column reports a
    -- change to a set: see app.revise_hosts.
    or (new.last_seen_at is not distinct from old.last_seen_at and
${comparison(writtenColumns(kind.table), "is not distinct from", "      ")})
    or
${comparison(changedColumns(kind), "is distinct from", "    ")})
  execute function app.change_record('${parent}');
create trigger history_2_end before delete on ${name}
  for each row execute function app.change_record('${parent}');
create trigger history_3_version before update on ${name}
  for each row when (
${comparison(versionColumns(kind), "is distinct from", "    ")})
  execute function app.begin_version();
create trigger history_4_keep_deleted after delete on ${name}
  referencing old table as deleted for each statement execute function app.keep_deleted_of_${name}();
create trigger history_4_keep_changed after update on ${name}
  for each row when (new.valid_from is distinct from old.valid_from)
  execute function app.keep_version_of_${name}();

${countRules(kind.table)}
create trigger count_changed after update on ${name}
  for each row when (
    new.valid_from is distinct from old.valid_from
    and ${isCounted})
  execute function app.count_version();
${boundsOf(kind).length > 0 ? `\n-- Limits.\n${boundsOf(kind).map(boundRules).join("")}` : ""}`;
}

const isCounted = `current_user in ('inventory_api', 'inventory_ingest')
    and (uuid_hash(gen_random_uuid()) % 100 = 0
      or current_setting('app.versions_are_spent', true) = 'true')`;

const countRules = (table: PgTable) => `\
-- The version budget.
create trigger count_begun after insert on ${getTableName(table)}
  for each row when (
    ${isCounted})
  execute function app.count_version();`;

interface Bound {
  table: PgTable;
  plural: string;
  /** The kind of the owner whose records are limited. */
  owner: "host" | "interface";
  /** The function that returns the maximum. */
  maximum: string;
  /** The name of the trigger function. */
  name: string;
}

/** The limits on the records of a kind, per host and, if the kind declares one, per other owner. */
function boundsOf({ table, parent, plural, maximumOfOwner }: Kind): Bound[] {
  if (parent !== "host_id") {
    return [];
  }
  const name = getTableName(table);
  const own = { table, plural: plural ?? name };
  return [
    { ...own, owner: "host", maximum: "maximum_of_host", name: `bound_${name}` },
    ...(maximumOfOwner
      ? [{ ...own, ...maximumOfOwner, name: `bound_${name}_of_${maximumOfOwner.owner}` }]
      : []),
  ];
}

const boundRules = ({ table, owner, name }: Bound) => `\
create trigger bound_${owner}_inserted after insert on ${getTableName(table)}
  referencing new table as changed for each statement
  when (current_user in ('inventory_api', 'inventory_ingest'))
  execute function app.${name}();
create trigger bound_${owner}_updated after update on ${getTableName(table)}
  referencing old table as former new table as changed for each statement
  when (current_user in ('inventory_api', 'inventory_ingest'))
  execute function app.${name}();
`;

/** Returns the functions that limit how many records of this kind an owner can have. */
export const boundFunctions = (kind: Kind): GeneratedFunction[] =>
  boundsOf(kind).map(boundFunction);

function boundFunction({ table, plural, owner, maximum, name }: Bound): GeneratedFunction {
  const text = `\
-- Rejects a statement that adds ${plural} to ${owner === "host" ? "a host" : `an ${owner}`}, or moves them to it, beyond the maximum. Every
-- writer of these records has locked their host (app.change_host), and this function reads what has
-- been committed by then: the second of two writers sees everything that the first one wrote. The
-- owner's commands are not limited. Neither are closed versions, which the owner writes as well.
${triggerFunction(
  name,
  `\
declare
  -- Callers, for whom the triggers fire, write the records of one organization.
  organization uuid := (select changed.organization_id from changed limit 1);
  grown uuid[];
begin
  if tg_op = 'INSERT' then
    grown := array(select distinct changed.${owner}_id from changed where changed.valid_to is null);
  else
    grown := array(
      select distinct changed.${owner}_id from changed join former using (organization_id, id)
      where changed.${owner}_id <> former.${owner}_id);
  end if;
  if grown = '{}' then
    return null;
  end if;
  -- Postgres must not know the organization: if the statistics do not include it, Postgres expects
  -- that it has no records, and reads all of them for each ${owner}.
  if exists (
    select from unnest(grown) as ${owner} (id), (select organization as id offset 0) as tenant
    where exists (
      select from public.${getTableName(table)} as record
      where record.organization_id = tenant.id and record.live_${owner}_id = ${owner}.id
      offset app.${maximum}()))
  then
    perform app.refuse_too_many(${literal(`${plural} of one ${owner}`)}, app.${maximum}());
  end if;
  return null;
end`,
)}`;
  return { name, text, table: getTableName(table) };
}

/** Returns the triggers that keep the ended memberships of a set. */
export function memberHistoryRules(table: PgTable): string {
  const name = getTableName(table);
  return `\
${countRules(table)}

-- The times at which a tag was added to a record, and removed. Only the owner, who seeds, sets them
-- explicitly. Because of their names, set_keep_* triggers fire after revise_* triggers, which read
-- the records' timestamps.
create trigger begin_changed_tag before update on ${name}
  for each row execute function app.begin_${name}();
create trigger begin_tag before insert on ${name}
  for each row when (new.valid_from is null or row_security_active('${name}'::regclass))
  execute function app.begin_${name}();
create trigger set_keep_updated after update on ${name}
  referencing old table as changed for each statement execute function app.keep_${name}();
create trigger set_keep_deleted after delete on ${name}
  referencing old table as changed for each statement execute function app.keep_${name}();
`;
}

/**
 * Returns the functions that keep the ended memberships of a set of tags.
 * @param owner the column of the record that the set belongs to
 * @param ownerTable the table of that record
 */
export function memberHistoryFunctions(
  table: PgTable,
  owner: string,
  ownerTable: PgTable,
): GeneratedFunction[] {
  const name = getTableName(table);
  const begin = `\
-- Sets a record tag's \`valid_from\` to the timestamp of the change that adds it.
${triggerFunction(
  `begin_${name}`,
  `\
declare
  earliest timestamptz;
begin
  if nullif(current_setting('app.changed_at', true), '') is null then
    -- The change to the record follows, and its timestamp must be later than that of the record's
    -- previous change.
    select record.updated_at + interval '1 millisecond' into earliest
    from public.${getTableName(ownerTable)} as record
    where record.organization_id = new.organization_id and record.current_id = new.${owner}
    for no key update;
  end if;
  new.valid_from := app.changed_at(new.organization_id, earliest);
  return new;
end`,
)}`;
  const keep = `\
-- Keeps tags that were removed from a record as closed rows.
${triggerFunction(
  `keep_${name}`,
  `\
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- When an organization is deleted, so is all its history. A zero-length tag was never visible.
  insert into public.closed_${name} (organization_id, ${owner}, tag_id, valid_from, valid_to)
  select changed.organization_id, changed.${owner}, changed.tag_id, changed.valid_from, ended.at
  from changed
  join (
    select known.id, app.changed_at(known.id) as at from public.organizations as known
    where known.id in (select organization_id from changed) and app.is_kept(known.id)) as ended
    on ended.id = changed.organization_id
  where changed.valid_from < ended.at;
  return null;
end`,
)}`;
  return [
    { name: `begin_${name}`, text: begin, table: name },
    { name: `keep_${name}`, text: keep, table: name },
  ];
}

/**
 * Returns the functions that keep the previous versions of changed and deleted records of this
 * kind.
 */
export function historyFunctions({ table }: Kind): GeneratedFunction[] {
  const name = getTableName(table);
  const columns = writtenColumns(table).filter((column) => column !== "id");
  const valuesOf = (row: string, closedAt: string) =>
    columns.map((column) =>
      column === "valid_to" ? closedAt : `${row}.${column === "lineage_id" ? "id" : column}`,
    );
  const keepVersion = `\
-- Keeps the previous version of changed ${name} as a closed row, once the changed row has left its
-- interval.
${triggerFunction(
  `keep_version_of_${name}`,
  `\
declare
  closed_at timestamptz;
begin
  closed_at := new.valid_from;
  -- A zero-length version was never visible.
  if closed_at > old.valid_from then
    insert into public.${name} (
${lines(columns, "      ")})
    values (
${lines(valuesOf("old", "closed_at"), "      ")});
  end if;
  return null;
end`,
)}`;
  const keepDeleted = `\
-- Keeps the last version of deleted ${name} as a closed row.
${triggerFunction(
  `keep_deleted_of_${name}`,
  `\
begin
  -- An insert without rows would fire statement triggers. Closed versions are not kept twice.
  if not exists (select from deleted where valid_to is null) then
    return null;
  end if;
  -- A single statement, so that statement triggers fire once.
  insert into public.${name} (
${lines(columns, "    ")})
  select
${lines(valuesOf("gone", "change.closed_at"), "    ")}
  from deleted as gone
    cross join lateral (select app.changed_at(gone.organization_id)) as change (closed_at)
  -- When an organization is deleted, so is all its history. A zero-length version was never
  -- visible.
  where app.is_kept(gone.organization_id)
    and change.closed_at > gone.valid_from;
  return null;
end`,
)}`;
  return [
    { name: `keep_version_of_${name}`, text: keepVersion, table: name },
    { name: `keep_deleted_of_${name}`, text: keepDeleted, table: name },
  ];
}
