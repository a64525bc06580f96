import type { SQL } from "drizzle-orm";
import * as z from "zod";
import {
  type Collection,
  type Columns,
  type RecordTable,
  recordWith,
} from "../../database/collection.ts";
import { pick } from "../../database/columns-of.ts";
import type { BodyPath } from "../../database/failure.ts";
import {
  abortOnAny,
  changedSince,
  isExpected,
  isSameTag,
  notFound,
} from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { replaceOwn } from "../../database/write-own.ts";
import { ApiError, type ErrorCode } from "../../errors/errors.ts";
import { authenticate } from "../authenticate.ts";
import type { BodyBounds } from "../body/large-bodies.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { found } from "../found.ts";
import { ifMatch } from "../input/entity-tag.ts";
import { recordPath } from "../input/id.ts";
import { requireSameId } from "../input/same-id.ts";
import { requireScope } from "../scope.ts";
import { issueMessage } from "../validation/issue-message.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";
import { validate } from "../validation/validate.ts";
import { addIssues } from "../validation/zod-issues.ts";
import { type Identified, ofBody } from "./create.ts";
import { mergePatch, mergePatchOf, patchMediaTypes } from "./merge-patch.ts";
import {
  type Change,
  type ChangeOptions,
  type CheckedChange,
  guardedWrites,
  type OwnChange,
  type RecordRow,
  type Resource,
  shownRecord,
  type TenantContext,
} from "./resource.ts";
import { respondRecord } from "./respond-record.ts";

const header = z.object({ "if-match": ifMatch });

/** @see {@link updates} */
export interface UpdateOptions<Body extends z.ZodType, Code extends ErrorCode, Item>
  extends ChangeOptions<Code> {
  body: Body;
  /** Limits for the body, if they differ from the default limits. */
  bounds?: BodyBounds;
  /** Converts a record to the body that a patch starts from; by default, the whole record. */
  patched?(record: Item): object;
  /**
   * Fields that PUT leaves unchanged if they are omitted. The body that a patch starts from omits
   * them, so they are validated only if the patch contains them.
   */
  kept?: readonly (keyof Item & string)[];
  /** Locks every row that the change writes. By default, only the record itself is locked. */
  locks?(records: readonly Identified<z.output<Body>>[]): readonly SQL[];
  /**
   * Locks every row that the changes of a bulk patch write, in the order that all changes use. By
   * default, `locks` does.
   */
  locksOfMany?(records: readonly Identified<z.output<Body>>[]): readonly SQL[];
  update(
    c: TenantContext,
    id: string,
    record: z.output<Body>,
    /** The path prefix of the record's fields in the body. */
    path: BodyPath,
  ): Change | OwnChange | Promise<Change | CheckedChange>;
}

/** The new state of a record. */
interface Replacement<Record> {
  id: string;
  record: Record;
  /** The entity tags that the current state may have; undefined if any tag is allowed. */
  tags: readonly string[] | undefined;
}

/**
 * Replaces a record in one transaction, and reads it back.
 * @throws {ApiError} the errors that the operation declares
 */
export async function replace<
  Read extends Columns,
  Item,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code, Item>,
  { id, record, tags }: Replacement<z.output<Body>>,
): Promise<RecordRow> {
  const change = await options.update(c, id, record, ofBody(0));
  const isOwn = "set" in change;
  const guardsOf = ({ guards }: Pick<Change, "guards">) => [
    notFound(resource, id),
    ...(tags ? [changedSince(resource, id, tags)] : []),
    ...guards,
  ];
  const [{ rows }] = await c.var.tenant.run(
    (database) => [
      database.execute<RecordRow>(
        isOwn
          ? replaceOwn(resource, id, {
              ...{ set: change.set, tags },
              // Without guards, the statement itself reports every failure.
              guards: change.guards.length === 0 ? [] : guardsOf(change),
            })
          : shownRecord(resource, id),
      ),
    ],
    {
      violations: options.violations,
      first: (database) => {
        if ("replace" in change) {
          return [database.execute(change.replace(tags))];
        }
        return isOwn
          ? []
          : [
              ...(
                change.locks ??
                options.locks?.([{ ...record, id }]) ?? [lock(resource, [id])]
              ).map((each) => database.execute(each)),
              ...guardedWrites(database, change, guardsOf(change), isExpected(resource, tags)),
              ...abortOnAny(database, change.finally),
            ];
      },
    },
  );
  return found(rows, resource.entity, id);
}

/**
 * The handlers for PUT. Of two callers that send the same If-Match, exactly one succeeds. Without
 * If-Match, the last write wins (API contract, section 7).
 */
const puts = <
  Read extends Columns,
  Item extends object,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code, Item>,
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
      const row = await replace(c, resource, options, { id, record, tags });
      return respondRecord(c, resource, row, { id, isWritten: true });
    },
  );

