import * as z from "zod";
import { type Columns, inOrderOf, pageOf } from "../../database/collection.ts";
import type { PathOf } from "../../database/guards.ts";
import type { ErrorCode } from "../../errors/errors.ts";
import { uuidV7 } from "../../uuid.ts";
import { authenticate } from "../authenticate.ts";
import type { BodyBounds } from "../body/large-bodies.ts";
import { handles } from "../declares.ts";
import { factory } from "../factory.ts";
import { found } from "../found.ts";
import {
  type ChildId,
  eachOnce,
  eachWithOwnChildren,
  idKey,
  type ListKey,
} from "../input/each-once.ts";
import { idempotencyKey } from "../input/idempotency-key.ts";
import { requireScope } from "../scope.ts";
import { validate } from "../validation/validate.ts";
import { createOnce } from "./create-once.ts";
import {
  type Change,
  type ChangeOptions,
  type OwnCreation,
  type Resource,
  shownRecord,
  type TenantContext,
} from "./resource.ts";
import { respondCreated, respondCreatedMany } from "./respond-record.ts";

export const createHeader = z.object({ "idempotency-key": idempotencyKey });

/** A record to be written. */
export type Identified<Record> = Record & {
  /** The id chosen by the caller, or a generated one. */
  id: string;
};

/** @see {@link creates} */
export interface CreateOptions<Body extends z.ZodType, Code extends ErrorCode>
  extends ChangeOptions<Code> {
  body: Body;
  /** Limits for the body, if they differ from the default limits. */
  bounds?: BodyBounds;
  /** A key that, like the id, must be different for each record in a bulk create. */
  naturalKey?: ListKey<z.output<Body>>;
  /** The ids that the caller chose for a record's children. */
  childIds?(record: z.output<Body>): readonly ChildId[];
  /** @param records a single record, or the records of a bulk create */
  create(
    c: TenantContext,
    records: readonly Identified<z.output<Body>>[],
    pathOf: PathOf,
  ): Change | OwnCreation | Promise<Change>;
}

const identified = <Record extends { id?: string | undefined }>(
  record: Record,
): Identified<Record> => ({ ...record, id: record.id ?? uuidV7() });

/** The path prefix of the fields in a body with one record. */
export const ofBody: PathOf = () => "body.";

/** The path prefix of a record's fields in the body of a bulk create. */
export const inBulkBody: PathOf = (position) => `body[${position}].`;

const handlesCreation = <const Codes extends readonly ErrorCode[]>(
  verb: { name: "create" | "createMany"; path: string },
  errors: Codes,
  headers: readonly ("ETag" | "Location")[] = [],
) =>
  handles({
    verb,
    errors: ["entity_already_exists", "idempotency_key_reused", ...errors],
    responses: { 201: [...headers, "Idempotent-Replayed"] },
  });

/**
 * Creates one record.
 * @param record the record in the request, whose id the caller may have chosen
 * @throws {ApiError} the errors that the operation declares
 */
export async function createOne<
  Read extends Columns,
  Item,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  c: TenantContext,
  resource: Resource<Read, Item>,
  options: CreateOptions<Body, Code>,
  { record, idempotencyKey }: { record: z.output<Body>; idempotencyKey: string | undefined },
) {
  const own = identified(record);
  const result = await createOnce(c, resource, {
    ids: [own.id],
    areChosen: record.id !== undefined,
    idempotencyKey,
    pathOf: ofBody,
    change: await options.create(c, [own], ofBody),
    violations: options.violations,
    readAgain: ([id = ""]) => shownRecord(resource, id),
  });
  const id = result.ids[0] ?? own.id;
  return { id, row: found(result.rows, resource.entity, id), isReplayed: result.isReplayed };
}

/**
 * The handlers that create one record. They respond with 201, `Location` and `ETag` (API contract,
 * section 7).
 */
const createsOne = <
  Read extends Columns,
  Item,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: CreateOptions<Body, Code>,
) =>
  factory.createHandlers(
    authenticate(options.role),
    requireScope(options.scope),
    validate(
      { header: createHeader, json: options.body },
      {
        bounds: options.bounds,
        elsewhere: { body: `send an array to POST ${resource.path}/bulk` },
      },
    ),
    handlesCreation(
      { name: "create", path: resource.path },
      // The record that an earlier request with the same Idempotency-Key created may have been
      // deleted.
      ["entity_not_found", ...options.errors],
      ["ETag", "Location"],
    ),
    async (c) => {
      const { row, ...created } = await createOne(c, resource, options, {
        record: c.req.valid("json"),
        idempotencyKey: c.req.valid("header")["idempotency-key"],
      });
      return respondCreated(c, resource, row, created);
    },
  );

/** Maximum number of records in a bulk create (API contract, section 7). */
export const maximumRecords = 100;

/**
 * The handlers that create 1 to 100 records atomically and return them in the order in which they
 * were sent.
 */
const createsMany = <
  Read extends Columns,
  Item,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: CreateOptions<Body, Code>,
) =>
  factory.createHandlers(
    authenticate(options.role),
    requireScope(options.scope),
    validate(
      { header: createHeader, json: bulk(options) },
      {
        bounds: options.bounds,
        elsewhere: { body: `send a single record to POST ${resource.path}` },
      },
    ),
    handlesCreation({ name: "createMany", path: resource.path }, options.errors),
    async (c) => {
      const records = c.req.valid("json").map(identified);
      const result = await createOnce(c, resource, {
        ids: records.map(({ id }) => id),
        areChosen: c.req.valid("json").some(({ id }) => id !== undefined),
        idempotencyKey: c.req.valid("header")["idempotency-key"],
        pathOf: inBulkBody,
        change: await options.create(c, records, inBulkBody),
        violations: options.violations,
        readAgain: (ids) =>
          pageOf(resource, inOrderOf(resource, ids), { limit: ids.length, offset: 0 }),
      });
      return respondCreatedMany(c, resource, result);
    },
  );

/**
 * The handlers that create one record, the handlers that create up to 100 records, and the options,
 * for `upserts`.
 */
export const creates = <
  Read extends Columns,
  Item,
  Body extends z.ZodType<{ id?: string | undefined }>,
  Code extends ErrorCode,
>(
  resource: Resource<Read, Item>,
  options: CreateOptions<Body, Code>,
) => [createsOne(resource, options), createsMany(resource, options), options] as const;

/** The body of a bulk create: 1 to 100 records with different ids. */
export const bulk = <Body extends z.ZodType<{ id?: string | undefined }>>({
  body,
  naturalKey,
  childIds,
}: Pick<CreateOptions<Body, ErrorCode>, "body" | "naturalKey" | "childIds">) =>
  z
    .array(body)
    .min(1, { error: "must have at least 1 member" })
    .max(maximumRecords, { error: `must have at most ${maximumRecords} members` })
    .check(
      eachOnce(idKey, ...(naturalKey ? [naturalKey] : [])),
      ...(childIds ? [eachWithOwnChildren(childIds)] : []),
    );
