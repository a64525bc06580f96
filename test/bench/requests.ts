import { Agent, request } from "node:http";
import autocannon from "autocannon";

/** A request of the bench. */
export interface BenchRequest {
  method: "GET" | "PUT" | "POST" | "DELETE";
  path: string;
  key?: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent instead, as it is. */
  xml?: string;
}

/** An answer, read to its end. */
export interface BenchAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  bytes: number;
  /** To the first byte of the body, and to the last, in milliseconds. */
  firstByteMs: number;
  totalMs: number;
}

const agent = new Agent({ keepAlive: true });

const headersOf = ({ key, json, xml, headers }: BenchRequest): Record<string, string> => ({
  ...headers,
  ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
  ...(json === undefined ? {} : { "Content-Type": "application/json" }),
  ...(xml === undefined ? {} : { "Content-Type": "application/xml" }),
});

const bodyOf = ({ json, xml }: BenchRequest) =>
  xml ?? (json === undefined ? undefined : JSON.stringify(json));

/**
 * Sends a request on a connection that stays open.
 * @param options.keepBody false counts the bytes of the body and forgets them
 * @param options.status the status that is expected
 * @throws when the status is another one
 */
export function send(
  origin: string,
  asked: BenchRequest,
  { keepBody = true, status: expected = 200 }: { keepBody?: boolean; status?: number } = {},
): Promise<BenchAnswer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const outgoing = request(
      origin + asked.path,
      { agent, method: asked.method, headers: headersOf(asked) },
      (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        let firstByteMs = 0;
        incoming.on("data", (chunk: Buffer) => {
          firstByteMs ||= performance.now() - startedAt;
          bytes += chunk.length;
          if (keepBody) {
            chunks.push(chunk);
          }
        });
        incoming.on("error", reject);
        incoming.on("end", () => {
          const totalMs = performance.now() - startedAt;
          const body = Buffer.concat(chunks).toString();
          const status = incoming.statusCode ?? 0;
          const headers = Object.fromEntries(
            Object.entries(incoming.headersDistinct).map(([name, values = []]) => [
              name,
              values.join(),
            ]),
          );
          if (status === expected) {
            resolve({ status, headers, body, bytes, firstByteMs, totalMs });
          } else {
            reject(new Error(`${asked.method} ${asked.path}: ${status} ${body}`));
          }
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(bodyOf(asked));
  });
}

/**
 * Sends each request once, some at a time.
 * @returns how many were answered a second
 */
export async function requestsPerSecond(
  origin: string,
  requests: readonly BenchRequest[],
  { clients, status = 200 }: { clients: number; status?: number },
): Promise<number> {
  const waiting = requests.values();
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const request of waiting) {
        await send(origin, request, { status });
      }
    }),
  );
  return requests.length / ((performance.now() - startedAt) / 1000);
}

/** Sends the same request so many times, some at a time. */
export async function sendMany(
  origin: string,
  asked: BenchRequest,
  { amount, connections }: { amount: number; connections: number },
): Promise<void> {
  const body = bodyOf(asked);
  const result = await autocannon({
    url: origin + asked.path,
    method: asked.method,
    headers: headersOf(asked),
    ...(body === undefined ? {} : { body }),
    // How often it looks whether it is done.
    sampleInt: 50,
    amount,
    connections,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${asked.path}: ${result.non2xx} refused, ${result.errors} failed`);
  }
}
