import { mintApiKey } from "../../src/api-key.ts";
import { keyOf } from "./load.ts";
import type { Loaded } from "./loaded.ts";
import { type BenchRequest, send } from "./requests.ts";
import { exactly, type Row } from "./row.ts";
import { operations } from "./scene.ts";

interface Outcome {
  request: BenchRequest;
  status: number;
}

const unknownId = "00000000-0000-4000-8000-000000000000";

/**
 * The outcomes of a request that succeeds, and of variants of it that fail only after the database
 * has been called.
 */
function outcomes(request: BenchRequest): Outcome[] {
  const results: Outcome[] = [
    { request, status: 200 },
    { request: { ...request, key: mintApiKey() }, status: 401 },
  ];
  if (request.method !== "GET") {
    results.push({ request: { ...request, key: keyOf(2, "Viewer") }, status: 403 });
  }
  if (/[0-9a-f]{8}-/.test(request.path)) {
    const named = (id: string) => request.path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, id);
    results.push({ request: { ...request, path: named(unknownId) }, status: 404 });
    results.push({ request: { ...request, path: named("7") }, status: 400 });
  } else {
    const separator = request.path.includes("?") ? "&" : "?";
    results.push({
      request: { ...request, path: `${request.path}${separator}limit=x` },
      status: 400,
    });
  }
  return results;
}

/**
 * Counts the database calls made by every operation with every outcome, and by requests that need
 * none.
 */
export async function callRows({ server, worker: { origin } }: Loaded): Promise<Row[]> {
  const calls = async ({ request, status }: Outcome) => {
    await server.delay(0);
    await send(origin, request, { status });
    return server.calls();
  };
  const authenticated: number[] = [];
  const refused: number[] = [];
  for (const { request } of operations()) {
    for (const outcome of outcomes(request)) {
      authenticated.push(await calls(outcome));
    }
    const { key = "", ...anonymous } = request;
    const wrongChecksum = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    for (const refusable of [
      anonymous,
      ...["inv_u_short", wrongChecksum].map((bad) => ({ ...anonymous, key: bad })),
    ]) {
      refused.push(await calls({ request: refusable, status: 401 }));
    }
  }
  const row = (what: string, counts: number[], bound: number): Row => {
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    return {
      what,
      ours: least === most ? `${most}` : `${least} to ${most}`,
      value: least === bound ? most : least,
      unit: "calls",
      bound: exactly(bound),
      note: `${counts.length} requests`,
    };
  };
  return [
    row("database calls per authenticated request, every operation and outcome", authenticated, 1),
    row("database calls per request that can be refused without data", refused, 0),
  ];
}
