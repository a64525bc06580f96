import { and, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { daemons } from "../database/tables/index.ts";
import { choice } from "../http/input/choice.ts";
import { id } from "../http/input/id.ts";
import { textOf } from "../http/input/text.ts";

/** How many ids one request may name. More would soon not fit into a URL (16 KB). */
const maxIds = 100;

/** A parameter that is given once is a text, and one given more often an array of them. */
const repeatable = z
  .custom<string | string[]>()
  .transform((value) => (Array.isArray(value) ? value : [value]));

/** The filters of the list of daemons (API contract, section 5). They combine with AND. */
export const daemonFilters = {
  network_id: id.optional(),
  ids: repeatable
    .pipe(z.array(id).max(maxIds, { error: `must be given at most ${maxIds} times` }))
    .meta({
      input: {
        type: "array",
        items: { type: "string", format: "uuid", maxLength: 36 },
        maxItems: maxIds,
      },
    })
    .optional(),
  is_unreachable: choice(["true", "false"])
    .transform((value) => value === "true")
    .optional(),
  q: z.string({ error: "must be given only once" }).trim().pipe(textOf(1, 100)).optional(),
};

const filterSchema = z.object(daemonFilters);
export type DaemonFilters = z.output<typeof filterSchema>;

/** The condition that a daemon passes all filters; undefined without any. */
export const passes = ({ network_id, ids, is_unreachable, q }: DaemonFilters): SQL | undefined =>
  and(
    network_id === undefined ? undefined : eq(daemons.network_id, network_id),
    ids === undefined ? undefined : inArray(daemons.id, ids),
    is_unreachable === undefined ? undefined : eq(daemons.is_unreachable, is_unreachable),
    q === undefined
      ? undefined
      : or(
          sql`strpos(lower(${daemons.name}), lower(${q})) > 0`,
          sql`strpos(lower(${daemons.url}), lower(${q})) > 0`,
          sql`${daemons.id}::text = lower(${q})`,
        ),
  );
