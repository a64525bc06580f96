import { Agent, request } from "node:http";
import autocannon from "autocannon";

/** A request that the bench sends. */
export interface BenchRequest {
  method: "GET" | "PUT" | "POST" | "DELETE";
  path: string;
  key?: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent verbatim, instead of `json`. */
  xml?: string;
}

/** A response that has been read completely. */
export interface BenchAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
  bytes: number;
  /** Milliseconds until the first byte of the body, and until the last byte. */
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
 * Sends a request on a persistent connection.
 * @param options.keepBody if false, the body's bytes are counted and discarded
 * @param options.status the expected status
 * @throws if the response has a different status
 */
export function send(
  origin: string,
  sent: BenchRequest,
  { keepBody = true, status: expected = 200 }: { keepBody?: boolean; status?: number } = {},
): Promise<BenchAnswer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const outgoing = request(
      origin + sent.path,
      { agent, method: sent.method, headers: headersOf(sent) },
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
            reject(new Error(`${sent.method} ${sent.path}: ${status} ${body}`));
          }
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(bodyOf(sent));
  });
}

/**
 * Sends each request once, with concurrent clients.
 * @returns the number of requests per second
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

/** Sends the same request `amount` times, over several connections. */
export async function sendMany(
  origin: string,
  sent: BenchRequest,
  { amount, connections }: { amount: number; connections: number },
): Promise<void> {
  const body = bodyOf(sent);
  const result = await autocannon({
    url: origin + sent.path,
    method: sent.method,
    headers: headersOf(sent),
    ...(body === undefined ? {} : { body }),
    // The interval, in milliseconds, at which autocannon checks whether it is done.
    sampleInt: 50,
    amount,
    connections,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${sent.path}: ${result.non2xx} refused, ${result.errors} failed`);
  }
}
