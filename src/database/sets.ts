import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "./connection.ts";
import type { Versions } from "./history.ts";
import { recordset } from "./recordset.ts";

/** Maximum number of members in a set (API contract, section 3). */
export const setMaximum = 1000;

/**
 * A table that holds the sets of records, with one row for each member. Its names must be
 * constants.
 */
export interface MemberTable {
  table: string;
  /** The column with the record that the set belongs to. */
  owner: string;
  /** The column with the member. */
  member: string;
}

/**
 * A {@link MemberTable} with history. A second table with the same columns contains the former
 * members.
 */
export interface MemberHistory extends MemberTable {
  closed: string;
}

/** Returns a FROM item, called `members`, with the members in the sets of these versions. */
const membersAt = ({ table, owner, member, closed }: MemberHistory, versions: Versions) => {
  if (versions.kind === "live") {
    return sql`${sql.identifier(table)} as members`;
  }
  const columns = sql`organization_id, ${sql.identifier(owner)}, ${sql.identifier(member)}`;
  const { at } = versions;
  return sql`(
        select ${columns} from ${sql.identifier(table)} where valid_from <= ${at}::timestamptz
        union all
        select ${columns} from ${sql.identifier(closed)}
        where valid_from <= ${at}::timestamptz and valid_to > ${at}::timestamptz) as members`;
};

interface SetRecord {
  table: SQL;
  key?: "id" | "live_id";
}

const ofRecord = (owner: string, { table, key = "id" }: SetRecord) => sql`
  members.organization_id = ${table}.organization_id
    and members.${sql.identifier(owner)} = ${table}.${sql.identifier(key)}`;

const sorted = (member: string, from: SQL, where: SQL) =>
  sql<string[]>`to_json(array(
    select ${sql.identifier(member)} from ${from} where ${where} order by ${sql.identifier(member)}))`;

/**
 * Returns SQL for the members of a record's set, sorted, as JSON because the driver parses Postgres
 * arrays slowly.
 */
export const membersOf = ({ table, owner, member }: MemberTable, record: SetRecord) =>
  sorted(member, sql`${sql.identifier(table)} as members`, ofRecord(owner, record));

/** {@link membersOf} for a version's set. */
export const membersOfAt = (set: MemberHistory, record: SetRecord, versions: Versions) =>
  sorted(set.member, membersAt(set, versions), ofRecord(set.owner, record));

/** Returns a select of the members in a version's set. */
export const memberIdsAt = (set: MemberHistory, record: SetRecord, versions: Versions): SQL =>
  sql`select members.${sql.identifier(set.member)} from ${membersAt(set, versions)}
    where ${ofRecord(set.owner, record)}`;

/**
 * Returns a select of the records whose set contains one of these members in one of the given
 * versions.
 */
export const ownersOf = (set: MemberHistory, ids: readonly string[], versions: Versions): SQL =>
  sql`select members.${sql.identifier(set.owner)} from ${membersAt(set, versions)}
    where members.${sql.identifier(set.member)} = any (${sql.param(ids)}::uuid[])`;

/** Adds members to the sets of records. Existing members are kept. */
export const addMembers = (
  database: Database,
  { table, owner, member }: MemberTable,
  pairs: readonly { owner: string; member: string }[],
) =>
  database.execute(sql`
    insert into ${sql.identifier(table)}
      (organization_id, ${sql.identifier(owner)}, ${sql.identifier(member)})
    select (select app.organization_id()), pair.owner, pair.member
    from ${recordset("pair", pairs, { owner: "uuid", member: "uuid" })}
    on conflict do nothing`);

/** {@link addMembers}, or no query if there are no members. */
export const addAnyMembers = (...[database, set, pairs]: Parameters<typeof addMembers>) =>
  pairs.length === 0 ? [] : [addMembers(database, set, pairs)];

/**
 * Returns an expression that replaces the set of a locked record with exactly these members, using
 * `app.replace_members`.
 */
export const replacedMembers = (
  { table, owner, member }: MemberTable,
  id: SQLWrapper | string,
  members: readonly string[],
): SQL => sql`app.replace_members(${table}, ${owner}, ${member}, ${id}, ${sql.param(members)})`;

/** Replaces the set of a locked record with exactly these members. */
export const replaceMembers = (
  database: Database,
  set: MemberTable,
  id: string,
  members: readonly string[],
) => database.execute(sql`select ${replacedMembers(set, id, members)}`);

/**
 * Replaces the sets of locked records with exactly these members. Only the difference is written.
 */
export const replaceMembersOfAll = (
  database: Database,
  set: MemberTable,
  ids: readonly string[],
  pairs: readonly { owner: string; member: string }[],
) => [
  database.execute(sql`
    delete from ${sql.identifier(set.table)} as known
    where known.${sql.identifier(set.owner)} = any (${sql.param(ids)}::uuid[])
      and not exists (
        select from ${recordset("pair", pairs, { owner: "uuid", member: "uuid" })}
        where pair.owner = known.${sql.identifier(set.owner)}
          and pair.member = known.${sql.identifier(set.member)})`),
  ...addAnyMembers(database, set, pairs),
];
