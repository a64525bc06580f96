import { type IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Listener } from "../../drizzle/local/server.ts";
import { playFault } from "./faults.ts";

const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({ kind: z.literal("hang") }),
  z.strictObject({ kind: z.literal("refuse") }),
  z.strictObject({
    kind: z.literal("status"),
    status: z.int().min(200).max(599),
    body: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal("sqlstate"), code: z.string(), message: z.string() }),
  z.strictObject({ kind: z.literal("truncate") }),
  z.strictObject({ kind: z.literal("cut_body") }),
  z.strictObject({ kind: z.literal("not_json") }),
  z.strictObject({ kind: z.literal("lost_answer") }),
  z.strictObject({
    kind: z.literal("cut_results"),
    of: z.enum(["columns", "rows", "last_row", "results"]),
  }),
]);

/**
 * The fault for one call:
 *
 * - `none`: a plain response, so that a later call can be the one that fails
 * - `hang`: no response until the caller disconnects
 * - `refuse`: the connection is closed before a byte is sent
 * - `status`: this HTTP status
 * - `sqlstate`: a database error with this code and message
 * - `truncate`: half of an announced JSON body, then the connection is closed
 * - `cut_body`: half of a JSON document as a complete HTTP body
 * - `not_json`: status 200 with HTML
 * - `lost_answer`: the SQL runs and commits, then the connection is closed before a byte is sent
 * - `cut_results`: the SQL runs and commits, and the response lacks all rows, the last column of
 * each row, the last row of each result, or the last result
 *
 * All except the last two happen before any SQL runs.
 */
export type Fault = z.output<typeof faultSchema>;

/** The body of `PUT /probes/{label}`. Setting `faults` also resets the count to 0. */
const settingsSchema = z.strictObject({
  delay_ms: z.int().min(0).max(600_000).optional(),
  faults: z.array(faultSchema).max(10_000).optional(),
});

/** The calls with a label, and the settings for the next calls. */
interface Probe {
  calls: number;
  delayMs: number;
  faults: Fault[];
}

/**
 * Counts, delays and disturbs calls to a local database, by label: the `application_name` in the
 * connection string. `GET /probes/{label}` returns the number of `calls`; `PUT` changes the
 * settings.
 */
export function withProbes(next: Listener): Listener {
  const probes = new Map<string, Probe>();
  const probeOf = (label: string) => {
    const probe = probes.get(label) ?? { calls: 0, delayMs: 0, faults: [] };
    probes.set(label, probe);
    return probe;
  };
  return async (request, response) => {
    const label = /^\/probes\/([^/?]+)$/.exec(request.url ?? "")?.[1];
    if (label !== undefined) {
      return control(probeOf(decodeURIComponent(label)), request, response);
    }
    const probe = probeOf(labelOf(request));
    probe.calls += 1;
    const fault = probe.faults.shift() ?? { kind: "none" };
    const caller = new AbortController();
    response.once("close", () => caller.abort());
    // Even a 0 ms timer takes a millisecond, long enough to distort benchmarks.
    if (probe.delayMs > 0) {
      await sleep(probe.delayMs, undefined, caller).catch(() => {});
    }
    if (response.destroyed) {
      return;
    }
    if (fault.kind === "none") {
      return next(request, response);
    }
    if (fault.kind === "cut_results") {
      const whole = Object.assign(new ServerResponse(request), {
        end(text: string) {
          response.writeHead(whole.statusCode, { "content-type": "application/json" });
          response.end(cutResults(text, fault.of));
          return whole;
        },
      });
      return next(request, whole);
    }
    if (fault.kind !== "lost_answer") {
      return playFault(fault, response);
    }
    await next(request, new ServerResponse(request));
    response.destroy();
  };
}

const resultsSchema = z.object({
  results: z.array(z.looseObject({ rows: z.array(z.array(z.unknown())) })),
});

/** Returns the JSON of a batch's response without some of its results. */
function cutResults(text: string, of: Extract<Fault, { kind: "cut_results" }>["of"]): string {
  const { results } = resultsSchema.parse(JSON.parse(text));
  return JSON.stringify({
    results: (of === "results" ? results.slice(0, -1) : results).map((result) => ({
      ...result,
      rows:
        of === "rows"
          ? []
          : of === "last_row"
            ? result.rows.slice(0, -1)
            : of === "columns"
              ? result.rows.map((cells) => cells.slice(0, -1))
              : result.rows,
    })),
  });
}

async function control(
  probe: Probe,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === "PUT") {
    const parsed = settingsSchema.safeParse(await json(request).catch(() => undefined));
    if (!parsed.success) {
      response.writeHead(400).end(z.prettifyError(parsed.error));
      return;
    }
    const { delay_ms, faults } = parsed.data;
    probe.delayMs = delay_ms ?? probe.delayMs;
    if (faults) {
      Object.assign(probe, { faults: [...faults], calls: 0 });
    }
  }
  response.end(JSON.stringify({ calls: probe.calls }));
}

const labelOf = ({ headers }: IncomingMessage) =>
  URL.parse(String(headers["neon-connection-string"]))?.searchParams.get("application_name") ?? "";
