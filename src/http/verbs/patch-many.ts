import * as z from "zod";
import {
  type Columns,
  inOrderOf,
  pageBytes,
  pageOf,
  recordsOf,
  tagsOf,
  withTag,
} from "../../database/collection.ts";
import type { Database } from "../../database/connection.ts";
import { abortOnAny, abortOnFirst, anyChangedSince } from "../../database/guards.ts";
import { lock } from "../../database/locks.ts";
import { replaceOwn } from "../../database/write-own.ts";
import { ApiError, type ErrorCode } from "../../errors/errors.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { eachOnce, idKey } from "../input/each-once.ts";
import { id } from "../input/id.ts";
import { nullIfTooLarge } from "../list/chunk-size.ts";
import { requireScope } from "../scope.ts";
import { issueMessage } from "../validation/issue-message.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";
import { validate } from "../validation/validate.ts";
import { addIssues } from "../validation/zod-issues.ts";
import { inBulkBody, maximumRecords } from "./create.ts";
import { mergePatch, mergePatchOf } from "./merge-patch.ts";
import {
  type Change,
  type CheckedChange,
  guardedWrites,
  type OwnChange,
  type RecordRow,
  type Resource,
  type TenantContext,
} from "./resource.ts";
import { respondChanged } from "./respond-record.ts";
import { baseOf, baseSource, maximumAttempts, type UpdateOptions } from "./update.ts";

/** A patch in the body, with the id of its record. */
type IdentifiedPatch = { id: string } & Readonly<Record<string, unknown>>;

/** The body of a bulk patch: 1 to 100 patches with different ids. */
const patchesOf = <Body extends z.ZodType>(entity: string) =>
  z
    .array(mergePatchOf<Body, { id: string }>(entity))
    .min(1, { error: "must have at least 1 member" })
    .max(maximumRecords, { error: `must have at most ${maximumRecords} members` })
    .check(({ value, issues }) => {
      for (const [position, patch] of value.entries()) {
        const { error } = id.safeParse(patch["id"], { error: issueMessage });
        for (const { message } of error?.issues ?? []) {
          issues.push({ code: "custom", input: patch, path: [position, "id"], message });
        }
      }
    });

/** Gives each patch its id in lower case, and requires the ids to be different. */
function identified(patches: readonly Readonly<Record<string, unknown>>[]): IdentifiedPatch[] {
  const all = patches.map((patch) => ({ ...patch, id: id.parse(patch["id"]) }));
  const { error } = z
    .array(z.custom<IdentifiedPatch>())
    .check(eachOnce(idKey))
    .safeParse(all, { error: issueMessage });
  if (error) {
    const issues = new IssueList();
    addIssues(issues, "body", error.issues);
    throw validationFailed(issues);
  }
  return all;
}

/** A record as it was read, with the body that its patch starts from. */
interface Stored {
  etag: string;
  base: object;
}

/**
 * Reads the records that patches start from, in the order of the patches.
 * @throws {ApiError} 404 for the first record that the caller cannot access; 413 if they are too
 *   large to be read at once
 */
async function readStored<
  Read extends Columns,
  Item,
  Body extends z.ZodType,
  Code extends ErrorCode,
>(
  { var: { tenant } }: TenantContext,
  resource: Resource<Read, Item>,
  options: UpdateOptions<Body, Code, Item>,
  ids: readonly string[],
): Promise<Stored[]> {
  const source = withTag(baseSource(resource));
  const range = { limit: ids.length, offset: 0, total_count: ids.length };
  const page = pageOf(source, inOrderOf(resource, ids), range);
  const answer = await tenant
    .run((database) => [database.execute<RecordRow>(page)], { isRead: true })
    .catch(nullIfTooLarge);
  if (answer === null) {
    throw new ApiError("request_too_large", { max_bytes: pageBytes, reason: "records" });
  }
  const found = new Map(answer[0].rows.map((row) => [row["id"], row]));
  return ids.map((recordId, position) => {
    const row = found.get(recordId);
    if (row === undefined) {
      throw new ApiError("entity_not_found", {
        entity: resource.entity,
        id: recordId,
        field: `${inBulkBody(position)}id`,
      });
    }
    return { etag: row.etag, base: baseOf(resource, options, row) };
  });
}

