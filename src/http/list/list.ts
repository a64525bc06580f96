import * as z from "zod";
import { type Collection, type Columns, pageOf } from "../../database/collection.ts";
import { pick, type RowOf } from "../../database/columns-of.ts";
import { authenticate } from "../authenticate.ts";
import { okPage } from "../envelope.ts";
import { factory } from "../factory.ts";
import { pageQuery } from "../input/page.ts";
import { validate } from "../validate.ts";
import { type Filters, filterQuery, matchesOf } from "./filter.ts";
import { type ChosenOrder, type OrderFields, orderOf, orderQuery } from "./order.ts";
import { readByIds } from "./read-by-ids.ts";
import { streamList } from "./stream.ts";

/** A resource, as its list shows it. */
export interface ListedResource<Read extends Columns, Item, Fields extends OrderFields>
  extends Collection<Read> {
  orderFields: Fields;
  toItem(row: RowOf<Read>): Item;
}

/** A row of a page: a record and the number of all, or nothing but that number. */
type PageRow = Record<string, unknown> & { total_count: number };

/** The query as callers write it, and as it is read. */
type ListQuery<Each extends Filters, Field> = z.ZodType<
  { limit: number; offset: number } & ChosenOrder,
  { [Name in keyof Each]?: z.input<Each[Name]["schema"]> } & {
    group_by?: Field;
    order_by?: Field;
    order_direction?: ChosenOrder["order_direction"];
    limit?: string;
    offset?: string;
  }
>;

/**
 * The handlers of a list: a page with an exact count in one call, or with `limit=0` everything
 * (API contract, section 4).
 * @example
 * export const listTags = list(tagResource, { ids: filter(ids, (wanted) => inArray(tags.id, wanted)) });
 */
export function list<
  Read extends Columns,
  Item,
  Fields extends OrderFields,
  const Each extends Filters,
>(resource: ListedResource<Read, Item, Fields>, filters: Each) {
  const schema = z.strictObject({
    ...filterQuery(filters),
    ...orderQuery(resource.orderFields),
    ...pageQuery,
  });
  // TypeScript does not infer what an object of a generic shape holds.
  const query = schema as unknown as ListQuery<Each, keyof Fields & string>;
  return factory.createHandlers(authenticate("Viewer"), validate({ query }), async (c) => {
    const sent = c.req.valid("query");
    const { limit, offset } = sent;
    const selection = {
      matches: matchesOf(filters, { ...sent }),
      order: orderOf(resource.orderFields, sent),
    };
    if (limit === 0) {
      return streamList(c, (signal) =>
        readByIds(c.var.tenant, resource, selection, { offset, signal }),
      );
    }
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<PageRow>(pageOf(resource, selection, { limit, offset })),
    ]);
    const items = rows.flatMap((row) =>
      row["id"] === null ? [] : [resource.toItem(pick(resource.columns, row))],
    );
    return okPage(c, items, { total_count: rows[0]?.total_count ?? 0, limit, offset });
  });
}
