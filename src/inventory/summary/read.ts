import * as z from "zod";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { id } from "../../http/input/id.ts";
import { instant } from "../../http/input/timestamp.ts";
import { tagged } from "../../http/tagged.ts";
import { validate } from "../../http/validation/validate.ts";
import { readHeader } from "../../http/verbs/read.ts";
import { type SummaryRow, toSummary } from "./model.ts";
import { summaryOf } from "./sql.ts";

const query = z.strictObject({ network_id: id.optional(), at: instant.optional() });

/** GET /api/v1/summary: counts records, live or at an instant (API contract, section 13). */
export const readSummary = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query, header: readHeader }),
  handles({ errors: ["history_expired"], responses: { 200: ["ETag"], 304: ["ETag"] } }),
  async (c) => {
    const { network_id, at } = c.req.valid("query");
    if (at !== undefined) {
      c.var.tenant.requireHistory(at, false);
    }
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<SummaryRow>(summaryOf({ network_id, at })),
    ]);
    const [row] = rows;
    if (!row) {
      throw new Error("The summary has no row.");
    }
    const summary = toSummary(row, { network_id, at });
    const isKnown = c.req.valid("header")["if-none-match"];
    // The instant of a live summary is the time of the request. It is the first text in the body that
    // has this form.
    const varying = at === undefined ? { text: summary.at, standIn: "" } : undefined;
    return tagged(c, ok(c, summary), isKnown, varying);
  },
);
