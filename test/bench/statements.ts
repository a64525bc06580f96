import { neonConfig } from "@neondatabase/serverless";
import type pg from "pg";
import * as z from "zod";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { app } from "../../src/app.ts";
// Sets the driver's `fetchFunction` when it is loaded, which must come before ours.
import "../../src/database/connection.ts";
import type { BenchRequest } from "./requests.ts";

// Node has no such stream, and its own of the same kind serves as well for one reader.
class IdentityTransformStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor() {
    // The writer uses its buffer again, which workerd's own stream has sent by then.
    super({ transform: (bytes, controller) => controller.enqueue(bytes.slice()) });
  }
}
Object.assign(globalThis, { IdentityTransformStream });

/** A statement as the Worker sends it. */
export interface SentStatement {
  query: string;
  params: (string | null)[];
}

/** A call of the Worker to the database: the gate, and what is asked behind it. */
export interface SentCall {
  gate: SentStatement;
  asked: SentStatement[];
  /** The body of the database's answer. */
  answer: string;
  /** The request itself, for a reference that makes the same one. */
  headers: Record<string, string>;
  body: string;
}

/** The call as the second parameter of `fetch`, in JavaScript. */
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

/** What an operation asked of the database, and what it answered. */
export interface Recording {
  calls: SentCall[];
  /** The body of the answer. */
  text: string;
}

/**
 * The calls that an operation makes, statement by statement as they go over the wire: what is
 * measured and explained is what runs, however it is put together.
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
    const [gate, ...asked] = payload.parse(JSON.parse(body)).queries;
    if (gate) {
      const answer = await response.clone().text();
      const headers = Object.fromEntries(new Headers(init.headers));
      calls.push({ gate, asked, answer, headers, body });
    }
    return response;
  };
  // The line that every request leaves behind would stand in the bench's table.
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
        KEY_RATE_LIMIT: limiter,
        ORGANIZATION_RATE_LIMIT: limiter,
        ADDRESS_RATE_LIMIT: limiter,
        READINESS_RATE_LIMIT: limiter,
        POLL_QUEUE: { sendBatch: () => Promise.resolve() },
        SLOW_POLL_QUEUE: { sendBatch: () => Promise.resolve() },
        WEBHOOK_QUEUE: { sendBatch: () => Promise.resolve() },
        SLOW_WEBHOOK_QUEUE: { sendBatch: () => Promise.resolve() },
        ASSETS: { fetch: () => Promise.resolve(new Response(null, { status: 404 })) },
      },
      // A stream is sent beside its response; reading it to the end waits for it.
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

/** Runs in a transaction behind a gate: as the tenant, in the tenant's role. */
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
    // Not undone, so that the key's `last_used_at` is written once a minute, as in production.
    await client.query("commit");
  }
}
