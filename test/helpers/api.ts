import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { neonConfig } from "@neondatabase/serverless";
import worker from "../../src/index.ts";
import { judgeAnswer, recordAnswer, servedPath } from "./contract.ts";

/** A response that was read in full. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed JSON; tests check it with `expect`. */
  body: unknown;
}

/**
 * A fault that the local database injects into a call, either instead of running it or after
 * running it.
 */
export type Fault =
  | { kind: "none" | "hang" | "refuse" | "truncate" | "cut_body" | "not_json" | "lost_answer" }
  | { kind: "cut_results"; of: "columns" | "rows" | "last_row" | "results" }
  | { kind: "status"; status: number; body?: string }
  | { kind: "sqlstate"; code: string; message: string };

export interface RequestOptions {
  key?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent verbatim. */
  body?: BodyInit;
  signal?: AbortSignal;
}

/** The endpoint of the database that the test files in this Worker share. */
export const sharedDatabase = env.LOCAL_DATABASE_ENDPOINT;

let probedEndpoint = sharedDatabase;

/**
 * Makes tests use the database at this endpoint, where their calls can be counted and made to fail.
 * @returns the previous endpoint
 */
export function useDatabase(endpoint: string): string {
  const before = probedEndpoint;
  probedEndpoint = endpoint;
  neonConfig.fetchEndpoint = endpoint;
  return before;
}

/**
 * The Worker with a separate database connection, whose calls can be counted and made to fail.
 * @param variables override the configuration; undefined removes a variable
 */
export function openApi(variables: Record<string, unknown> = {}) {
  const label = crypto.randomUUID();
  const url = new URL(env.DATABASE_URL);
  url.searchParams.set("application_name", label);
  // All test files of a Worker would share the agenda, although each has databases of its own. Without
  // a change signal, nothing goes on after the response to a write.
  const configured = {
    ...env,
    AGENDA: undefined,
    CHANGE_SIGNAL: undefined,
    DATABASE_URL: url.href,
    ...variables,
  };
  const workerEnv = Object.fromEntries(
    Object.entries(configured).filter(([, value]) => value !== undefined),
  );
  const probes = new URL(`/probes/${label}`, probedEndpoint);

  /** Sends a request without reading the body of the response. */
  async function open(method: string, path: string, options: RequestOptions = {}) {
    const headers = new Headers(options.headers);
    if (options.key !== undefined) {
      headers.set("Authorization", `Bearer ${options.key}`);
    }
    if (options.json !== undefined && !headers.has("Content-Type")) {
      headers.set("Content-Type", "application/json");
    }
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const request = new Request(`https://api.example.com${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    const context = createExecutionContext();
    // Do not wait for `context` here: it also waits for the body, which has not been read yet.
    const response = await worker.fetch(request, workerEnv, context);
    judgeAnswer(method, servedPath(new URL(request.url)), response);
    return response;
  }

  /** Sends a request and reads the whole response. */
  async function send(method: string, path: string, options?: RequestOptions): Promise<Answer> {
    const response = await open(method, path, options);
    const text = await response.text();
    const url = new URL(path, "https://api.example.com");
    // The document describes whole records. A response to a request with `fields` does not have all
    // of their fields.
    const judged = url.searchParams.has("fields") && response.ok ? undefined : text;
    await recordAnswer(judgeAnswer(method, servedPath(url), response, judged));
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    return { status: response.status, headers: response.headers, text, body };
  }

  return {
    /** The environment of the Worker. */
    env: workerEnv,
    open,
    send,
    /** The number of database calls. */
    async calls(): Promise<number> {
      const counts: { calls: number } = await (await fetch(probes)).json();
      return counts.calls;
    },
    /** Makes the database slow or faulty starting with the next call, and resets the counter. */
    async disturb(disturbance: { delay_ms?: number; faults?: Fault[] }): Promise<void> {
      const response = await fetch(probes, { method: "PUT", body: JSON.stringify(disturbance) });
      if (!response.ok) {
        throw new Error(await response.text());
      }
    },
  };
}

export type Api = ReturnType<typeof openApi>;
