import { asc, count, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { credentials } from "../database/schema/index.ts";
import { typesOfFilter } from "./types.ts";
import { credentialColumns } from "./wire.ts";

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

const matching = ({ type }: CredentialSelection): SQL | undefined =>
  type === undefined ? undefined : inArray(credentials.type, [...typesOfFilter(type)]);

const ordering = ({ group_by, order_by, order_direction }: CredentialSelection): SQL[] => [
  ...(group_by ? [asc(credentials[group_by])] : []),
  (order_direction === "desc" ? desc : asc)(credentials[order_by]),
  asc(credentials.id),
];

const ids = (order: SQL[]) =>
  sql<
    string | null
  >`encode(string_agg(uuid_send(${credentials.id}), '' order by ${sql.join(order, sql`, `)}), 'base64')`;

/**
 * A page of credentials and their number, in one statement and so of one instant. One row per
 * credential; a single row without one where the page is empty.
 * @param withIds also the ids of all that match, in order, 16 bytes each, in base64
 */
export function credentialPage(
  database: Database,
  selection: CredentialSelection,
  { limit, offset, withIds = false }: { limit: number; offset: number; withIds?: boolean },
) {
  const order = ordering(selection);
  const total = database
    .select({
      total_count: count().as("total_count"),
      ids: (withIds ? ids(order) : sql<null>`null`).as("ids"),
    })
    .from(credentials)
    .where(matching(selection))
    .as("total");
  // The ids first, so that neither children nor settings are read for what the offset skips.
  const page = database
    .select({
      id: credentials.id,
      position: sql<number>`row_number() over (order by ${sql.join(order, sql`, `)})`.as(
        "position",
      ),
    })
    .from(credentials)
    .where(matching(selection))
    .orderBy(...order)
    .limit(limit)
    .offset(offset)
    .as("page");
  const credential = database
    .select({ ...credentialColumns, position: page.position })
    .from(page)
    .innerJoin(credentials, eq(credentials.id, page.id))
    .as("credential");
  const { position, ...columns } = credential._.selectedFields;
  return database
    .select({ total_count: total.total_count, ids: total.ids, credential: columns })
    .from(total)
    .leftJoin(credential, sql`true`)
    .orderBy(position);
}

/** The credentials with these ids that still exist, in the order of the ids. */
export function credentialsByIds(database: Database, wanted: readonly string[]) {
  return database
    .select(credentialColumns)
    .from(credentials)
    .innerJoin(
      sql`unnest(${sql.param(wanted)}::uuid[]) with ordinality as wanted (id, position)`,
      sql`wanted.id = ${credentials.id}`,
    )
    .orderBy(sql`wanted.position`);
}
