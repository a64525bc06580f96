import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as z from "zod";

/** The fields of a request's log line that the terminal shows. */
const requestLine = z.object({
  method: z.string(),
  route: z.string().nullable(),
  status: z.number(),
  duration_ms: z.number(),
});

/**
 * A failed lookup of a daemon's host name, for which workerd writes its own error with code
 * addresses.
 */
const unresolved = /DNS lookup failed\. host = ([\w.-]+);/;

/** The request of `npm run dev` itself, until the Worker is ready. */
const ownRequest = "/api/health/ready";

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Formats a line of the Worker's output for the terminal: a short line for each request, and the
 * complete log line of a failure.
 * @returns null for lines that are not shown
 */
export function shownOfOutput(line: string): string | null {
  const request = line.startsWith("{") ? requestLine.safeParse(parsed(line)).data : undefined;
  if (request === undefined) {
    return null;
  }
  const { method, route, status, duration_ms } = request;
  if (route === ownRequest && status === 200) {
    return null;
  }
  return status >= 500
    ? line
    : `${method} ${route ?? unrouted(method, status)} ${status}, ${duration_ms} ms`;
}

/** The name of a request that no route has served. */
function unrouted(method: string, status: number): string {
  if (method === "OPTIONS") {
    return "(preflight)";
  }
  return status === 405 ? "(no such method)" : "(no such path)";
}

/**
 * Formats the Worker's errors for the terminal: one line for a name that does not resolve, and all
 * other errors unchanged.
 */
export function shownOfErrors(line: string): string | null {
  const [, host] = unresolved.exec(line) ?? [];
  if (host !== undefined) {
    return `The name ${host} does not resolve: a daemon's last_error is dns_failed, or tls_failed with https.`;
  }
  return line.trim() === "" || /^ +stack: .*workerd@/.test(line) ? null : line;
}

/** Writes the lines of a stream that are to be shown. */
export function show(
  stream: Readable | null,
  shown: (line: string) => string | null,
  write: (line: string) => void,
): void {
  if (stream === null) {
    return;
  }
  createInterface({ input: stream }).on("line", (line) => {
    const text = shown(line);
    if (text !== null) {
      write(text);
    }
  });
}
