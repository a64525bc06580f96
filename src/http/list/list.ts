import * as z from "zod";
import type { Columns } from "../../database/collection.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { choice } from "../input/choice.ts";
import {
  type ChosenOrder,
  creationOf,
  type OrderFields,
  orderOf,
  orderQuery,
} from "../input/order.ts";
import { checkWalk, walkQuery } from "../input/page.ts";
import { instant } from "../input/timestamp.ts";
import { validate } from "../validation/validate.ts";
import { readHeader } from "../verbs/read.ts";
import type { Resource, VariantQuery } from "../verbs/resource.ts";
import { fieldsQuery } from "./fields.ts";
import { type Filters, filterQuery, selectedBy } from "./filter.ts";
import { sentInForms } from "./formats/accept.ts";
import { checkLabels } from "./labels.ts";
import { openList, respondList } from "./respond-list.ts";

/** A list's query: its parsed output, and its input as callers write it. */
type ListQuery<Each extends Filters, Field, Query extends VariantQuery> = z.ZodType<
  { limit: number; offset: number; cursor?: string | undefined } & ChosenOrder & {
      at?: string | undefined;
      fields?: string[] | undefined;
      include?: "labels" | undefined;
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
    fields?: string;
    include?: "labels";
  }
>;

/** The declarations for every list with cursors. */
const walked = {
  ...sentInForms,
  responses: { 200: ["ETag?", "Vary", "Link"], 304: ["ETag"] },
} as const;

/** {@link walked} for records with history: an instant can be earlier than the retained history. */
const walkedHistory = {
  ...walked,
  errors: [...walked.errors, "history_expired", "cursor_expired"],
} as const;

/** Only lists of records with history accept `at`. */
type ErrorsOf<Query> = ("at" extends keyof Query ? typeof walkedHistory : typeof walked)["errors"];

function errorsOf<Query extends VariantQuery>({
  variantQuery,
}: {
  variantQuery?: Query;
}): ErrorsOf<Query> {
  const { errors } = variantQuery && "at" in variantQuery ? walkedHistory : walked;
  // The compiler does not narrow the generic type by this condition.
  return errors as ErrorsOf<Query>;
}

/** Hints for the names that other APIs use for a filter by the time of the last update. */
export const updatesElsewhere = Object.fromEntries(
  ["updated_since", "updated_after", "modified_since"].map((name) => [
    name,
    "is not a parameter of this request: GET /api/v1/changes?since=… lists what changed, and last_seen_after selects by sighting",
  ]),
);

/**
 * Creates the handlers of a list: {@link respondList} with its filters and orders.
 * @example
 * export const list = lists(tagResource, { ids: filter(ids, (some) => inArray(tags.id, some)) });
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
      fields: fieldsQuery(resource.schema).optional(),
      include: choice(["labels"]).optional(),
      ...walkQuery,
    })
    .check((payload) => checkWalk(payload))
    .check(checkLabels);
  // TypeScript does not infer the fields of an object whose shape is generic.
  const query = schema as unknown as ListQuery<Each, keyof Fields & string, Query>;
  /** The parameters that select records, or that choose how they are read. */
  const chosenNames = ["fields", ...Object.keys({ ...filters, ...resource.variantQuery })];
  const instantNames = Object.entries(schema.shape)
    .filter(([, field]) => field instanceof z.ZodOptional && field.unwrap() === instant)
    .map(([name]) => name);
  return factory.createHandlers(
    authenticate("Viewer"),
    validate(
      { query, header: readHeader },
      resource.versions ? { elsewhere: { query: updatesElsewhere } } : {},
    ),
    handles({
      verb: { name: "list", path: resource.path },
      ...walked,
      errors: errorsOf(resource),
    }),
    async (c) => {
      const { parameters, ...opened } = await openList(c, resource.path, {
        parameters: c.req.valid("query"),
        instantNames,
      });
      const values: Readonly<Record<string, unknown>> = { ...parameters };
      const creation = creationOf(parameters);
      const isWhole = chosenNames.every((name) => values[name] === undefined);
      return respondList(
        c,
        { ...opened, isKnown: c.req.valid("header")["if-none-match"] },
        {
          hasHistory: resource.versions !== undefined,
          creation,
          stored: isWhole && creation === "asc" ? resource : null,
          listing: (versions) => {
            const source = resource.variant?.({ ...values, versions }) ?? resource;
            const key = source.versions ? "live_id" : "id";
            return {
              source,
              selection: {
                ...selectedBy(filters, values, versions),
                order: orderOf(resource.orderFields, key, parameters, versions),
                isByCreation: creation === "asc",
              },
            };
          },
        },
        parameters,
      );
    },
  );
}
