import { asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { statements } from "../database/statement.ts";
import { credentials } from "../database/tables/index.ts";
import { chunkColumns, fitChunk } from "./chunk.ts";
import { typesOfFilter } from "./types.ts";
import { credentialColumns, ownColumns } from "./wire.ts";

/** Fields that the list can be grouped and ordered by (API contract, section 3). */
export const orderFields = ["created_at", "updated_at", "name", "type"] as const;
export const orderDirections = ["asc", "desc"] as const;

/** Which credentials, in which order. */
export interface CredentialSelection {
  type?: string | undefined;
  group_by?: (typeof orderFields)[number] | undefined;
  order_by: (typeof orderFields)[number];
  order_direction: (typeof orderDirections)[number];
}

interface Shape extends CredentialSelection {
  isChunk: boolean;
}

const shapeKey = ({ type, group_by, order_by, order_direction, isChunk }: Shape) =>
  [type !== undefined, group_by, order_by, order_direction, isChunk].join();

const matching = ({ type }: CredentialSelection): SQL | undefined =>
  type === undefined
    ? undefined
    : sql`${credentials.type} = any(${sql.placeholder("types")}::text[])`;

const ordering = ({ group_by, order_by, order_direction }: CredentialSelection): SQL =>
  sql.join(
    [
      ...(group_by ? [asc(credentials[group_by])] : []),
      (order_direction === "desc" ? desc : asc)(credentials[order_by]),
      asc(credentials.id),
    ],
    sql`, `,
  );

/** A page has the columns of a chunk without their cost. */
const everyOneFits = {
  bytes_so_far: sql<number>`0`.as("bytes_so_far"),
  rank: sql<number>`1`.as("rank"),
};

const page = statements(shapeKey, (database, shape: Shape) => {
  const order = ordering(shape);
  const allIds = sql<string | null>`encode(
    string_agg(uuid_send(${credentials.id}), '' order by ${order}), 'base64')`;
  const total = database
    .select({
      total_count: sql<number>`count(*)::int`.as("total_count"),
      ids: (shape.isChunk ? allIds : sql<null>`null`).as("all_ids"),
    })
    .from(credentials)
    .where(matching(shape))
    .as("total");
  // The ids first, so that neither children nor settings are read for what the offset skips.
  const ids = database
    .select({
      id: credentials.id,
      position: sql<number>`row_number() over (order by ${order})`.as("position"),
    })
    .from(credentials)
    .where(matching(shape))
    .orderBy(order)
    .limit(sql.placeholder("limit"))
    .offset(sql.placeholder("offset"))
    .as("ids");
  // Repeating the limit changes nothing and is a fence: without it the planner may gather the
  // children of every credential of the organization before it joins the few that are wanted.
  const joined = database
    .select({
      ...ownColumns,
      position: ids.position,
      ...(shape.isChunk ? chunkColumns(ids.position) : everyOneFits),
    })
    .from(ids)
    .innerJoin(credentials, eq(credentials.id, ids.id))
    .limit(sql.placeholder("limit"))
    .as("joined");
  const own = database
    .select()
    .from(joined)
    .where(shape.isChunk ? fitChunk(joined) : undefined)
    .as("own");
  const { position: _, bytes_so_far: __, rank: ___, ...ownOfPage } = own._.selectedFields;
  const credential = database
    .select({ ...credentialColumns(ownOfPage), position: own.position })
    .from(own)
    .as("credential");
  const { position, ...columns } = credential._.selectedFields;
  // Only once, for they are far longer than any row.
  const idsOnce = sql<
    string | null
  >`case when ${position} > ${sql.placeholder("offset")}::bigint + 1
    then null else ${total.ids} end`;
  return database
    .select({ total_count: total.total_count, ids: idsOnce, credential: columns })
    .from(total)
    .leftJoin(credential, sql`true`)
    .orderBy(position);
});

/**
 * A page of credentials and their number, in one statement and so of one instant. One row per
 * credential; a single row without one where the page is empty.
 * @param range.isChunk also the ids of all that match, in order, 16 bytes each, in base64; they are
 *   in the first row. The page ends early where it would be too large for a chunk
 */
export const credentialPage = (
  selection: CredentialSelection,
  { limit, offset, isChunk = false }: { limit: number; offset: number; isChunk?: boolean },
) =>
  page(
    { ...selection, isChunk },
    { types: selection.type && typesOfFilter(selection.type), limit, offset },
  );

const listed = statements(
  () => "",
  (database) => {
    const own = database
      .select({ ...ownColumns, position: sql<number>`wanted.position`.as("position") })
      .from(credentials)
      .innerJoin(
        sql`unnest(${sql.placeholder("ids")}::uuid[]) with ordinality as wanted (id, position)`,
        sql`wanted.id = ${credentials.id}`,
      )
      .limit(sql.placeholder("limit"))
      .as("own");
    const { position, ...ownOfListed } = own._.selectedFields;
    return database.select(credentialColumns(ownOfListed)).from(own).orderBy(position);
  },
);

/** The credentials with these ids that still exist, in the order of the ids. */
export const credentialsByIds = (ids: readonly string[]) =>
  listed(null, { ids, limit: ids.length });
