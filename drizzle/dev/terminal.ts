import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as z from "zod";

/** The line that a request leaves in the Worker's log, as far as people want it. */
const requestLine = z.object({
  method: z.string(),
  route: z.string().nullable(),
  status: z.number(),
  duration_ms: z.number(),
});

/** A failed look-up of a daemon's name: workerd writes an error of its own, with addresses of its code. */
const unresolved = /DNS lookup failed\. host = ([\w.-]+);/;

/** What `npm run dev` itself sends, until the Worker is ready. */
const ownRequest = "/api/health/ready";

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * What the terminal shows of the Worker's output: a short line for each request, and all of the log's
 * line where the service failed.
 * @returns null where it shows nothing
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
    : `${method} ${route ?? "(no such path)"} ${status}, ${duration_ms} ms`;
}

/** What the terminal shows of the Worker's errors: all of it, but one line for a name that does not resolve. */
export function shownOfErrors(line: string): string | null {
  const [, host] = unresolved.exec(line) ?? [];
  if (host !== undefined) {
    return `The name ${host} does not resolve: a daemon's last_error is dns_failed, or tls_failed with https.`;
  }
  return line.trim() === "" || /^ +stack: .*workerd@/.test(line) ? null : line;
}

/** Writes what is to be shown of a stream, line by line. */
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
