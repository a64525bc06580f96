import { sql } from "drizzle-orm";
import * as z from "zod";
import { changeEntities, changeKinds } from "../database/tables/index.ts";
import type { Settings } from "../env.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { okCursor } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { integerText } from "../http/input/integer.ts";
import { choices } from "../http/input/repeated.ts";
import { instant } from "../http/input/timestamp.ts";
import { behindAll, cursorText, feed, noId, sentPosition } from "../http/list/cursor.ts";
import { readLabels } from "../http/list/labels.ts";
import { updatesElsewhere } from "../http/list/list.ts";
import { validate } from "../http/validation/validate.ts";
import { includable, isIncluded } from "./include.ts";
import { type ChangePage, readChanges } from "./read.ts";
import { waitForChanges } from "./wait.ts";

const query = z
  .strictObject({
    cursor: cursorText.optional(),
    since: instant.optional(),
    until: instant.optional(),
    network_id: id.optional(),
    entity: choices(changeEntities).optional(),
    host_id: id.optional(),
    entity_id: id.optional(),
    change: choices(changeKinds).optional(),
    include: choices(includable).optional(),
    limit: integerText(1, 1000).default(100),
    wait: integerText(1, 20).optional(),
  })
  .refine(({ cursor, since }) => cursor === undefined || since === undefined, {
    path: ["since"],
    error: "must be omitted with a cursor, which contains the position",
  })
  .refine(({ since, until }) => since === undefined || until === undefined || since <= until, {
    path: ["until"],
    error: "must not be before since",
  });

/** `Retry-After` for a reader that has read all changes and did not wait, in seconds. */
const retryAfterNothing = 5;

/**
 * The start position. `at` is null for "from now", and `-infinity` for "from the oldest change that
 * is kept".
 */
interface Start {
  organization_id: string | null;
  at: string | null;
  entity: string;
  entity_id: string;
  until?: string | undefined;
}

const beginning: Start = {
  organization_id: null,
  at: "-infinity",
  entity: behindAll,
  entity_id: noId,
};

/**
 * GET /api/v1/changes: lists the changes to the inventory after a cursor, in order (API contract,
 * section 11). Takes one database call, which does not read any history if nothing is new. With
 * `wait`, it is repeated each time something may have changed, until there are changes.
 */
export const listChanges = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }, { elsewhere: { query: updatesElsewhere } }),
  handles({
    errors: ["history_expired", "cursor_expired"],
    hasCursor: true,
    responses: { 200: ["Retry-After"] },
  }),
  async (c) => {
    const sent = c.req.valid("query");
    const start = await startOf(c.var.settings, sent);
    const until = sent.until ?? start.until;
    const isWhole = isIncluded(sent, "records");
    const read = () =>
      readChanges(
        c.var,
        feed,
        sql`app.changes(
          ${start.organization_id}::uuid, ${start.at}::timestamptz, ${start.entity},
          ${start.entity_id}::uuid, ${sent.limit}, ${isWhole}, ${sent.network_id ?? null}::uuid,
          ${sent.entity ? sql.param(sent.entity) : null}::text[], ${sent.host_id ?? null}::uuid,
          ${sent.entity_id ?? null}::uuid, ${sent.change ? sql.param(sent.change) : null}::text[],
          ${until ?? null}::timestamptz)`,
        isWhole,
        until,
      );
    const hasNews = (page: ChangePage) => page.changes.length > 0 || page.has_more || page.isAtEnd;
    const { page, isComplete } =
      sent.wait === undefined
        ? { page: await read(), isComplete: false }
        : await waitForChanges(c, start.organization_id, sent.wait * 1000, read, hasNews);
    const { changes, isAtEnd, ...position } = page;
    if (!hasNews(page) && !isComplete) {
      c.header("Retry-After", String(retryAfterNothing));
    }
    const labels = isIncluded(sent, "labels") && (await readLabels(c.var.tenant, changes));
    return okCursor(c, changes, { ...position, ...(labels && { labels }) });
  },
);

async function startOf(
  settings: Settings,
  { cursor, since }: z.output<typeof query>,
): Promise<Start> {
  if (since !== undefined) {
    return { organization_id: null, at: since, entity: behindAll, entity_id: noId };
  }
  if (cursor === undefined) {
    return beginning;
  }
  return cursor === "now" ? { ...beginning, at: null } : sentPosition(settings, feed, cursor);
}
