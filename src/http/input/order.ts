import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Versions } from "../../database/history.ts";
import { choice } from "./choice.ts";

/** An order field whose value depends on the listed versions. */
type OrderAt = (versions: Versions) => SQL;

/**
 * The order fields of a list, by name. Each is a column or an expression that depends on the listed
 * versions.
 */
export type OrderFields = Readonly<Record<string, SQLWrapper | OrderAt>>;

/** Returns the SQL expression for an order field. */
export const orderTerm = (field: OrderFields[string], versions: Versions): SQL =>
  typeof field === "function" ? field(versions) : sql`${field}`;

/** The query parameters for a list's order (API contract, sections 3 and 7). */
export function orderQuery<const Fields extends OrderFields>(fields: Fields) {
  // `Object.keys` returns plain strings.
  const field = choice(Object.keys(fields) as (keyof Fields & string)[]);
  return {
    group_by: field.optional(),
    order_by: field.optional(),
    order_direction: choice(["asc", "desc"]).default("asc"),
  };
}

/** The order that the caller chose, validated by {@link orderQuery}. */
export interface ChosenOrder {
  group_by?: string | undefined;
  order_by?: string | undefined;
  order_direction: "asc" | "desc";
}

/**
 * `group_by` ascending, then `order_by` in its direction, then the id: a total order.
 * @param key the id column
 * @param versions the listed versions, for records with history
 */
export function orderOf(
  fields: OrderFields,
  key: "id" | "live_id",
  { group_by, order_by = "created_at", order_direction }: ChosenOrder,
  versions: Versions,
): SQL {
  const terms = [sql.identifier(key)].map((column) => sql`${column}`);
  const by = fields[order_by];
  if (by !== undefined) {
    terms.unshift(sql`${orderTerm(by, versions)} ${sql.raw(order_direction)}`);
  }
  const group = group_by === undefined ? undefined : fields[group_by];
  if (group !== undefined) {
    terms.unshift(orderTerm(group, versions));
  }
  return sql.join(terms, sql`, `);
}

/** The direction of the creation order; null if the list is in any other order. */
export const creationOf = ({
  group_by,
  order_by = "created_at",
  order_direction,
}: ChosenOrder): "asc" | "desc" | null =>
  group_by === undefined && order_by === "created_at" ? order_direction : null;
