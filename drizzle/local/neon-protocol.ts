import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import pg from "pg";
import { z } from "zod";

/** What Neon's proxy accepts and sends at most, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** One SQL statement with its parameters in Postgres's text format. */
export interface Statement {
  readonly query: string;
  readonly params: readonly (string | null)[];
  /** Rows as arrays of values when true, as objects by column name when false. */
  readonly arrayMode: boolean;
}

/** A `POST /sql` request: one autocommit statement, or a transaction opened by `begin`. */
export type SqlRequest =
  | { readonly kind: "single"; readonly statement: Statement }
  | { readonly kind: "batch"; readonly begin: string; readonly statements: readonly Statement[] };

/** A failure that the proxy reports by itself, without a SQLSTATE. */
export class ProxyError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProxyError";
    this.status = status;
  }
}

const isolationLevels = new Map([
  ["ReadUncommitted", "READ UNCOMMITTED"],
  ["ReadCommitted", "READ COMMITTED"],
  ["RepeatableRead", "REPEATABLE READ"],
  ["Serializable", "SERIALIZABLE"],
]);

const querySchema = z.object({
  query: z.string(),
  params: z.array(z.unknown()).default([]),
  arrayMode: z.boolean().nullish(),
});
const payloadSchema = z.union([z.object({ queries: z.array(querySchema) }), querySchema]);

/** Reads the request as the proxy does; throws a {@link ProxyError} where the proxy refuses. */
export function parseSqlRequest(headers: IncomingHttpHeaders, body: Buffer): SqlRequest {
  if (headers["neon-raw-text-output"] !== "true") {
    // The proxy would parse values into JSON. No version of the driver asks for that, and an
    // approximation of it would be wrong in silence.
    throw new ProxyError(400, "only Neon-Raw-Text-Output: true is supported");
  }
  const begin = beginStatement(headers);
  const parsed = payloadSchema.safeParse(parseJson(body));
  if (!parsed.success) {
    throw unparsable("data did not match any variant of untagged enum Payload");
  }
  const payload = parsed.data;
  const defaultArrayMode = headers["neon-array-mode"] === "true";
  const toStatement = (data: z.infer<typeof querySchema>): Statement => {
    if (data.query.includes("\0")) {
      throw new ProxyError(400, "string contains embedded null");
    }
    if (/^\s*copy\b[^;]*\bfrom\s+stdin\b/i.test(data.query)) {
      // The protocol has no place for the data; Postgres would wait for it on the connection.
      throw new ProxyError(400, "unexpected message from server");
    }
    return {
      query: data.query,
      params: data.params.map(toPostgresText),
      arrayMode: data.arrayMode ?? defaultArrayMode,
    };
  };
  return "queries" in payload
    ? { kind: "batch", begin, statements: payload.queries.map(toStatement) }
    : { kind: "single", statement: toStatement(payload) };
}

/** The body of an HTTP 400 for `error`, field for field as the driver reads it. */
export function errorBody(error: unknown): string {
  const source = error instanceof pg.DatabaseError ? error : undefined;
  return JSON.stringify({
    message: error instanceof Error ? error.message : "internal error",
    code: source?.code ?? "",
    detail: source?.detail ?? null,
    hint: source?.hint ?? null,
    position: source?.position ?? null,
    internalPosition: source?.internalPosition ?? null,
    internalQuery: source?.internalQuery ?? null,
    severity: source?.severity ?? "",
    where: source?.where ?? null,
    table: source?.table ?? null,
    column: source?.column ?? null,
    schema: source?.schema ?? null,
    dataType: source?.dataType ?? null,
    constraint: source?.constraint ?? null,
    file: source?.file ?? null,
    line: source?.line ?? null,
    routine: source?.routine ?? null,
  });
}

function beginStatement(headers: IncomingHttpHeaders): string {
  const options: string[] = [];
  const requested = headers["neon-batch-isolation-level"];
  if (requested !== undefined) {
    const level = isolationLevels.get(String(requested));
    if (level === undefined) {
      throw new ProxyError(400, "invalid isolation level");
    }
    options.push(`ISOLATION LEVEL ${level}`);
  }
  if (headers["neon-batch-read-only"] === "true") {
    options.push("READ ONLY");
  }
  if (headers["neon-batch-deferrable"] === "true") {
    options.push("DEFERRABLE");
  }
  return `START TRANSACTION ${options.join(", ")}`;
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) {
    throw unparsable("invalid unicode code point");
  }
  const text = body.toString("utf8");
  try {
    // JSON.parse accepts a lone surrogate, the proxy's parser does not. Only an escape can spell
    // one in valid UTF-8, so the costly check is for bodies that have such an escape.
    return /\\u[dD][89a-fA-F]/.test(text) ? JSON.parse(text, requireWellFormed) : JSON.parse(text);
  } catch (error) {
    throw unparsable(error instanceof Error ? error.message : "invalid JSON");
  }
}

function requireWellFormed(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
    throw new SyntaxError("lone surrogate in hex escape");
  }
  return value;
}

function unparsable(reason: string): ProxyError {
  return new ProxyError(400, `could not parse the HTTP request body: ${reason}`);
}

/** Turns a value parsed from JSON into a parameter; the driver itself sends only strings and null. */
function toPostgresText(value: unknown): string | null {
  if (value === null || typeof value === "string") {
    return value;
  }
  return Array.isArray(value) ? toPostgresArray(value) : JSON.stringify(value);
}

function toPostgresArray(values: readonly unknown[]): string {
  const elements = values.map((value) => {
    if (value === null) {
      return "NULL";
    }
    if (Array.isArray(value)) {
      return toPostgresArray(value);
    }
    return JSON.stringify(typeof value === "object" ? JSON.stringify(value) : value);
  });
  return `{${elements.join(",")}}`;
}
