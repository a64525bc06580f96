import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { abortOnAny, guardWhen } from "../database/guards.ts";
import { auditEntities, auditEntries } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { handles } from "../http/declares.ts";
import { okCursor } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { id } from "../http/input/id.ts";
import { integerText } from "../http/input/integer.ts";
import { choices } from "../http/input/repeated.ts";
import { cursorOf, cursorText, sentPosition } from "../http/list/cursor.ts";
import { validate } from "../http/validation/validate.ts";
import type { AuditEntry } from "./model.ts";

/**
 * Each filter has an index that ends with the sort columns, so a page reads only the rows that it
 * returns.
 */
const query = z
  .strictObject({
    cursor: cursorText.optional(),
    entity: choices(auditEntities).optional(),
    entity_id: id.optional(),
    actor_id: id.optional(),
    limit: integerText(1, 1000).default(100),
  })
  .superRefine(({ entity, entity_id, actor_id }, { addIssue }) => {
    const [, second] = Object.entries({ entity, entity_id, actor_id }).filter(
      ([, value]) => value !== undefined,
    );
    if (second) {
      addIssue({
        code: "custom",
        path: [second[0]],
        message: "cannot be combined with another filter: send one of entity, entity_id, actor_id",
      });
    }
  });

/** Identifies this list and its records in cursors. */
const list = "audit";
const kind = "AuditEntry";

/** The positions before the newest entry and after the oldest entry. */
const newest = { at: "infinity", entity_id: "ffffffff-ffff-ffff-ffff-ffffffffffff" };
const end = { at: "0001-01-01T00:00:00.000Z", id: "00000000-0000-0000-0000-000000000000" };

type Row = Omit<AuditEntry, "actor"> & {
  actor_type: AuditEntry["actor"]["type"];
  actor_id: string | null;
  actor_name: string | null;
};

/** Selects the entries of the caller's organization after a position, newest first. */
const entries = (condition: SQL, { at, entity_id }: typeof newest, maximum: number) => sql`
  select id, at, action, entity, entity_id, label, to_json(changed) as changed,
    actor_type, actor_id, actor_name, request_id
  from ${auditEntries}
  where ${condition} and (at, id) < (${at}::timestamptz, ${entity_id}::uuid)
  order by at desc, id desc limit ${maximum}`;

/**
 * GET /api/v1/audit: lists operations on records without history, newest first (API contract,
 * section 11).
 */
export const listAudit = factory.createHandlers(
  authenticate("Admin"),
  validate({ query }),
  handles({ errors: [], hasCursor: true }),
  async (c) => {
    const { cursor, entity, entity_id, actor_id, limit } = c.req.valid("query");
    const position =
      cursor === undefined ? undefined : await sentPosition(c.var.settings, list, cursor);
    const condition = entity_id
      ? sql`entity_id = ${entity_id}`
      : actor_id
        ? sql`actor_id = ${actor_id}`
        : sql`true`;
    const [{ rows }] = await c.var.tenant.run(
      (database) => [
        database.execute<Row>(
          entity
            ? sql`
              select found.* from unnest(${sql.param(entity)}::text[]) as wanted (kind)
              cross join lateral (
                ${entries(sql`entity = wanted.kind`, position ?? newest, limit + 1)}) as found
              order by found.at desc, found.id desc limit ${limit + 1}`
            : entries(condition, position ?? newest, limit + 1),
        ),
      ],
      {
        first: (database) =>
          abortOnAny(
            database,
            position && [
              guardWhen(
                sql`${position.organization_id}::uuid <> (select app.organization_id())`,
                "validation_failed",
                { issues: [cursorOfAnother], issue_count: 1 },
              ),
            ],
          ),
      },
    );
    const page = rows.slice(0, limit);
    const { caller } = c.var.tenant;
    if (!caller) {
      throw new Error("The gate accepted a key, but the session has no caller.");
    }
    const last = page.at(-1) ?? (position ? { at: position.at, id: position.entity_id } : end);
    const next_cursor = await cursorOf(c.var.settings, list, {
      ...caller,
      at: last.at,
      entity: kind,
      entity_id: last.id,
    });
    return okCursor(c, page.map(toEntry), { next_cursor, has_more: rows.length > limit });
  },
);

const cursorOfAnother = {
  path: "query.cursor",
  code: "custom",
  message: "is a cursor of another organization: omit it to start again",
};

/** Converts a row to an entry in the response format. */
const toEntry = ({ actor_type, actor_id, actor_name, ...entry }: Row): AuditEntry => ({
  id: entry.id,
  at: entry.at,
  action: entry.action,
  entity: entry.entity,
  entity_id: entry.entity_id,
  label: entry.label,
  changed: entry.changed,
  actor: { type: actor_type, id: actor_id, name: actor_name },
  request_id: entry.request_id,
});
