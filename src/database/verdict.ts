import { NeonDbError } from "@neondatabase/serverless";
import * as z from "zod";
import type { FailureReason } from "./database-failure.ts";

/** How a failed call of the database is judged. */
export interface Verdict {
  reason: FailureReason;
  /** The error of Postgres, where there is one. */
  sqlstate: string | null;
  /** Whether the transaction is known to have ended without a commit. */
  isUnchanged: boolean;
  /** How long to wait before a read is sent once more, in milliseconds; null where that cannot help. */
  retryAfterMs: number | null;
}

/** A call that is larger than Neon's endpoint takes, and was not sent. */
export class RequestTooLargeError extends Error {
  override readonly name = "RequestTooLargeError";
}

/** A database without a free connection refuses the next one as well, unless it gets a moment. */
const pauseMs = 200;

/** Errors of Postgres after which nothing is committed. It raises 57P03 before a connection is made. */
const withoutCommit = /^(28|3D|53|55P03|57014|57P03)/;

/** Failures that begin with an SQLSTATE, or contain a text. */
interface Rule extends Pick<Verdict, "reason" | "retryAfterMs"> {
  pattern: RegExp;
}

const sqlstateRules: readonly Rule[] = [
  { pattern: /^55P03/, reason: "lock", retryAfterMs: null },
  { pattern: /^57014/, reason: "deadline", retryAfterMs: null },
  { pattern: /^(28|3D)/, reason: "login", retryAfterMs: null },
  { pattern: /^53/, reason: "resources", retryAfterMs: pauseMs },
  // Postgres starts.
  { pattern: /^57P03/, reason: "connection", retryAfterMs: pauseMs },
  // The connection broke, or Postgres was shut down or crashed.
  { pattern: /^(08|57P0[12])/, reason: "connection", retryAfterMs: 0 },
];

const ofOtherSqlstate = { reason: "sqlstate", retryAfterMs: null } as const;

/**
 * Messages of Neon's proxy that have no SQLSTATE (https://github.com/neondatabase/neon, `proxy/src/auth/mod.rs`,
 * `proxy/src/compute/mod.rs`, `proxy/src/control_plane/errors.rs`, `proxy/src/serverless/backend.rs`).
 */
const messageRules: readonly Rule[] = [
  { pattern: /password authentication failed/, reason: "login", retryAfterMs: null },
  { pattern: /IP address .* is not allowed/, reason: "login", retryAfterMs: null },
  { pattern: /exceeded the .* quota/, reason: "resources", retryAfterMs: null },
  { pattern: /Too many connections to this endpoint/, reason: "resources", retryAfterMs: pauseMs },
  { pattern: /Failed to acquire permit/, reason: "resources", retryAfterMs: pauseMs },
  { pattern: /Control plane request failed/, reason: "connection", retryAfterMs: pauseMs },
  { pattern: /couldn't connect to compute node/i, reason: "connection", retryAfterMs: 0 },
  { pattern: /connection closed/, reason: "connection", retryAfterMs: 0 },
];

const ruleFor = (rules: readonly Rule[], text: string): Rule | undefined =>
  rules.find(({ pattern }) => pattern.test(text));

/** Reasons by the names of errors that a call throws: after a deadline, an abort, a body cut or foreign, a result cut. */
const thrownReasons: Readonly<Record<string, FailureReason>> = {
  TimeoutError: "deadline",
  AbortError: "cancelled",
  SyntaxError: "not_json",
  MalformedResponse: "malformed",
};

/** Judges what a call of the driver threw. */
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

/** `fetch` threw, or reading the body did: the driver wraps the first and throws the second as it is. */
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

/** The driver's message for a status other than 200 and 400: it drops the fields of the body. */
const statusMessage = /^Server error \(HTTP status (\d{3})\): (.*)$/s;

/** The body of every failure of Neon's proxy (`proxy/src/serverless/sql_over_http.rs`). */
const proxyBody = z.object({ message: z.string(), code: z.string().nullable() });

function proxyBodyOf(text: string): z.output<typeof proxyBody> | null {
  try {
    return proxyBody.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** The endpoint answered, and Postgres did not. */
function verdictOfResponse(message: string): Verdict {
  const [, status, text = message] = statusMessage.exec(message) ?? [];
  const body = status === undefined ? null : proxyBodyOf(text);
  if (body?.code) {
    // A refused connection: no statement ran, whatever the code would mean later on.
    return { ...verdictOfSqlstate(body.code), isUnchanged: true };
  }
  if (status === "413" || status === "507") {
    // A request is refused before any SQL runs; a response that is too large is taken back.
    const isUnchanged = status === "413" || body !== null;
    return { reason: "too_large", sqlstate: null, isUnchanged, retryAfterMs: null };
  }
  const ofOther = { reason: "endpoint", retryAfterMs: body === null ? 0 : pauseMs } as const;
  const { reason, retryAfterMs } = ruleFor(messageRules, text) ?? ofOther;
  // With such a body, the proxy has failed before a commit. A load balancer in front of it answers with
  // something else, and a connection that closed may have committed.
  return { reason, sqlstate: null, isUnchanged: body !== null || reason === "login", retryAfterMs };
}
