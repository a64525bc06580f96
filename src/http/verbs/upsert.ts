import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import {
  type Columns,
  isRecord,
  keyOf,
  type RecordTable,
  shownTag,
  where,
} from "../../database/collection.ts";
import { ApiError, type ErrorCode } from "../../errors/errors.ts";
import { authenticate } from "../authenticate.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { ifMatchOrAny, ifNoneMatch } from "../input/entity-tag.ts";
import { externalId } from "../input/own-data.ts";
import { requireSameId } from "../input/same-id.ts";
import { requireScope } from "../scope.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";
import { validate } from "../validation/validate.ts";
import { type CreateOptions, createOne } from "./create.ts";
import type { RecordRow, Resource, TenantContext } from "./resource.ts";
import { respondCreated, respondRecord } from "./respond-record.ts";
import {
  maximumAttempts,
  replace,
  requireTag,
  type UpdateOptions,
  validateRecord,
} from "./update.ts";

const param = z.object({ external_id: externalId });
const header = z.object({ "if-match": ifMatchOrAny, "if-none-match": ifNoneMatch });

/** The body of a record that has an external id. */
type OwnedBody = z.ZodType<{ id?: string | undefined; external_id: string | null }>;

/**
 * The body as it was sent. Whether it must be valid for a creation is known only after the record
 * has been looked up.
 */
const sentBody = <Body extends z.ZodType>() =>
  z.preprocess((body: z.input<Body>): unknown => body, z.unknown());

/**
 * Requires the path to be UTF-8 in percent-encoding. Hono decodes the rest of a malformed path, and
 * would read another external id.
 * @throws {ApiError} 400
 */
function requireUtf8(url: string): void {
  try {
    decodeURIComponent(new URL(url).pathname);
  } catch {
    const message = "must be UTF-8 in percent-encoding, as encodeURIComponent writes it";
    throw validationFailed(IssueList.of({ path: "path.external_id", message, code: "custom" }));
  }
}

/**
 * Validates a body, and gives the record the external id in the path.
 * @throws {ApiError} 400
 */
export function withExternalId<Body extends OwnedBody>(
  body: Body,
  sent: unknown,
  external_id: string,
): z.output<Body> {
  const record = validateRecord(body, sent);
  if (record.external_id !== null && record.external_id !== external_id) {
    const message = "must be the external id in the path, or be omitted";
    throw validationFailed(IssueList.of({ path: "body.external_id", message, code: "custom" }));
  }
  return { ...record, external_id };
}

/**
 * Finds the live record with an external id that the caller can access, and whether the creation
 * still fails as it did before.
 * @param failure the error of the previous creation, if any
 */
async function findRecord<Read extends Columns, Item>(
  { var: { tenant } }: TenantContext,
  resource: Resource<Read, Item>,
  external_id: string,
  failure: ApiError | null,
): Promise<{ stored: { id: string; etag: string } | undefined; stillFails: boolean }> {
  const { table } = resource;
  const select = (condition: SQL) => sql`
    select ${keyOf(resource)} as id, ${shownTag(resource)} as etag from ${table}
    where ${where(resource, [condition])} limit 1`;
  const taken = takenRecord(resource, failure);
  const [{ rows }, ...others] = await tenant.run(
    (database) => [
      database.execute<{ id: string; etag: string }>(
        select(sql`${table}.external_id = ${external_id}`),
      ),
      ...(taken === undefined ? [] : [database.execute(select(isRecord(resource, taken)))]),
    ],
    { isRead: true },
  );
  const stillFails = failure !== null && others.every((other) => other.rows.length > 0);
  return { stored: rows[0], stillFails };
}

/** The id of the record because of which a creation failed, if it is of the same kind. */
const takenRecord = (
  { entity }: Pick<RecordTable, "entity">,
  failure: ApiError | null,
): string | undefined =>
  failure !== null &&
  "entity" in failure.params &&
  "id" in failure.params &&
  failure.params.entity === entity
    ? failure.params.id
    : undefined;