/**
 * Applies each patch to its record, and validates the results as bodies of PUT.
 * @throws {ApiError} 400 with the issues of all records
 */
function patchedRecords<Body extends z.ZodType>(
  body: Body,
  patches: readonly IdentifiedPatch[],
  stored: readonly Stored[],
): z.output<Body>[] {
  const issues = new IssueList();
  const records = patches.flatMap((patch, position) => {
    const { data, error } = body.safeParse(mergePatch(stored[position]?.base, patch), {
      error: issueMessage,
    });
    if (error) {
      addIssues(issues, `body[${position}]`, error.issues);
      return [];
    }
    return [data];
  });
  if (issues.count > 0) {
    throw validationFailed(issues);
  }
  return records;
}

/** The statements of one change, behind the locks and after the check of the entity tags. */
function statementsOf<Read extends Columns, Item>(
  database: Database,
  resource: Resource<Read, Item>,
  recordId: string,
  change: Change | OwnChange | CheckedChange,
) {
  if ("replace" in change) {
    return [database.execute(change.replace(undefined))];
  }
  return "set" in change
    ? [
        database.execute(
          replaceOwn(resource, recordId, {
            ...{ set: change.set, tags: undefined, guards: change.guards },
          }),
        ),
      ]
    : [...guardedWrites(database, change, change.guards), ...abortOnAny(database, change.finally)];
}

/**
 * The handlers for PATCH of 1 to 100 records (API contract, section 7). They read the records, apply
 * the patches, and replace the records one after another in one transaction, unless one of them has
 * changed in the meantime. This takes two database calls, and another one for records that are sent
 * in parts.
 */
export const patchesMany = <
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
      { json: patchesOf<Body>(resource.entity) },
      {
        bounds: options.bounds,
        elsewhere: { body: 'send an array of patches, as in [{"id": …, "name": …}]' },
      },
    ),
    handles({
      verb: { name: "patchMany", path: resource.path },
      patched: options.body,
      hasTags: true,
      errors: ["entity_not_found", ...options.errors],
    }),
    async (c) => {
      const patches = identified(c.req.valid("json"));
      const ids = patches.map((patch) => patch.id);
      /** Returns null if one of the records has changed in the meantime. */
      const attempt = async () => {
        const stored = await readStored(c, resource, options, ids);
        const records = patchedRecords(options.body, patches, stored).map((record, position) => ({
          ...record,
          id: ids[position] ?? "",
        }));
        const changes: (Change | OwnChange | CheckedChange)[] = [];
        for (const [position, record] of records.entries()) {
          changes.push(await options.update(c, record.id, record, inBulkBody(position)));
        }
        const expected = stored.map(({ etag }, position) => ({ id: ids[position] ?? "", etag }));
        const locks = options.locksOfMany?.(records) ??
          options.locks?.(records) ?? [lock(resource, ids)];
        const [{ rows }] = await c.var.tenant.run(
          (database) => [
            database.execute<RecordRow>(
              resource.inParts ? tagsOf(resource, ids) : recordsOf(resource, ids),
            ),
          ],
          {
            violations: options.violations,
            first: (database) => [
              ...locks.map((each) => database.execute(each)),
              abortOnFirst(database, [anyChangedSince(resource, expected)]),
              ...changes.flatMap((change, position) =>
                statementsOf(database, resource, ids[position] ?? "", change),
              ),
            ],
          },
        );
        return rows;
      };
      for (let attempts = 0; attempts < maximumAttempts; attempts++) {
        const rows = await attempt().catch((error: unknown) => {
          if (error instanceof ApiError && error.code === "precondition_failed") {
            return null;
          }
          throw error;
        });
        if (rows !== null) {
          return respondChanged(c, resource, { ids, rows });
        }
      }
      throw new ApiError("request_conflict", {});
    },
  );