/**
 * Maximum number of attempts at a change, if the record changes between the read and the write.
 */
export const maximumAttempts = 2;

/**
 * The handlers for PATCH (RFC 7396). They read a record, apply the patch and replace the record
 * unless it has changed in the meantime. This takes two database calls.
 */
const patches = <
  Read extends Columns,
  Item extends object,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code, Item>,
) =>
  factory.createHandlers(
    authenticate(options.role),
    requireScope(options.scope),
    validate(
      { param: recordPath, header, json: mergePatchOf<Body>(resource.entity) },
      {
        bounds: options.bounds,
        jsonTypes: patchMediaTypes,
        elsewhere: { body: 'send the fields to change, as in {"name": …}' },
      },
    ),
    handles({
      verb: { name: "patch", path: resource.path },
      patched: options.body,
      errors: ["entity_not_found", "precondition_failed", ...options.errors],
      responses: { 200: ["ETag"] },
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const patch = c.req.valid("json");
      const expected = c.req.valid("header")["if-match"];
      const attempt = async () => {
        const { base, etag } = await patchBase(c, resource, options, id);
        requireTag(resource, etag, expected);
        const record = validateRecord(options.body, mergePatch(base, patch));
        requireSameId(record.id, id);
        // Null if the record has changed in the meantime.
        return replace(c, resource, options, { id, record, tags: [etag] }).catch(
          (error: unknown) => {
            if (error instanceof ApiError && error.code === "precondition_failed") {
              return null;
            }
            throw error;
          },
        );
      };
      for (let attempts = 0; attempts < maximumAttempts; attempts++) {
        const row = await attempt();
        if (row !== null) {
          return respondRecord(c, resource, row, { id, isWritten: true });
        }
      }
      throw new ApiError("request_conflict", {});
    },
  );

/** Reads the body that a patch of one record starts from. */
async function patchBase<
  Read extends Columns,
  Item,
  Body extends z.ZodType,
  Code extends ErrorCode,
>(
  { var: { tenant } }: TenantContext,
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code, Item>,
  id: string,
): Promise<{ base: object; etag: string }> {
  const [{ rows }] = await tenant.run(
    (database) => [database.execute<RecordRow>(recordWith(baseSource(resource), id))],
    { isRead: true },
  );
  const row = found(rows, resource.entity, id);
  return { base: baseOf(resource, options, row), etag: row.etag };
}

/** The collection with the columns from which the body that a patch starts from is made. */
export const baseSource = <Read extends Columns, Item>(
  resource: Resource<Read, Item>,
): Collection => (resource.inParts ? { ...resource, columns: resource.inParts.head } : resource);

/**
 * Converts a row of {@link baseSource} to the body that a patch starts from: the record without its
 * potentially large lists, which PUT keeps if they are omitted.
 */
export function baseOf<Read extends Columns, Item, Body extends z.ZodType, Code extends ErrorCode>(
  { inParts, columns, toItem }: Resource<Read, Item>,
  { patched, kept = [] }: Pick<UpdateOptions<Body, Code, Item>, "patched" | "kept">,
  row: RecordRow,
): object {
  const taken = (item: Item): object => patched?.(item) ?? Object(item);
  const stored = inParts
    ? inParts.toHead(pick(inParts.head, row))
    : taken(toItem(pick(columns, row)));
  const base = Object.entries(stored).filter(([name]) => !kept.some((field) => field === name));
  return Object.fromEntries(base);
}

/**
 * Requires a record that has just been read to have one of the entity tags of If-Match.
 * @param expected undefined if any tag is allowed
 * @throws {ApiError} 412
 */
export function requireTag(
  records: Pick<RecordTable, "observed">,
  etag: string,
  expected: readonly string[] | undefined,
): void {
  if (expected !== undefined && !expected.some((tag) => isSameTag(records, tag, etag))) {
    throw new ApiError("precondition_failed", {
      etag,
      ...(expected.length === 0 && { is_weak: true }),
    });
  }
}

/**
 * Validates a record as the body of another operation.
 * @throws {ApiError} 400
 */
export function validateRecord<Body extends z.ZodType>(body: Body, value: unknown): z.output<Body> {
  const { data, error } = body.safeParse(value, { error: issueMessage });
  if (error) {
    const issues = new IssueList();
    addIssues(issues, "body", error.issues);
    throw validationFailed(issues);
  }
  return data;
}

/**
 * The handlers for PUT and PATCH of one record, and the options, for `upserts` and `patchesMany`.
 * @example
 * export const [update, patch] = updates(tagResource, { … });
 */
export const updates = <
  Read extends Columns,
  Item extends object,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code, Item>,
) => [puts(resource, options), patches(resource, options), options] as const;
