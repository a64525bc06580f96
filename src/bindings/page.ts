import { eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import { statements } from "../database/statement.ts";
import { bindings } from "../database/tables/index.ts";
import { bindingCount, orderedIds, type Selection, selectionKey } from "./versions.ts";
import { bindingColumns } from "./wire.ts";

/**
 * The row of an id. Lateral and limited to one, as the planner may else read a whole organization
 * to find the few rows that are wanted.
 */
const rowOfId = (database: Database) =>
  database
    .select(bindingColumns)
    .from(bindings)
    .where(eq(bindings.id, sql`ids.id`))
    .limit(1)
    .as("binding");

/** The order of the list, once rows have been found by their ids. */
const order = [sql`ids.created_at`, sql`ids.live_id`];

const page = statements(selectionKey, (database, selection: Selection) => {
  const row = rowOfId(database);
  return database
    .select({ total_count: sql<number>`total.count::int`, binding: row._.selectedFields })
    .from(sql`(select ${bindingCount(database, selection)} as count) as total`)
    .leftJoin(sql`${orderedIds(database, selection)} as ids`, sql`true`)
    .leftJoinLateral(row, sql`true`)
    .orderBy(...order);
});

/**
 * A page of bindings and their number, in one statement and so of one instant. One row per binding;
 * a single row without one where the page is empty.
 */
export const bindingPage = (
  selection: Selection,
  values: { at?: string | undefined; limit: number; offset: number },
) => page(selection, { ...selection.filters, ...withInstant(values) });

/** Without an instant that was asked for, the fixed one is the earlier. */
const withInstant = <Values extends { at?: string | undefined }>(values: Values) => ({
  ...values,
  at: values.at ?? "infinity",
});

const portionOf = (database: Database, selection: Selection, after?: SQL) => {
  const row = rowOfId(database);
  return database
    .select(row._.selectedFields)
    .from(sql`${orderedIds(database, selection, after)} as ids`)
    .innerJoinLateral(row, sql`true`)
    .orderBy(...order);
};

const first = statements(selectionKey, (database, selection: Selection) =>
  portionOf(database, selection),
);

/** The first bindings of a list, without their number. */
export const firstBindings = (
  selection: Selection,
  values: { at?: string | undefined; limit: number },
) => first(selection, { ...selection.filters, ...withInstant(values), offset: 0 });

const next = statements(selectionKey, (database, selection: Selection) =>
  portionOf(
    database,
    selection,
    sql`(${bindings.created_at}, ${bindings.live_id})
      > (${sql.placeholder("created_at")}::timestamptz, ${sql.placeholder("live_id")}::uuid)`,
  ),
);

/** The bindings that come after one in the order of the list. */
export const bindingsAfter = (
  selection: Selection,
  values: { at: string; created_at: string; live_id: string; limit: number },
) => next(selection, { ...selection.filters, ...values, offset: 0 });
