import type { IncomingMessage } from "node:http";
import { z } from "zod";

/** The most that Neon's proxy accepts and sends, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

const statementSchema = z.object({ query: z.string(), params: z.array(z.string().nullable()) });

/** One SQL statement with its parameters in Postgres's text format. */
export type Statement = z.output<typeof statementSchema>;

/** A `POST /sql` request: one autocommit statement, or a transaction. */
export interface SqlRequest {
  readonly isTransaction: boolean;
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
  if (Object.keys(headers).some((name) => name.startsWith("neon-batch-"))) {
    throw new ProxyError(400, "options of transactions are not supported");
  }
  let payload: z.output<typeof payloadSchema>;
  try {
    payload = payloadSchema.parse(JSON.parse(body));
  } catch (cause) {
    throw new ProxyError(400, "could not parse the HTTP request body", { cause });
  }
  return "queries" in payload
    ? { isTransaction: true, statements: payload.queries }
    : { isTransaction: false, statements: [payload] };
}

/** Drains an oversized body: a client that is still sending would not read the 413. */
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
