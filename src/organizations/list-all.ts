import { sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { every } from "hono/combine";
import * as z from "zod";
import { authenticateOperator } from "../http/authenticate-operator.ts";
import { okPage } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { choice } from "../http/input/choice.ts";
import { integerText } from "../http/input/integer.ts";
import { checkWalk, walkQuery } from "../http/input/page.ts";
import { noId, requestOf, requireOwn, walkCursor, walkOf } from "../http/list/cursor.ts";
import { tagged } from "../http/tagged.ts";
import { validate } from "../http/validation/validate.ts";
import { readHeader } from "../http/verbs/read.ts";
import { type ManagedRow, managedPage, organizationStates, toManaged } from "./operator-model.ts";

/** The parameters with which an operator lists all organizations (API contract, section 15). */
export const allQuery = {
  ...walkQuery,
  limit: integerText(1, 1000).default(50),
  all: choice(["true"]),
  state: choice(organizationStates).optional(),
};

const path = "/api/v1/organizations";

/** GET /api/v1/organizations?all=true: lists all organizations in creation order, for operators. */
const listAll = factory.createHandlers(
  authenticateOperator(),
  validate({ query: z.strictObject(allQuery).check(checkWalk), header: readHeader }),
  async (c) => {
    const { cursor, limit, offset, ...query } = c.req.valid("query");
    const { settings, operator } = c.var;
    const request = requestOf(path, query, null);
    const walk = cursor === undefined ? null : await walkOf(settings, cursor, request);
    const [counted, { rows }] = await operator.run((database) => [
      database.execute<{ total_count: number }>(
        sql`select app.count_organizations(${query.state ?? null}) as total_count`,
      ),
      database.execute<ManagedRow>(
        managedPage({ state: query.state, after: walk?.after ?? null, offset, limit }),
      ),
    ]);
    const owner = { organization_id: noId, key_id: operator.keyId ?? noId };
    if (walk) {
      requireOwn(walk, owner);
    }
    const total_count = walk?.total_count ?? counted.rows[0]?.total_count ?? 0;
    const before = walk?.offset ?? offset;
    const has_more = before + rows.length < total_count;
    const last = rows.at(-1);
    const next = last && {
      ...owner,
      begun_at: walk?.begun_at ?? new Date().toISOString(),
      at: null,
      unsettled: null,
      total_count,
      offset: before + rows.length,
      after: { created_at: last.created_at, id: last.id },
    };
    const next_cursor = has_more && next ? await walkCursor(settings, next, request) : null;
    const response = okPage(c, rows.map(toManaged), {
      pagination: { total_count, limit, offset: before, has_more, next_cursor },
    });
    // A cursor leads to the same records as another one of this key after the same page.
    const varying = next_cursor === null ? undefined : { text: next_cursor, standIn: owner.key_id };
    return tagged(c, response, c.req.valid("header")["if-none-match"], varying);
  },
);

// Every step is a middleware. Their type is more specific, for Hono's type inference.
const steps = listAll as unknown as readonly MiddlewareHandler[];

/** The steps of the list of all organizations, as one handler. */
export const respondAll = every(...steps);
