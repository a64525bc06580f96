import { sql } from "drizzle-orm";
import * as z from "zod";
import { changeEntities } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { integerText } from "../http/input/integer.ts";
import { choices } from "../http/input/repeated.ts";
import { instant } from "../http/input/timestamp.ts";
import { ids } from "../http/list/filter.ts";
import { tagged, type Varying } from "../http/tagged.ts";
import { validate } from "../http/validation/validate.ts";
import { readHeader } from "../http/verbs/read.ts";
import { type Histogram, type HistogramRow, toHistogram } from "./histogram-model.ts";

const query = z
  .strictObject({
    from: instant.optional(),
    to: instant.optional(),
    buckets: integerText(1, 500).default(100),
    network_id: ids.optional(),
    entity: choices(changeEntities).optional(),
    host_id: id.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["to"],
    error: "must not be before from",
  });

/**
 * GET /api/v1/changes/histogram: counts the changes in equal parts of an interval (API contract,
 * section 11). Takes one database call.
 */
export const showHistogram = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query, header: readHeader }),
  handles({ errors: ["history_expired"], responses: { 200: ["ETag"], 304: ["ETag"] } }),
  async (c) => {
    const { from, to, buckets, network_id, entity, host_id } = c.req.valid("query");
    const isKnown = c.req.valid("header")["if-none-match"];
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<HistogramRow>(sql`
        select * from app.histogram(
          ${from ?? null}::timestamptz, ${to ?? null}::timestamptz, ${buckets},
          ${network_id ? sql.param(network_id) : null}::uuid[],
          ${entity ? sql.param(entity) : null}::text[], ${host_id ?? null}::uuid)`),
    ]);
    const [row] = rows;
    if (!row) {
      throw new Error("The histogram has no row.");
    }
    const histogram = toHistogram(row);
    const varying = to === undefined ? withoutInstants(histogram) : undefined;
    return tagged(c, ok(c, histogram), isKnown, varying);
  },
);

/**
 * The interval up to now moves with each request. The histogram counts as the same until a bucket
 * has other changes, or the interval has grown by a bucket since the last change.
 */
function withoutInstants(histogram: Histogram): Varying {
  const { from, to, interval_ms, buckets } = histogram;
  const quiet = Date.parse(to) - Date.parse(buckets.at(-1)?.last_at ?? from);
  const counts = buckets.map(({ at, ...counted }) => counted);
  const standIn = JSON.stringify([counts, Math.floor(quiet / interval_ms)]);
  return { text: JSON.stringify(histogram), standIn };
}
