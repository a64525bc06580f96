import { signal } from "@preact/signals";
import { hc, type InferResponseType } from "hono/client";
import type { App, ChangeHistogram } from "../client/app.d.ts";

export type {
  Caller,
  ChangeHistogram as Histogram,
  Host,
  InventoryChange as Change,
  Network,
  SearchResult,
  Subnet,
  Topology,
} from "../client/app.d.ts";

export type Bucket = ChangeHistogram["buckets"][number];

/** The API key: kept only in memory or, on request, in `sessionStorage`. Never in a URL. */
export const key = signal<string | undefined>(undefined);

const options = { headers: () => ({ Authorization: `Bearer ${key.peek() ?? ""}` }) };

export const { auth, changes, diff, hosts, networks, search, subnets, topology } = hc<App>(
  location.origin,
  options,
).api.v1;

type DiffItem = Extract<
  InferResponseType<typeof diff.$get>,
  { success: true }
>["data"]["items"][number];
/** A record's differences or, with `by=host`, the number of differences on a host. */
export type Difference = Extract<DiffItem, { entity: string }>;
export type HostDifference = Exclude<DiffItem, Difference>;

/** The reason why a request failed. */
export class Problem extends Error {
  override name = "Problem";
  /** The error code, or `offline` if no response arrived, or only part of one. */
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The time after which the request can be repeated, in milliseconds; undefined if it cannot. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: string,
    message: string,
    params: Readonly<Record<string, unknown>> = {},
    retryAfterMs?: number,
  ) {
    super(message);
    this.code = code;
    this.params = params;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A temporary failure. */
export interface Trouble {
  problem: Problem;
  /** The time of the next attempt, in milliseconds since the epoch. */
  retryAt: number;
  /** The time of the last response before the failure, in milliseconds since the epoch. */
  asOf: number | undefined;
}

export const trouble = signal<Trouble | undefined>(undefined);

/** Incremented to repeat failed requests. */
export const retries = signal(0);

/** The parts of the page whose last request failed temporarily. */
const failing = new Set<object>();

/** Remembers that a part of the page has to repeat its request. */
export function noteFailing(part: object): void {
  failing.add(part);
}

/**
 * Marks a part of the page as recovered, and clears the error state once no part has to repeat a
 * request.
 */
export function noteRecovered(part: object): void {
  failing.delete(part);
  if (failing.size === 0) {
    endTrouble();
  }
}

let lastSuccess: number | undefined;

/** The reason why the key is no longer accepted. */
export const rejection = signal<string | undefined>(undefined);

/** The instant from which history is kept; known once a request has asked for an earlier one. */
export const historyFrom = signal<string | undefined>(undefined);

/** The delay before a request that got no response is repeated, in milliseconds. */
const offlineRetryMs = 5000;
const longestRetryMs = 60_000;

let timer: ReturnType<typeof setTimeout> | undefined;

function endTrouble(): void {
  clearTimeout(timer);
  trouble.value = undefined;
}

export function retryNow(): void {
  clearTimeout(timer);
  if (failing.size === 0) {
    endTrouble();
  }
  retries.value++;
}

addEventListener("online", () => trouble.peek() && retryNow());

function noteFailure(problem: Problem): void {
  if (problem.code.startsWith("auth_key_") || problem.code === "auth_not_authenticated") {
    rejection.value = problem.message;
  } else if (typeof problem.params["history_from"] === "string") {
    historyFrom.value = problem.params["history_from"];
  } else if (problem.retryAfterMs !== undefined) {
    const delay = Math.min(problem.retryAfterMs, longestRetryMs);
    const asOf = trouble.peek()?.asOf ?? lastSuccess;
    trouble.value = { problem, retryAt: Date.now() + delay, asOf };
    clearTimeout(timer);
    timer = setTimeout(retryNow, delay);
  }
}

interface Answer {
  ok: boolean;
  status: number;
  headers: Headers;
  json(): Promise<unknown>;
  text(): Promise<string>;
}

type Success<R> = R extends { json(): Promise<infer Body> }
  ? Extract<Body, { success: true }>
  : never;

const succeeded = <R>(answer: Answer, _body: unknown): _body is Success<R> => answer.ok;

/**
 * Reads the response to a request made with `hc`.
 * @throws Problem if the request failed, DOMException if it was aborted
 */
export async function read<R extends Answer>(
  sent: Promise<R>,
): Promise<Success<R> & { etag: string | null }> {
  const { answer, body } = await receive(sent, (arrived) => arrived.json());
  if (succeeded<R>(answer, body)) {
    lastSuccess = Date.now();
    return Object.assign(body, { etag: answer.headers.get("ETag") });
  }
  throw failureOf(answer, body);
}

/**
 * Reads the response to a request for text.
 * @throws Problem if the request failed
 */
export async function readText(sent: Promise<Answer>): Promise<string> {
  const { answer, body } = await receive(sent, (arrived) =>
    arrived.ok ? arrived.text() : arrived.json(),
  );
  if (typeof body === "string") {
    return body;
  }
  throw failureOf(answer, body);
}

async function receive<R extends Answer>(sent: Promise<R>, parse: (answer: R) => Promise<unknown>) {
  try {
    const answer = await sent;
    return { answer, body: await parse(answer) };
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") {
      throw error;
    }
    const reason = navigator.onLine ? "The service cannot be reached." : "You are offline.";
    const problem = new Problem("offline", reason, {}, offlineRetryMs);
    noteFailure(problem);
    throw problem;
  }
}

function failureOf(answer: Answer, body: unknown): Problem {
  const problem = problemOf(answer, body);
  noteFailure(problem);
  return problem;
}

function problemOf(answer: Answer, body: unknown): Problem {
  const failure: Readonly<Record<string, unknown>> =
    typeof body === "object" && body !== null ? { ...body } : {};
  const params = failure["params"];
  const seconds = Number(answer.headers.get("Retry-After") ?? Number.NaN);
  const isPassing = [429, 500, 503].includes(answer.status);
  return new Problem(
    typeof failure["code"] === "string" ? failure["code"] : "internal_error",
    typeof failure["error"] === "string" ? failure["error"] : `The status is ${answer.status}.`,
    typeof params === "object" && params !== null ? { ...params } : {},
    isPassing ? (Number.isFinite(seconds) ? seconds * 1000 : offlineRetryMs) : undefined,
  );
}
