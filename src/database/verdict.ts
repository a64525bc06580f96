import { NeonDbError } from "@neondatabase/serverless";
import * as z from "zod";
import type { FailureReason } from "./database-failure.ts";

/** The classification of a failed call to the database. */
export interface Verdict {
  reason: FailureReason;
  /** The Postgres error code, if any. */
  sqlstate: string | null;
  /** True if the transaction is known to have ended without a commit. */
  isUnchanged: boolean;
  /** The delay before a read is retried, in milliseconds; null if a retry cannot help. */
  retryAfterMs: number | null;
}

/**
 * True if the transaction is known to have been rolled back: it never ran, or one of its statements
 * failed.
 */
export const isRolledBack = ({ isUnchanged, reason }: Verdict): boolean =>
  isUnchanged || reason === "sqlstate";

/** A call that exceeds the limit of Neon's endpoint and was not sent. */
export class RequestTooLargeError extends Error {
  override readonly name = "RequestTooLargeError";
}

/**
 * The delay before a retry when the database does not have a free connection. An immediate retry
 * would fail too.
 */
const pauseMs = 200;

/**
 * Postgres errors after which nothing has been committed. Postgres raises 57P03 before a connection
 * is established.
 */
const withoutCommit = /^(28|3D|53|55P03|57014|57P03)/;

/** A rule for failures whose SQLSTATE or message matches a pattern. */
interface Rule extends Pick<Verdict, "reason" | "retryAfterMs"> {
  pattern: RegExp;
}

const sqlstateRules: readonly Rule[] = [
  { pattern: /^55P03/, reason: "lock", retryAfterMs: null },
  { pattern: /^57014/, reason: "deadline", retryAfterMs: null },
  { pattern: /^(28|3D)/, reason: "login", retryAfterMs: null },
  { pattern: /^53/, reason: "resources", retryAfterMs: pauseMs },
  // Postgres is starting up.
  { pattern: /^57P03/, reason: "connection", retryAfterMs: pauseMs },
  // The connection broke, or Postgres was shut down or crashed.
  { pattern: /^(08|57P0[12])/, reason: "connection", retryAfterMs: 0 },
];

const ofOtherSqlstate = { reason: "sqlstate", retryAfterMs: null } as const;

/**
 * Messages from Neon's proxy that do not have an SQLSTATE (https://github.com/neondatabase/neon,
 * `proxy/src/auth/mod.rs`, `proxy/src/compute/mod.rs`, `proxy/src/control_plane/errors.rs`,
 * `proxy/src/serverless/backend.rs`).
 */
const messageRules: readonly Rule[] = [
  { pattern: /password authentication failed/, reason: "login", retryAfterMs: null },
  { pattern: /IP address \S+ is not allowed/, reason: "login", retryAfterMs: null },
  { pattern: /exceeded the [\w ]{1,60} quota/, reason: "resources", retryAfterMs: null },
  { pattern: /Too many connections to this endpoint/, reason: "resources", retryAfterMs: pauseMs },
  { pattern: /Failed to acquire permit/, reason: "resources", retryAfterMs: pauseMs },
  { pattern: /Control plane request failed/, reason: "connection", retryAfterMs: pauseMs },
  { pattern: /couldn't connect to compute node/i, reason: "connection", retryAfterMs: 0 },
  { pattern: /connection closed/, reason: "connection", retryAfterMs: 0 },
];

const ruleFor = (rules: readonly Rule[], text: string): Rule | undefined =>
  rules.find(({ pattern }) => pattern.test(text));

/**
 * The reasons by error name, for a deadline, an abort, a body that is not (complete) JSON, and a
 * truncated result.
 */
const thrownReasons: Readonly<Record<string, FailureReason>> = {
  TimeoutError: "deadline",
  AbortError: "cancelled",
  SyntaxError: "not_json",
  MalformedResponse: "malformed",
};

/** Classifies an error that the driver threw. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof NeonDbError)) {
    return verdictOfThrown(error);
  }
  if (error.code) {
    return verdictOfSqlstate(error.code);
  }
  if (error.sourceError !== undefined) {
    return verdictOfThrown(error.sourceError);
  }
  return verdictOfResponse(error.message);
}

/**
 * Classifies an error from `fetch`, which the driver wraps, or an error from reading the body,
 * which the driver throws unchanged.
 */
function verdictOfThrown(error: unknown): Verdict {
  if (error instanceof RequestTooLargeError) {
    return { reason: "too_large", sqlstate: null, isUnchanged: true, retryAfterMs: null };
  }
  const reason = (error instanceof Error ? thrownReasons[error.name] : undefined) ?? "network";
  const isOver = reason === "deadline" || reason === "cancelled";
  return { reason, sqlstate: null, isUnchanged: false, retryAfterMs: isOver ? null : 0 };
}

function verdictOfSqlstate(sqlstate: string): Verdict {
  const { reason, retryAfterMs } = ruleFor(sqlstateRules, sqlstate) ?? ofOtherSqlstate;
  return { reason, sqlstate, isUnchanged: withoutCommit.test(sqlstate), retryAfterMs };
}

/**
 * The driver's message for a status other than 200 and 400. The driver discards the fields of the
 * body.
 */
const statusMessage = /^Server error \(HTTP status (\d{3})\): (.*)$/s;

/** The body of every error from Neon's proxy (`proxy/src/serverless/sql_over_http.rs`). */
const proxyBody = z.object({ message: z.string(), code: z.string().nullable() });

function proxyBodyOf(text: string): z.output<typeof proxyBody> | null {
  try {
    return proxyBody.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Classifies a response from the endpoint that does not come from Postgres. */
function verdictOfResponse(message: string): Verdict {
  const [, status, text = message] = statusMessage.exec(message) ?? [];
  const body = status === undefined ? null : proxyBodyOf(text);
  if (body?.code) {
    // The connection was refused, so no statement ran. Later in a call, the same code could be
    // ambiguous.
    return { ...verdictOfSqlstate(body.code), isUnchanged: true };
  }
  if (status === "413" || status === "507") {
    // A request that is too large is rejected before any SQL runs. If the response is too large,
    // the transaction is rolled back.
    const isUnchanged = status === "413" || body !== null;
    return { reason: "too_large", sqlstate: null, isUnchanged, retryAfterMs: null };
  }
  const ofOther = { reason: "endpoint", retryAfterMs: body === null ? 0 : pauseMs } as const;
  const { reason, retryAfterMs } = ruleFor(messageRules, text) ?? ofOther;
  // A response with such a body comes from the proxy, which failed before the commit. Responses
  // from a load balancer in front of the proxy have other bodies. If the connection was closed, the
  // call may have been committed.
  return { reason, sqlstate: null, isUnchanged: body !== null || reason === "login", retryAfterMs };
}
