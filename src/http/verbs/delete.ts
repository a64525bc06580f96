import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { type Collection, type Columns, deleteRecords } from "../../database/collection.ts";
import { changedSince, type Guard, notFound, passes } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import type { ErrorCode } from "../../errors/errors.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { ok } from "../envelope.ts";
import { factory } from "../factory.ts";
import { ifMatch } from "../input/entity-tag.ts";
import { recordPath } from "../input/id.ts";
import { idSet } from "../input/set.ts";
import { requireScope } from "../scope.ts";
import { validate } from "../validation/validate.ts";
import type { ChangeOptions, Resource } from "./resource.ts";

const header = z.object({ "if-match": ifMatch });

interface DeleteOptions<Code extends ErrorCode> extends ChangeOptions<Code> {
  /**
   * Locks every row that the deletion writes. By default, only the records themselves are locked.
   */
  locks?(ids: readonly string[]): readonly SQL[];
  /** True if the deletion may take `longDeadlineFactor` times the usual deadline. */
  isLong?: boolean;
}

/** @see {@link deletesMany} */
interface DeleteManyOptions<Code extends ErrorCode> extends DeleteOptions<Code> {
  /** The guards for deleting these records. */
  guards?(ids: readonly string[]): readonly Guard[];
}

/** @see {@link deletesOne} */
interface DeleteOneOptions<Code extends ErrorCode, Query extends z.ZodType>
  extends DeleteOptions<Code> {
  query: Query;
  guards?(ids: readonly string[], query: z.output<Query>): readonly Guard[];
}

const locksOf = (
  resource: Collection,
  { locks }: DeleteOptions<ErrorCode>,
  ids: readonly string[],
): readonly SQL[] => locks?.(ids) ?? [lock(resource, ids)];

/** The query of a deletion that does not take parameters. */
export const noQuery = z.strictObject({});

/** The handlers that delete one record (API contract, section 7). */
export const deletesOne = <
  Read extends Columns,
  Item,
  Code extends ErrorCode,
  Query extends z.ZodType,
>(
  resource: Resource<Read, Item>,
  options: DeleteOneOptions<Code, Query>,
) =>
  factory.createHandlers(
    authenticate(options.role),
    requireScope(options.scope),
    validate({ param: recordPath, query: options.query, header }),
    handles({
      verb: { name: "delete", path: resource.path },
      errors: ["entity_not_found", "precondition_failed", ...options.errors],
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const tags = c.req.valid("header")["if-match"];
      await c.var.tenant.run(
        (database) => [
          ...locksOf(resource, options, [id]).map((each) => database.execute(each)),
          database.execute(
            deleteRecords(
              resource,
              [id],
              passes([
                notFound(resource, id),
                ...(tags ? [changedSince(resource, id, tags)] : []),
                ...(options.guards?.([id], c.req.valid("query")) ?? []),
              ]),
            ),
          ),
        ],
        { violations: options.violations, isLong: options.isLong },
      );
      return ok(c, {});
    },
  );

const maximumIds = 1000;

const ids = idSet
  .min(1, { error: "must have at least 1 member" })
  .meta({ id: "Ids", description: `1 to ${maximumIds} ids without duplicates.` });

/** The error message for a bulk delete with the wrong body. */
const holdsIds = 'send an array of ids, as in ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"]';

/**
 * The handlers that delete up to 1,000 records atomically. Ids that the caller cannot see are
 * skipped (API contract, section 7).
 */
export const deletesMany = <Read extends Columns, Item, Code extends ErrorCode>(
  resource: Resource<Read, Item>,
  options: DeleteManyOptions<Code>,
) =>
  factory.createHandlers(
    authenticate(options.role),
    requireScope(options.scope),
    validate({ json: ids }, { elsewhere: { body: holdsIds } }),
    handles({ verb: { name: "deleteMany", path: resource.path }, errors: options.errors }),
    async (c) => {
      const requestedIds = c.req.valid("json");
      const [deleted] = await c.var.tenant.run(
        (database) => [
          database.execute<{ deleted_count: number }>(sql`
            with deleted as (
              ${deleteRecords(resource, requestedIds, passes(options.guards?.(requestedIds) ?? []))}
              returning 1)
            select count(*)::int as deleted_count from deleted`),
        ],
        {
          violations: options.violations,
          isLong: options.isLong,
          first: (database) =>
            locksOf(resource, options, requestedIds).map((each) => database.execute(each)),
        },
      );
      const deleted_count = deleted.rows[0]?.deleted_count ?? 0;
      return ok(c, { requested_count: requestedIds.length, deleted_count });
    },
  );

/**
 * The handlers that delete one record, and the handlers that delete up to 1,000 records under the
 * same rules.
 */
export const deletes = <Read extends Columns, Item, Code extends ErrorCode>(
  resource: Resource<Read, Item>,
  options: DeleteManyOptions<Code>,
) =>
  [deletesOne(resource, { ...options, query: noQuery }), deletesMany(resource, options)] as const;
