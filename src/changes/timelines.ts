import { sql } from "drizzle-orm";
import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { okCursor } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { booleanText } from "../http/input/boolean-text.ts";
import { recordPath } from "../http/input/id.ts";
import { integerText } from "../http/input/integer.ts";
import { choices } from "../http/input/repeated.ts";
import { cursorText, sentPosition } from "../http/list/cursor.ts";
import { readLabels } from "../http/list/labels.ts";
import { validate } from "../http/validation/validate.ts";
import { includable, isIncluded } from "./include.ts";
import type { Change } from "./model.ts";
import { readChanges } from "./read.ts";

const query = z.strictObject({
  cursor: cursorText.optional(),
  include: choices(includable).optional(),
  limit: integerText(1, 1000).default(100),
});

const hostQuery = query.extend({
  include_children: booleanText.default(true),
});

/** Without a cursor, a timeline starts with the latest settled change. */
const newest = { organization_id: null, at: null, entity: "", entity_id: null };

/**
 * GET /api/v1/{collection}/{id}/timeline: lists the changes to a record, newest first, even if the
 * record was deleted (API contract, section 11).
 */
const timelineOf = <Schema extends typeof query | typeof hostQuery>(
  entity: Change["entity"],
  schema: Schema,
) =>
  factory.createHandlers(
    authenticate("Viewer"),
    validate({ param: recordPath, query: schema }),
    handles({ errors: ["entity_not_found", "cursor_expired"], hasCursor: true }),
    async (c) => {
      const { id } = c.req.valid("param");
      const sent: z.output<typeof query> & { include_children?: boolean } = c.req.valid("query");
      const list = `timeline ${entity} ${id}`;
      const {
        organization_id,
        at,
        entity: before,
        entity_id,
      } = sent.cursor ? await sentPosition(c.var.settings, list, sent.cursor) : newest;
      const isWhole = isIncluded(sent, "records");
      const { changes, ...page } = await readChanges(
        c.var,
        list,
        sql`app.timeline(
          ${organization_id}::uuid, ${entity}, ${id}::uuid, ${sent.include_children ?? false},
          ${at}::timestamptz, ${before}, ${entity_id}::uuid, ${sent.limit}, ${isWhole})`,
        isWhole,
      );
      const labels = isIncluded(sent, "labels") && (await readLabels(c.var.tenant, changes));
      return okCursor(c, changes, { ...page, ...(labels && { labels }) });
    },
  );

export const subnets = timelineOf("Subnet", query);
/** Includes the host's children, unless `include_children=false`. */
export const hosts = timelineOf("Host", hostQuery);
export const ipAddresses = timelineOf("IPAddress", query);
export const interfaces = timelineOf("Interface", query);
export const neighbors = timelineOf("Neighbor", query);
export const ports = timelineOf("Port", query);
export const services = timelineOf("Service", query);
export const bindings = timelineOf("Binding", query);
