import type { IncomingMessage } from "node:http";
import { z } from "zod";

/**
 * The default limit for requests and responses in Neon's public proxy, in bytes
 * (`proxy/src/binary/proxy.rs`).
 */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

const statementSchema = z.object({ query: z.string(), params: z.array(z.string().nullable()) });

/** One SQL statement with its parameters in Postgres's text format. */
export type Statement = z.output<typeof statementSchema>;

/** A `POST /sql` request: one autocommit statement, or a transaction. */
export interface SqlRequest {
  readonly isTransaction: boolean;
  readonly statements: readonly Statement[];
}

/**
 * A failure in the proxy itself. Its SQLSTATE is empty, unless Postgres rejected a connection
 * (`proxy/src/serverless/sql_over_http.rs`).
 */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly status: number;
  readonly code: string;
  readonly severity = "";

  constructor(status: number, message: string, { code = "", ...options }: ProxyErrorOptions = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
  }
}

interface ProxyErrorOptions extends ErrorOptions {
  code?: string | undefined;
}

const payloadSchema = z.union([z.object({ queries: z.array(statementSchema) }), statementSchema]);

/**
 * Reads a request from the driver (@neondatabase/serverless).
 * @throws {ProxyError} 400 for an invalid or unsupported request, 413 for a body above
 *   {@link MAX_BODY_BYTES}
 */
export async function readSqlRequest(request: IncomingMessage): Promise<SqlRequest> {
  const { headers } = request;
  const body = await readBody(request);
  if (headers["neon-raw-text-output"] !== "true" || headers["neon-array-mode"] !== "true") {
    throw new ProxyError(400, "only raw text in arrays is supported");
  }
  if (Object.keys(headers).some((name) => name.startsWith("neon-batch-"))) {
    throw new ProxyError(400, "options of transactions are not supported");
  }
  let payload: z.output<typeof payloadSchema>;
  try {
    payload = payloadSchema.parse(parseJson(body));
  } catch (cause) {
    throw new ProxyError(400, "could not parse the HTTP request body", { cause });
  }
  return "queries" in payload
    ? { isTransaction: true, statements: payload.queries }
    : { isTransaction: false, statements: [payload] };
}

/**
 * Parses JSON as serde does (`proxy/src/serverless/json.rs`): unlike in JavaScript, a lone
 * surrogate is an error.
 */
function parseJson(text: string): unknown {
  const mayHaveSurrogates = /\\u[dD][89a-fA-F]/.test(text);
  return JSON.parse(text, mayHaveSurrogates ? refuseHalfSurrogates : undefined);
}

function refuseHalfSurrogates(name: string, value: unknown): unknown {
  if (!name.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
    throw new SyntaxError("lone surrogate");
  }
  return value;
}

/** Rejects invalid bytes, and keeps a byte order mark. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a body.
 * @throws {ProxyError} 413 as soon as the body is too large, without reading the rest; 400 if it is
 *   not UTF-8
 */
async function readBody(request: IncomingMessage): Promise<string> {
  const tooLarge = new ProxyError(413, `request is too large (max is ${MAX_BODY_BYTES} bytes)`);
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    throw tooLarge;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      throw tooLarge;
    }
    chunks.push(chunk);
  }
  try {
    return utf8.decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new ProxyError(400, "could not parse the HTTP request body", { cause });
  }
}
