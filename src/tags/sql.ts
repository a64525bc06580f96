import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { conflict } from "../database/failure.ts";
import type { Guard } from "../database/guards.ts";
import { lock, lockRecords } from "../database/locks.ts";
import { tags } from "../database/tables/index.ts";
import type { TagInput } from "./input.ts";

/** A name that was taken between the guard and the write. */
export const violations = { tags_name_unique: conflict };

/** Locks tags, and then the records that carry them: from here on no other can. */
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

const json = (value: unknown) => sql`${JSON.stringify(value)}::jsonb`;

/** Names are compared without regard to case, as the unique index does. */
const folded = (text: string) => sql`lower(${sql.raw(text)} collate "und-x-icu")`;

/**
 * A tag has this name already: a stored one, or an earlier one of the same request.
 * @param sent the tags with their ids; a stored tag with one of these ids does not count
 * @param pathOf where the fields of each tag stand in the body
 */
export const nameTaken = (
  sent: readonly { id: string; name: string }[],
  pathOf: (position: number) => string,
): Guard => {
  const rows = sent.map(({ id, name }, position) => ({
    id,
    name,
    position,
    field: `${pathOf(position)}name`,
  }));
  return sql`
    select 'entity_already_exists',
      jsonb_build_object('entity', 'Tag', 'field', sent.field, 'id', taken.id)
    from jsonb_to_recordset(${json(rows)}) as sent (id uuid, name text, position int, field text)
    cross join lateral (
      select tags.id from tags
      where ${folded("tags.name")} = ${folded("sent.name")}
        and tags.id not in (
          select own.id from jsonb_to_recordset(${json(rows)}) as own (id uuid))
      union all
      select other.id from jsonb_to_recordset(${json(rows)})
        as other (id uuid, name text, position int)
      where other.position < sent.position and ${folded("other.name")} = ${folded("sent.name")}
    ) as taken
    order by sent.position limit 1`;
};

/** Creates tags. */
export const insertTags = (database: Database, sent: readonly (TagInput & { id: string })[]) =>
  database.execute(sql`
    insert into tags (organization_id, id, name, description, color)
    select (select app.organization_id()), id, name, description, color
    from jsonb_to_recordset(${json(sent)})
      as sent (id uuid, name text, description text, color text)`);

/** Replaces everything of a locked tag but its id and its creation. */
export const replaceTag = (
  database: Database,
  id: string,
  { name, description, color }: TagInput,
) => database.update(tags).set({ name, description, color }).where(eq(tags.id, id));
