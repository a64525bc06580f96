import { neonConfig } from "@neondatabase/serverless";
import type pg from "pg";
import * as z from "zod";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { demoSigningKeys } from "../../drizzle/demo/signing-keys.ts";
import { app } from "../../src/app.ts";
// This import sets the driver's `fetchFunction` when it is loaded, so it must precede the
// assignment below.
import "../../src/database/connection.ts";
import type { BenchRequest } from "./requests.ts";

// Node does not have this class. A TransformStream is equivalent for a single reader.
class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor() {
    // The chunk is copied because the writer reuses its buffer. In workerd, the stream has already
    // sent it by then.
    super({ transform: (bytes, controller) => controller.enqueue(bytes.slice()) });
  }
}
Object.assign(globalThis, { IdentityTransformStream });

/** A statement as the Worker sends it. */
export interface SentStatement {
  query: string;
  params: (string | null)[];
}

/** A call from the Worker to the database: the gate, and the statements behind it. */
export interface SentCall {
  gate: SentStatement;
  statements: SentStatement[];
  /** The body of the database's response. */
  answer: string;
  /** The request itself, so that a reference measurement can repeat it. */
  headers: Record<string, string>;
  body: string;
}

/** The call as the second argument of `fetch`, in JavaScript. */
export const requestOf = (
  { headers: { host, connection, "content-length": length, ...headers }, body }: SentCall,
  statement?: SentStatement,
): string =>
  JSON.stringify({
    method: "POST",
    headers,
    body: statement === undefined ? body : JSON.stringify(statement),
  });

const payload = z.object({
  queries: z.array(z.object({ query: z.string(), params: z.array(z.string().nullable()) })).min(1),
});

/** The database calls that an operation makes, and its response. */
export interface Recording {
  calls: SentCall[];
  /** The body of the response. */
  text: string;
}

/**
 * Records an operation's calls as they are sent, so that exactly the executed statements are
 * measured and explained.
 */
export async function recordCalls(
  { endpoint, connectionString }: { endpoint: string; connectionString: string },
  { method, path, key, json }: BenchRequest,
): Promise<Recording> {
  const calls: SentCall[] = [];
  const original = neonConfig.fetchFunction;
  neonConfig.fetchFunction = async (url: string, init: RequestInit) => {
    const body = String(init.body);
    const response = await fetch(url, init);
    const [gate, ...statements] = payload.parse(JSON.parse(body)).queries;
    if (gate) {
      // Counts earlier requests of the isolate, if there are any, and is not part of the operation.
      const own = statements.filter(({ query }) => !query.includes("app.count_requests"));
      const answer = await response.clone().text();
      const headers = Object.fromEntries(new Headers(init.headers));
      calls.push({ gate, statements: own, answer, headers, body });
    }
    return response;
  };
  // The request's log line would appear in the bench's output.
  const log = console.log;
  console.log = () => {};
  try {
    const limiter = { limit: () => Promise.resolve({ success: true }) };
    const response = await app.request(
      path,
      {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      },
      {
        ENVIRONMENT: "development",
        DATABASE_URL: connectionString,
        LOCAL_DATABASE_ENDPOINT: endpoint,
        SEALING_KEYS: demoSealingKeys,
        SIGNING_KEYS: demoSigningKeys,
        KEY_RATE_LIMIT: limiter,
        ORGANIZATION_RATE_LIMIT: limiter,
        ADDRESS_RATE_LIMIT: limiter,
        READINESS_RATE_LIMIT: limiter,
        REACHABILITY_RATE_LIMIT: limiter,
        POLL_QUEUE: { sendBatch: () => Promise.resolve() },
        SLOW_POLL_QUEUE: { sendBatch: () => Promise.resolve() },
        WEBHOOK_QUEUE: { sendBatch: () => Promise.resolve() },
        SLOW_WEBHOOK_QUEUE: { sendBatch: () => Promise.resolve() },
        ASSETS: { fetch: () => Promise.resolve(new Response(null, { status: 404 })) },
      },
      // A streamed body is produced after the response is returned; reading it to the end waits for
      // it.
      { waitUntil: () => {}, passThroughOnException: () => {}, props: {} },
    );
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    }
    return { calls, text };
  } finally {
    neonConfig.fetchFunction = original;
    console.log = log;
  }
}

/** Runs a function in a transaction behind a gate, as the tenant and in the tenant's role. */
export async function asTenant<T>(
  client: pg.Client,
  gate: SentStatement,
  use: () => Promise<T>,
): Promise<T> {
  await client.query("begin");
  try {
    await client.query(gate.query, gate.params);
    return await use();
  } finally {
    // Committed, so that the key's `last_used_at` is written once a minute, as in production.
    await client.query("commit");
  }
}