/** The part of an upsert that creates a record, and its responses. */
interface Upsert<Code extends ErrorCode, Created extends Response, Replaced extends Response> {
  /** The errors of the creation. */
  errors: readonly Code[];
  /** @param sent the body as it was sent */
  create(c: TenantContext, sent: unknown, external_id: string): Promise<Created>;
  /** @param row a row of `shownRecord` */
  respond(c: TenantContext, row: RecordRow, id: string): Promise<Replaced>;
}

/**
 * The handlers that create the record with an external id, or replace it (API contract, section 7).
 * They look the record up, and write it unless another request has changed, created or deleted it in
 * the meantime. This takes two database calls.
 */
export const upsertsWith = <
  Read extends Columns,
  Item extends object,
  Body extends OwnedBody,
  Code extends ErrorCode,
  CreationCode extends ErrorCode,
  Created extends Response,
  Replaced extends Response,
>(
  resource: Resource<Read, Item>,
  replacement: UpdateOptions<Body, Code, Item>,
  { errors, create, respond }: Upsert<CreationCode, Created, Replaced>,
) =>
  factory.createHandlers(
    authenticate(replacement.role),
    requireScope(replacement.scope),
    validate(
      { param, header, json: sentBody<Body>() },
      { bounds: replacement.bounds, described: replacement.body },
    ),
    handles({
      verb: { name: "upsert", path: resource.path },
      errors: ["entity_already_exists", "precondition_failed", ...replacement.errors, ...errors],
      responses: { 200: ["ETag"], 201: ["ETag", "Location"] },
    }),
    async (c) => {
      requireUtf8(c.req.url);
      const { external_id } = c.req.valid("param");
      const { "if-match": expected, "if-none-match": isExcluded } = c.req.valid("header");
      const sent = c.req.valid("json");
      const record = withExternalId(replacement.body, sent, external_id);
      let failure: ApiError | null = null;
      for (let attempts = 0; attempts < maximumAttempts; attempts++) {
        const { stored, stillFails } = await findRecord(c, resource, external_id, failure);
        if (stored === undefined) {
          // The conflict has another cause, or the caller cannot access the record.
          if (failure !== null && stillFails) {
            throw failure;
          }
          if (expected !== undefined) {
            throw new ApiError("precondition_failed", { reason: "missing" });
          }
          try {
            return await create(c, sent, external_id);
          } catch (error) {
            failure = raceIn(error, ["entity_already_exists", "request_conflict"]);
            continue;
          }
        }
        const { id, etag } = stored;
        if (isExcluded?.(etag)) {
          throw new ApiError("precondition_failed", { etag, reason: "exists" });
        }
        requireTag(resource, etag, expected === "*" ? undefined : expected);
        requireSameId(
          record.id,
          id,
          `must be ${id}, the id of the record with this external id, or be omitted`,
        );
        try {
          const row = await replace(c, resource, replacement, { id, record, tags: [etag] });
          return await respond(c, row, id);
        } catch (error) {
          raceIn(error, ["precondition_failed", "entity_not_found"]);
          failure = null;
        }
      }
      throw new ApiError("request_conflict", {});
    },
  );

/**
 * Returns an error that another request may have caused by creating, changing or deleting the record
 * in the meantime.
 * @throws the error, if it has another code
 */
function raceIn(error: unknown, codes: readonly ErrorCode[]): ApiError {
  if (error instanceof ApiError && codes.includes(error.code)) {
    return error;
  }
  throw error;
}

/**
 * {@link upsertsWith} for a resource whose creation responds with the record.
 * @example
 * export const upsert = upserts(tagResource, creation, replacement);
 */
export const upserts = <
  Read extends Columns,
  Item extends object,
  NewBody extends OwnedBody,
  NewCode extends ErrorCode,
  Body extends OwnedBody,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  creation: CreateOptions<NewBody, NewCode>,
  replacement: UpdateOptions<Body, Code, Item>,
) =>
  upsertsWith(resource, replacement, {
    errors: creation.errors,
    create: async (c, sent, external_id) => {
      const record = withExternalId(creation.body, sent, external_id);
      const { row, ...created } = await createOne(c, resource, creation, {
        record,
        idempotencyKey: undefined,
      });
      return respondCreated(c, resource, row, created);
    },
    respond: (c, row, id) => respondRecord(c, resource, row, { id, isWritten: true }),
  });
