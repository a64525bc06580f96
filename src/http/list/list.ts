import * as z from "zod";
import type { Columns } from "../../database/collection.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import {
  type ChosenOrder,
  creationOf,
  type OrderFields,
  orderOf,
  orderQuery,
} from "../input/order.ts";
import { checkWalk, walkQuery } from "../input/page.ts";
import { validate } from "../validation/validate.ts";
import type { Resource, VariantQuery } from "../verbs/resource.ts";
import { type Filters, filterQuery, selectedBy } from "./filter.ts";
import { sentInForms } from "./formats/accept.ts";
import { respondList } from "./respond-list.ts";

/** The query as callers write it, and as it is read. */
type ListQuery<Each extends Filters, Field, Query extends VariantQuery> = z.ZodType<
  { limit: number; offset: number; cursor?: string | undefined } & ChosenOrder & {
      at?: string | undefined;
    },
  { [Name in keyof Each]?: z.input<Each[Name]["schema"]> } & {
    [Name in keyof Query]?: Exclude<z.input<Query[Name]>, undefined>;
  } & {
    group_by?: Field;
    order_by?: Field;
    order_direction?: ChosenOrder["order_direction"];
    limit?: string;
    offset?: string;
    cursor?: string;
  }
>;

/** What every list declares that can be walked. */
const walked = {
  ...sentInForms,
  responses: { 200: ["Vary", "Link"] },
} as const;

/** {@link walked} of records with history: an instant may lie before what is kept. */
const walkedHistory = {
  ...walked,
  errors: [...walked.errors, "history_expired", "cursor_expired"],
} as const;

/** Only what has history can be asked for at an instant. */
type ErrorsOf<Query> = ("at" extends keyof Query ? typeof walkedHistory : typeof walked)["errors"];

function errorsOf<Query extends VariantQuery>({
  variantQuery,
}: {
  variantQuery?: Query;
}): ErrorsOf<Query> {
  const { errors } = variantQuery && "at" in variantQuery ? walkedHistory : walked;
  // The compiler does not follow the condition into the generic type.
  return errors as ErrorsOf<Query>;
}

/**
 * The handlers of a list: {@link respondList} with its filters and orders.
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
  const schema = z
    .strictObject({
      ...filterQuery(filters),
      ...orderQuery(resource.orderFields),
      ...resource.variantQuery,
      ...walkQuery,
    })
    .check((payload) => checkWalk(payload));
  // TypeScript does not infer what an object of a generic shape holds.
  const query = schema as unknown as ListQuery<Each, keyof Fields & string, Query>;
  return factory.createHandlers(
    authenticate("Viewer"),
    validate({ query }),
    handles({
      verb: { name: "list", path: resource.path },
      ...walked,
      errors: errorsOf(resource),
    }),
    (c) => {
      const sent = c.req.valid("query");
      const given: Readonly<Record<string, unknown>> = { ...sent };
      return respondList(
        c,
        {
          path: resource.path,
          hasHistory: resource.versions !== undefined,
          creation: creationOf(sent),
          listing: (versions) => {
            const source = resource.variant?.({ ...given, versions }) ?? resource;
            const key = source.versions ? "live_id" : "id";
            return {
              source,
              selection: {
                ...selectedBy(filters, given, versions),
                order: orderOf(resource.orderFields, key, sent, versions),
                isByCreation: creationOf(sent) === "asc",
              },
            };
          },
        },
        sent,
      );
    },
  );
}
