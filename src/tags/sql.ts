import { type SQL, sql } from "drizzle-orm";
import { pickColumns } from "../database/columns-of.ts";
import { externalIdViolations } from "../database/external-ids.ts";
import { conflict } from "../database/failure.ts";
import { folded } from "../database/folded.ts";
import { type Guard, invalidWhere, type PathOf } from "../database/guards.ts";
import { lock, lockRecords } from "../database/locks.ts";
import { recordset } from "../database/recordset.ts";
import { tags } from "../database/tables/index.ts";
import type { TagInput } from "./input.ts";

/** The errors for a name or an external id that is taken between the guard and the write. */
export const violations = { tags_name_unique: conflict, ...externalIdViolations("tags") };

/** Locks tags, then the records that have them. The lock on a tag prevents new assignments. */
export const deletionLocks = (ids: readonly string[]) => {
  const owners = (table: string, owner: string) => sql`
    select ${sql.identifier(owner)} from ${sql.identifier(table)}
    where tag_id = any (${sql.param(ids)}::uuid[])`;
  return [
    lock({ table: tags }, ids),
    lockRecords({
      credentials: owners("credential_tags", "credential_id"),
      daemons: owners("daemon_tags", "daemon_id"),
      networks: owners("network_tags", "network_id"),
    }),
  ];
};

/** Tags with their ids, in the order of the request body. */
type Named = readonly { id: string; name: string }[];
const sentNames = (sent: Named, pathOf: PathOf) => {
  const rows = sent.map(({ id, name }, position) => ({
    id,
    name,
    position,
    field: `${pathOf(position)}name`,
  }));
  return recordset("sent", rows, {
    ...pickColumns(tags, "id", "name"),
    position: "int",
    field: "text",
  });
};

/**
 * Fails if a stored tag already has one of these names. A stored tag with the same id as a sent tag
 * is ignored, since it is replaced.
 */
export const nameTaken = (sent: Named, pathOf: PathOf): Guard => sql`
  select 'entity_already_exists',
    jsonb_build_object('entity', 'Tag', 'field', sent.field, 'id', stored.id)
  from ${sentNames(sent, pathOf)}
  cross join lateral app.tag_named(sent.name) as stored (id)
  where stored.id <> all (${sql.param(sent.map(({ id }) => id))}::uuid[])
  order by sent.position limit 1`;

/**
 * Fails if two or more tags in a request have the same name. This is checked in Postgres, since the
 * unique index uses Postgres' case folding.
 */
export const namesRepeated = (sent: Named, pathOf: PathOf): Guard[] =>
  sent.length < 2
    ? []
    : [
        invalidWhere(
          sql`
    select named.field as path, named.position
    from (
      select sent.field, sent.position,
        row_number() over (partition by ${folded(sql`sent.name`)} order by sent.position) as nth
      from ${sentNames(sent, pathOf)}) as named
    where named.nth > 1`,
          "is the name of another tag of this request: give each tag its own name",
        ),
      ];

export const insertTags = (sent: readonly (TagInput & { id: string })[], passed: SQL): SQL => sql`
    insert into ${tags} (organization_id, id, name, description, color, external_id, metadata)
    select (select app.organization_id()), sent.id, sent.name, sent.description, sent.color,
      sent.external_id, sent.metadata
    from ${recordset("sent", sent, pickColumns(tags, "id", "name", "description", "color", "external_id", "metadata"))}
    where ${passed}`;
