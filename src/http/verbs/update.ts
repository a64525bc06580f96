import * as z from "zod";
import type { Columns } from "../../database/collection.ts";
import { abortOnAny, abortOnFirst, changedSince, notFound } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { replaceOwn } from "../../database/write-own.ts";
import type { ErrorCode } from "../../errors.ts";
import { authenticate } from "../authenticate.ts";
import type { BodyBounds } from "../body/large-bodies.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { found } from "../found.ts";
import { ifMatch } from "../input/entity-tag.ts";
import { recordPath } from "../input/id.ts";
import { requireSameId } from "../input/same-id.ts";
import { requireScope } from "../scope.ts";
import { validate } from "../validate.ts";
import {
  type Change,
  type ChangeOptions,
  type OwnChange,
  type RecordRow,
  type Resource,
  shownRecord,
  type TenantContext,
} from "./resource.ts";
import { respondRecord } from "./respond-record.ts";

const header = z.object({ "if-match": ifMatch });

/** @see {@link updates} */
interface UpdateOptions<Body extends z.ZodType, Code extends ErrorCode>
  extends ChangeOptions<Code> {
  body: Body;
  /** How large the body may be, if it is not a usual one. */
  bounds?: BodyBounds;
  update(
    c: TenantContext,
    id: string,
    record: z.output<Body>,
  ): Change | OwnChange | Promise<Change>;
}

/**
 * The handlers that replace one record, in one transaction: of two callers with the same If-Match
 * exactly one succeeds, and without it the last one wins (API contract, section 7).
 */
export const updates = <
  Read extends Columns,
  Item,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code>,
) =>
  factory.createHandlers(
    authenticate(options.role),
    requireScope(options.scope),
    validate({ param: recordPath, header, json: options.body }, { bounds: options.bounds }),
    handles({
      verb: { name: "update", path: resource.path },
      errors: ["entity_not_found", "precondition_failed", ...options.errors],
      responses: { 200: ["ETag"] },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const record = c.req.valid("json");
      const tags = c.req.valid("header")["if-match"];
      requireSameId(record.id, id);
      const change = await options.update(c, id, record);
      const isOwn = "set" in change;
      const guards = [
        notFound(resource, id),
        ...(tags ? [changedSince(resource, id, tags)] : []),
        ...change.guards,
      ];
      const [{ rows }] = await c.var.tenant.run(
        (database) => [
          database.execute<RecordRow>(
            isOwn ? replaceOwn(resource, id, { ...change, tags }) : shownRecord(resource, id),
          ),
        ],
        {
          violations: options.violations,
          first: (database) =>
            isOwn
              ? // Without guards of its own, the statement itself tells all.
                abortOnAny(database, change.guards.length === 0 ? [] : guards)
              : [
                  ...(change.locks ?? [lock(resource, [id])]).map((each) => database.execute(each)),
                  abortOnFirst(database, guards),
                  ...change.write(database),
                  ...abortOnAny(database, change.finally),
                ],
        },
      );
      const row = found(rows, resource.entity, id);
      return respondRecord(c, resource, row, { id, isWritten: true });
    },
  );
