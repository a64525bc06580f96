import { NeonDbError } from "@neondatabase/serverless";
import * as z from "zod";
import { ApiError, type ErrorParams, isErrorCode, parseApiError } from "../errors/errors.ts";
import { DatabaseFailure, ReplayedRequest } from "./database-failure.ts";
import { verdictOf } from "./verdict.ts";

/** The `Retry-After`, in seconds, if the database did not respond. */
const retryAfterSeconds = 5;

/** The detail of an error raised by a function in the schema `app`. It is JSON. */
const detailText = z.string().transform((text, { issues }): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    issues.push({ code: "custom", input: text });
    return z.NEVER;
  }
});

/** The error detail of `app.abort`. */
const abortDetail = detailText.pipe(
  z.object({
    code: z.string().refine(isErrorCode),
    params: z.record(z.string(), z.unknown()),
    key_id: z.guid().nullable(),
    organization_id: z.guid().nullable(),
  }),
);

/** The error detail of `app.claim_idempotency` for a request that has already been served. */
const replayDetail = detailText.pipe(
  z.object({
    record_ids: z.array(z.guid()),
    key_id: z.guid(),
    organization_id: z.guid(),
  }),
);

/** The SQLSTATE of `app.abort`. */
const aborted = "INV01";

/** The SQLSTATE of `app.claim_idempotency` for a request that has already been served. */
const replayed = "INV02";

/** SQLSTATEs of concurrent changes: serialization_failure, deadlock_detected. */
const conflicts = new Set(["40001", "40P01"]);

/**
 * SQLSTATEs that mean "unavailable": connections (08), login (28, 3D), resources (53), lock
 * timeouts (55P03), operator intervention, which includes the statement timeout (57), system errors
 * (58), and internal errors of Postgres or of Neon's control plane (XX).
 */
const unavailable = /^(08|28|3D|53|57|58|XX|55P03)/;

/**
 * The properties of a batch that determine the advice to the caller if the database does not
 * respond.
 */
export interface BatchFacts {
  /** True if it writes more than the gate does. */
  isWrite: boolean;
  /** True if it stores a body of more than 64 KiB. */
  isLarge: boolean;
  /** The advice when it is unknown whether the batch was committed. */
  ifUnknown: "repeat" | "repeat_with_same_key" | "read_first";
}

const ofRead: BatchFacts = { isWrite: false, isLarge: false, ifUnknown: "repeat" };

/** The errors for the constraints that a request can violate, by constraint name. */
export type Violations = Readonly<Record<string, (cause: DatabaseFailure) => ApiError>>;

/** The path of a field in the body, as in issues: `body.tags`, `body[2].tags`. */
export type BodyPath = `body${string}`;

/** The error for a referenced record that was deleted between its check and its use. */
export const invalidReference = (entity: string, field: BodyPath) => (cause: DatabaseFailure) =>
  new ApiError("entity_reference_invalid", { entity, field }, { cause });

/** The error for a concurrent change between a check and the use of its result. */
export const conflict = (cause: DatabaseFailure) => new ApiError("request_conflict", {}, { cause });

/**
 * Translates a batch's error into one that may leave this folder: an error from the catalogue, a
 * {@link ReplayedRequest}, or a {@link DatabaseFailure}, which indicates a bug in the service.
 * @param violations the errors for constraints, by name; any other violation is a bug
 * @param facts the properties of the batch; by default, those of a read
 */
export function translateFailure(
  error: unknown,
  violations: Violations = {},
  facts: BatchFacts = ofRead,
): ApiError | ReplayedRequest | DatabaseFailure {
  const { reason, sqlstate, isUnchanged } = verdictOf(error);
  if (!isOfPostgres(error) || unavailable.test(error.code)) {
    return serviceUnavailable(new DatabaseFailure(reason, sqlstate), facts, isUnchanged);
  }
  const { code, constraint } = error;
  if (code === aborted) {
    return abortion(error.detail);
  }
  if (code === replayed) {
    return replay(error.detail);
  }
  const cause = new DatabaseFailure("sqlstate", code);
  if (conflicts.has(code)) {
    return new ApiError("request_conflict", {}, { cause });
  }
  // SQLSTATE class 23: integrity constraint violation.
  const violation =
    code.startsWith("23") && constraint !== undefined && Object.hasOwn(violations, constraint)
      ? violations[constraint]
      : undefined;
  return violation?.(cause) ?? cause;
}

/** True if Postgres itself responded. Neon's proxy does not set a code in its own errors. */
const isOfPostgres = (error: unknown): error is NeonDbError & { code: string } =>
  error instanceof NeonDbError && Boolean(error.code);

function abortion(detail: string | undefined): ApiError | DatabaseFailure {
  const parsed = abortDetail.safeParse(detail);
  if (!parsed.success) {
    return new DatabaseFailure("sqlstate", aborted);
  }
  const { code, params, key_id, organization_id } = parsed.data;
  const caller = key_id && organization_id ? { key_id, organization_id } : null;
  const cause = new DatabaseFailure("sqlstate", aborted, caller);
  return parseApiError(code, params, { cause }) ?? cause;
}

function replay(detail: string | undefined): ReplayedRequest | DatabaseFailure {
  const parsed = replayDetail.safeParse(detail);
  if (!parsed.success) {
    return new DatabaseFailure("sqlstate", replayed);
  }
  const { record_ids, ...caller } = parsed.data;
  return new ReplayedRequest(record_ids, caller);
}

/**
 * Returns a 503 with advice for the caller. A batch is one transaction, but without a response it
 * may have been committed.
 * @param isUnchanged true if the transaction is known to have ended without a commit
 */
export function serviceUnavailable(
  cause: DatabaseFailure,
  { isWrite, isLarge, ifUnknown }: BatchFacts = ofRead,
  isUnchanged = false,
) {
  const { reason } = cause;
  const isUnknown = isWrite && !isUnchanged;
  const isTooMuch = reason === "too_large" || (isLarge && reason === "deadline");
  const params: ErrorParams<"service_unavailable"> = {
    retry_after_seconds: retryAfterSeconds,
    outcome: isUnknown ? "unknown" : "unchanged",
    advice: isTooMuch ? "send_less" : isUnknown ? ifUnknown : "repeat",
  };
  return new ApiError("service_unavailable", params, { cause });
}
