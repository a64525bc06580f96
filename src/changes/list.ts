import { sql } from "drizzle-orm";
import * as z from "zod";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { okCursor } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { choice } from "../http/input/choice.ts";
import { id } from "../http/input/id.ts";
import { integerText } from "../http/input/integer.ts";
import { choices } from "../http/input/repeated.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { IssueList, validationFailed } from "../http/issues.ts";
import { cursorOf, maximumCursor, positionOf } from "../http/list/cursor.ts";
import { validate } from "../http/validate.ts";
import { type ChangeRow, changeEntities, changeKinds, toChange } from "./model.ts";

const query = z
  .strictObject({
    cursor: z.string().min(1).max(maximumCursor).optional(),
    since: timestamp.optional(),
    network_id: id.optional(),
    entity: choices(changeEntities).optional(),
    host_id: id.optional(),
    entity_id: id.optional(),
    change: choices(changeKinds).optional(),
    include: choice(["records"]).optional(),
    limit: integerText(1, 1000).default(100),
  })
  .refine(({ cursor, since }) => cursor === undefined || since === undefined, {
    path: ["since"],
    error: "must be left out with a cursor, which says itself where to go on",
  });

/** Behind all records of an instant: it sorts behind the names of all kinds. */
const behindAll = "~";
const noId = "00000000-0000-0000-0000-000000000000";

/** Where a request begins to read; `at` null for what comes from now on. */
interface Start {
  organization_id: string | null;
  at: string | null;
  entity: string;
  entity_id: string;
}

const beginning: Start = {
  organization_id: null,
  at: "0001-01-01T00:00:00.000Z",
  entity: "",
  entity_id: noId,
};

/** The last row is no change, but where to go on. */
type Row = ChangeRow & { has_more: boolean | null; organization_id: string };

/**
 * GET /api/v1/changes: the changes of the inventory in their order, from a cursor on (API contract, section
 * 11). One call, and nothing is read where nothing is new.
 */
export const listChanges = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles({ errors: [], hasCursor: true, responses: { 200: ["Retry-After"] } }),
  async (c) => {
    const sent = c.req.valid("query");
    const { settings } = c.var;
    const start = await startOf(sent);
    const isWhole = sent.include === "records";
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<Row>(sql`
        select app.organization_id() as organization_id, changes.* from app.changes(
          ${start.organization_id}::uuid, ${start.at}::timestamptz, ${start.entity},
          ${start.entity_id}::uuid, ${sent.limit}, ${isWhole}, ${sent.network_id ?? null}::uuid,
          ${sent.entity ? sql.param(sent.entity) : null}::text[], ${sent.host_id ?? null}::uuid,
          ${sent.entity_id ?? null}::uuid, ${sent.change ? sql.param(sent.change) : null}::text[]
        ) as changes`),
    ]);
    const end = rows.at(-1);
    if (end === undefined || end.has_more === null) {
      throw new Error("The changes did not say where to go on.");
    }
    return okCursor(
      c,
      rows.slice(0, -1).map((row) => toChange(row, isWhole)),
      { next_cursor: await cursorOf(settings, end), has_more: end.has_more },
    );

    async function startOf({ cursor, since }: typeof sent): Promise<Start> {
      if (since !== undefined) {
        return { organization_id: null, at: since, entity: behindAll, entity_id: noId };
      }
      if (cursor === undefined) {
        return beginning;
      }
      if (cursor === "now") {
        return { ...beginning, at: null };
      }
      const position = await positionOf(settings, cursor);
      if (position === null) {
        const message =
          "is no cursor of this service: send `meta.next_cursor` as it was, or leave it out";
        throw validationFailed(IssueList.of({ path: "query.cursor", message, code: "custom" }));
      }
      return position;
    }
  },
);
