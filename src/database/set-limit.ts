import { sql } from "drizzle-orm";
import type { Guard, Reference } from "./guards.ts";
import { recordset } from "./recordset.ts";
import { type MemberTable, setMaximum } from "./sets.ts";

/**
 * The message of the issue for a record to which more members were added than its set can contain.
 * @param nouns the names of the record and of its members, such as `credential` and `networks`
 */
export const tooManyMembers = (nouns: { record: string; members: string }, id: string): string =>
  `adds to the ${nouns.record} ${id}, which already has ${setMaximum} ${nouns.members}: remove one of them first`;

/**
 * Fails if a record to which members were added has more than 1,000 members (API contract, section
 * 3). It must run after the write, which has locked the records, so that two callers cannot each
 * add the last member.
 * @param added the records that may have gained members, and the request fields that added the
 *   members
 * @param nouns see {@link tooManyMembers}
 */
export const overfull = (
  { table, owner }: Pick<MemberTable, "table" | "owner">,
  added: readonly Reference[],
  nouns: { record: string; members: string },
): Guard[] => {
  const grown = [...new Map(added.map(({ id, field }) => [id, { id, path: field }])).values()];
  return grown.length === 0
    ? []
    : [
        sql`
  select 'validation_failed', jsonb_build_object('issue_count', 1, 'issues', jsonb_build_array(
    jsonb_build_object('path', grown.path, 'code', 'too_big',
      'message', format(${tooManyMembers(nouns, "%s")}, grown.id))))
  from ${recordset("grown", grown, { id: "uuid", path: "text" })}
  where (
    select count(*) from ${sql.identifier(table)} as member
    where member.${sql.identifier(owner)} = grown.id) > ${setMaximum}
  limit 1`,
      ];
};
