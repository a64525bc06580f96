import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { z } from "zod";

/** What Neon's proxy accepts and sends at most, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

const statementSchema = z.object({ query: z.string(), params: z.array(z.string().nullable()) });

/** One SQL statement with its parameters in Postgres's text format. */
export type Statement = z.output<typeof statementSchema>;

/** A `POST /sql` request: one autocommit statement, or a transaction opened by `begin`. */
export interface SqlRequest {
  readonly begin: string | null;
  readonly statements: readonly Statement[];
}

/** A failure that the proxy reports by itself, without a SQLSTATE. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

const payloadSchema = z.union([z.object({ queries: z.array(statementSchema) }), statementSchema]);

/**
 * Reads what the driver (@neondatabase/serverless) sends.
 * @throws {ProxyError} 400 for anything else, 413 for a body above {@link MAX_BODY_BYTES}
 */
export async function readSqlRequest(request: IncomingMessage): Promise<SqlRequest> {
  const { headers } = request;
  const body = await readBody(request);
  if (headers["neon-raw-text-output"] !== "true" || headers["neon-array-mode"] !== "true") {
    throw new ProxyError(400, "only raw text in arrays is supported");
  }
  let payload: z.output<typeof payloadSchema>;
  try {
    payload = payloadSchema.parse(JSON.parse(body));
  } catch (cause) {
    throw new ProxyError(400, "could not parse the HTTP request body", { cause });
  }
  return "queries" in payload
    ? { begin: beginStatement(headers), statements: payload.queries }
    : { begin: null, statements: [payload] };
}

/** Reads to the end even when it is too much: a client that is still sending hears no answer. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (bytes > MAX_BODY_BYTES) {
    throw new ProxyError(413, `request is too large (max is ${MAX_BODY_BYTES} bytes)`);
  }
  return Buffer.concat(chunks).toString();
}

/** The options of a transaction, as the driver spells them. */
function beginStatement(headers: IncomingHttpHeaders): string {
  const level = String(headers["neon-batch-isolation-level"] ?? "ReadCommitted");
  if (!/^(ReadUncommitted|ReadCommitted|RepeatableRead|Serializable)$/.test(level)) {
    throw new ProxyError(400, "invalid isolation level");
  }
  const words = level.replace(/(?<=[a-z])(?=[A-Z])/, " ");
  const readOnly = headers["neon-batch-read-only"] === "true" ? ", read only" : "";
  const deferrable = headers["neon-batch-deferrable"] === "true" ? ", deferrable" : "";
  return `start transaction isolation level ${words}${readOnly}${deferrable}`;
}
