import * as z from "zod";
import { type Columns, pageOf, shownTag } from "../../database/collection.ts";
import { pick } from "../../database/columns-of.ts";
import type { Instant } from "../../database/history.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { type ChosenOrder, type OrderFields, orderOf, orderQuery } from "../input/order.ts";
import { pageQuery } from "../input/page.ts";
import { validate } from "../validate.ts";
import type { Resource, Variant, VariantQuery } from "../verbs/resource.ts";
import { type Filters, filterQuery, selectedBy } from "./filter.ts";
import { chosenForm, respondPage, sentInForms } from "./page.ts";
import { readByIds } from "./read-by-ids.ts";
import { streamList } from "./stream.ts";
import { nullIfTooLarge } from "./too-large.ts";

/** A row of a page: a record and the number of all, or nothing but that number. */
type PageRow = Record<string, unknown> & { total_count: number };

/** The query as callers write it, and as it is read. */
type ListQuery<Each extends Filters, Field, Query extends VariantQuery> = z.ZodType<
  { limit: number; offset: number } & ChosenOrder & Variant,
  { [Name in keyof Each]?: z.input<Each[Name]["schema"]> } & {
    [Name in keyof Query]?: Exclude<z.input<Query[Name]>, undefined>;
  } & {
    group_by?: Field;
    order_by?: Field;
    order_direction?: ChosenOrder["order_direction"];
    limit?: string;
    offset?: string;
  }
>;

/**
 * The handlers of a list: a page with an exact count in one call, or with `limit=0` everything, and a
 * page of more than about 1 MiB in the same way (API contract, section 4).
 * @example
 * export const list = lists(tagResource, { ids: filter(ids, (wanted) => inArray(tags.id, wanted)) });
 */
export function lists<
  Read extends Columns,
  Item,
  Fields extends OrderFields,
  const Each extends Filters,
  Query extends VariantQuery = Record<never, z.ZodType>,
>(resource: Resource<Read, Item, Fields, Query>, filters: Each) {
  const schema = z.strictObject({
    ...filterQuery(filters),
    ...orderQuery(resource.orderFields),
    ...resource.variantQuery,
    ...pageQuery,
  });
  // TypeScript does not infer what an object of a generic shape holds.
  const query = schema as unknown as ListQuery<Each, keyof Fields & string, Query>;
  return factory.createHandlers(
    authenticate("Viewer"),
    validate({ query }),
    handles({
      verb: { name: "list", path: resource.path },
      ...sentInForms,
    }),
    async (c) => {
      const form = chosenForm(c);
      const sent = c.req.valid("query");
      const { limit, offset } = sent;
      const given: Readonly<Record<string, unknown>> = { ...sent };
      const listingOf = (chosen: Variant) => {
        const source = resource.variant?.(chosen) ?? resource;
        const selection = {
          ...selectedBy(filters, given, chosen.at),
          order: orderOf(resource.orderFields, source.versions ? "live_id" : "id", sent, chosen.at),
        };
        return { source, selection };
      };
      const inChunks = () => {
        // What will be so at an instant to come is what is live, and can still change between chunks.
        const isPast = typeof sent.at === "string" && Date.parse(sent.at) < Date.now();
        const isSnapshot = resource.versions !== undefined && !isPast;
        const listing = isSnapshot
          ? (at: Instant) => listingOf({ ...sent, at, isRecent: true })
          : listingOf(sent);
        const { schema } = listingOf(sent).source;
        return streamList(c, { form, schema }, { limit, offset }, async (signal) => {
          const { instant, ...list } = await readByIds(c.var.tenant, listing, {
            limit,
            offset,
            signal,
          });
          return { ...list, at: instant ?? (typeof sent.at === "string" ? sent.at : null) };
        });
      };
      if (limit === 0) {
        return inChunks();
      }
      const { source, selection } = listingOf(sent);
      // A version of the past cannot be changed.
      const isLive = sent.at === undefined;
      const columns = { ...source.columns, ...(isLive && { etag: shownTag(source) }) };
      const answer = await c.var.tenant
        .run((database) => [
          database.execute<PageRow>(pageOf({ ...source, columns }, selection, { limit, offset })),
        ])
        .catch(nullIfTooLarge);
      if (answer === null) {
        // Nothing of the page was read, so all chunks are of one later moment.
        return inChunks();
      }
      const [{ rows }] = answer;
      const records = rows.filter((row) => row["id"] !== null);
      return respondPage(
        c,
        { form, schema: source.schema },
        {
          data: records.map((row) => source.toItem(pick(source.columns, row))),
          pagination: { total_count: rows[0]?.total_count ?? 0, limit, offset },
          at: typeof sent.at === "string" ? sent.at : null,
          etags: isLive ? records.map(({ etag }) => String(etag)) : undefined,
        },
      );
    },
  );
}
