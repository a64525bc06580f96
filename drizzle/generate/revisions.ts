import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type GeneratedFunction, hasColumn, triggerFunction } from "./text.ts";

/** A table whose records' revisions are incremented when their sets change. */
export interface Owner {
  table: PgTable;
  /** The column of the sets that references the record. */
  column: string;
  /** True if members have versions, like the parts of a host. */
  hasVersionedMembers: boolean;
}

/** The triggers that increment an owner's revision when one of its sets changes. */
export function reviseRules(
  member: PgTable,
  owners: readonly PgTable[],
  { isVersioned }: { isVersioned: boolean },
): string {
  const name = getTableName(member);
  const triggers = owners.map((owner) => {
    const ownerName = getTableName(owner);
    const trigger = (happened: string, event: string, tables: string) => `\
create trigger revise_${ownerName}_${happened} after ${event} on ${name}
  referencing ${tables} for each statement
  execute function app.revise_${ownerName}(${isVersioned ? "'versioned'" : ""});
`;
    return [
      trigger("inserted", "insert", "new table as changed"),
      trigger(
        "updated",
        "update",
        isVersioned ? "old table as former new table as changed" : "new table as changed",
      ),
      trigger("deleted", "delete", "old table as changed"),
    ].join("");
  });
  return `-- A change to a set is a change to its record.\n${triggers.join("")}`;
}

const membersOf = (column: string) => `\
    ids := array(
      select distinct changed.${column} from changed where changed.organization_id = organization);`;

const versionedMembersOf = (column: string) => `\
    if tg_nargs = 0 then
      ids := array(
        select distinct changed.${column} from changed where changed.organization_id = organization);
    elsif tg_op in ('INSERT', 'DELETE') then
      -- Closed versions do not change an owner.
      ids := array(
        select distinct changed.${column} from changed
        where changed.organization_id = organization and changed.valid_to is null);
    -- Revisions only rise: an equal sum means that no member has changed.
    elsif (select sum(revision) from changed) <> (select sum(revision) from former) then
      ids := array(
        select unnest(array[changed.${column}, former.${column}])
        from changed join former using (organization_id, id)
        where changed.organization_id = organization and changed.revision <> former.revision);
    else
      return null;
    end if;
    continue when ids = '{}';`;

const isNotYetRevised = (table: PgTable) => {
  const isUnwritten = "record.xmin <> pg_current_xact_id()::xid";
  if (hasColumn(table, "valid_from")) {
    return `(
          ${isUnwritten}
          or record.updated_at < stamped
          or record.updated_at >= clock_timestamp() + interval '1 second')`;
  }
  // The gate writes this column without creating a new revision.
  return hasColumn(table, "last_used_at")
    ? `(
          ${isUnwritten}
          or record.last_used_at = now()::timestamptz(3))`
    : isUnwritten;
};

/**
 * Generates the function that increments the revisions of records whose sets have changed.
 *
 * With the argument `versioned`, only members whose own revision has increased are considered, since an
 * observation is not a change. A member that moved affects both owners. A record is skipped if this
 * transaction has already incremented its revision, but not if it has only written the record without
 * incrementing it. A deleted record does not need a revision.
 *
 * There is one function for each table of owners, since Postgres caches plans per function. The
 * plans must suit both one member and thousands of members: owners are read by their ids, and
 * nested loops are disabled where members have versions.
 */
export function reviseFunction({ table, column, hasVersionedMembers }: Owner): GeneratedFunction {
  const name = getTableName(table);
  const isStamped = hasColumn(table, "valid_from");
  const text = `\
-- Raises the revision of ${name} whose sets have changed. Records are locked in the order of their
-- ids.
${triggerFunction(
  `revise_${name}`,
  `\
declare
  organization uuid;
  ids uuid[];
${
  isStamped
    ? `  stamped timestamptz := nullif(current_setting('app.changed_at', true), '')::timestamptz;
begin
  -- Any login can change this setting. A forged value must not hide a change.
  if stamped is null or stamped < date_trunc('milliseconds', now()) then
    stamped := 'infinity';
  end if;`
    : "begin"
}
  for organization in select distinct changed.organization_id from changed loop
${hasVersionedMembers ? versionedMembersOf(column) : membersOf(column)}
    ids := array(
      select record.id from public.${name} as record
      where record.organization_id = organization and record.id = any (ids)
        and ${isNotYetRevised(table)}
      order by record.id for no key update);
    if ids <> '{}' then
      update public.${name} as record set revision = record.revision
      where record.organization_id = organization and record.id = any (ids);
    end if;
  end loop;
  return null;
end`,
  hasVersionedMembers ? " set enable_nestloop = off" : "",
)}`;
  return { name: `revise_${name}`, text, table: name };
}
