import { type SQL, sql } from "drizzle-orm";
import type { Database } from "./connection.ts";

/** The most members of a set (API contract, section 3). */
export const setMaximum = 1000;

/** A set that belongs to records: a table with a row for each member. Its names are constants of ours. */
export interface MemberTable {
  table: string;
  /** The column of the record that the set belongs to. */
  owner: string;
  /** The column of the member. */
  member: string;
}

/** The members of a record's set, sorted, as JSON: the driver parses arrays of Postgres slowly. */
export const membersOf = (
  { table, owner, member }: MemberTable,
  record: { table: SQL; key?: "live_id" },
) =>
  sql<string[]>`to_json(array(
    select ${sql.identifier(member)} from ${sql.identifier(table)} as members
    where members.organization_id = ${record.table}.organization_id
      and members.${sql.identifier(owner)} = ${record.table}.${sql.identifier(record.key ?? "id")}
    order by ${sql.identifier(member)}))`;

/** How many bytes of JSON a record's set is: 36 characters, quotes and a comma for each member. */
export const bytesOfMembers = (
  { table, owner }: Pick<MemberTable, "table" | "owner">,
  record: { table: SQL; key?: "live_id" },
) =>
  sql`39 * (select count(*) from ${sql.identifier(table)} as members
    where members.organization_id = ${record.table}.organization_id
      and members.${sql.identifier(owner)} = ${record.table}.${sql.identifier(record.key ?? "id")})`;

/** Adds members to the sets of records. Who is a member already stays one. */
export const addMembers = (
  database: Database,
  { table, owner, member }: MemberTable,
  pairs: readonly { owner: string; member: string }[],
) =>
  database.execute(sql`
    insert into ${sql.identifier(table)}
      (organization_id, ${sql.identifier(owner)}, ${sql.identifier(member)})
    select (select app.organization_id()), pair.owner, pair.member
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as pair (owner uuid, member uuid)
    on conflict do nothing`);

/** Makes the set of a locked record exactly these members; writes only the difference. */
export const replaceMembers = (
  database: Database,
  set: MemberTable,
  id: string,
  members: readonly string[],
) => [
  database.execute(sql`
    delete from ${sql.identifier(set.table)}
    where ${sql.identifier(set.owner)} = ${id}
      and ${sql.identifier(set.member)} <> all (${sql.param(members)}::uuid[])`),
  addMembers(
    database,
    set,
    members.map((member) => ({ owner: id, member })),
  ),
];

/** Makes the sets of locked records exactly these members; writes only the difference. */
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
        select from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
          as pair (owner uuid, member uuid)
        where pair.owner = known.${sql.identifier(set.owner)}
          and pair.member = known.${sql.identifier(set.member)})`),
  addMembers(database, set, pairs),
];
