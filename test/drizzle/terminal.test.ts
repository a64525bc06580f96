import { expect, it } from "vitest";
import { shownOfErrors, shownOfOutput } from "../../drizzle/dev/terminal.ts";

const line = (fields: object) =>
  JSON.stringify({
    method: "GET",
    route: "/api/v1/tags/:id",
    status: 200,
    duration_ms: 7,
    ...fields,
  });

it.each([
  ["a request", line({}), "GET /api/v1/tags/:id 200, 7 ms"],
  ["an unknown path", line({ route: null, status: 404 }), "GET (no such path) 404, 7 ms"],
  ["an unsupported method", line({ route: null, status: 405 }), "GET (no such method) 405, 7 ms"],
  [
    "a preflight",
    line({ method: "OPTIONS", route: null, status: 204 }),
    "OPTIONS (preflight) 204, 7 ms",
  ],
  [
    "a failed request, unchanged",
    line({ status: 503, reason: "lock" }),
    line({ status: 503, reason: "lock" }),
  ],
  ["nothing for npm run dev's own readiness checks", line({ route: "/api/health/ready" }), null],
  ["nothing from the poller", '{"event":"poll_cycle","claimed":0}', null],
  ["nothing from wrangler", "[wrangler:info] GET /api/v1/tags 200 OK (27ms)", null],
  ["nothing for a line that only looks like JSON", '{"method":', null],
])("the terminal prints %s", (_, written, expected) => {
  expect(shownOfOutput(written)).toBe(expected);
});

const failed =
  "✘ [ERROR] e = rust/cxx/kj-rs-io/ffi.rs:176: failed: getaddrinfo(): DNS lookup failed. " +
  "host = attic.example.com; service = (none); failed to lookup address information";

it.each([
  [
    "one line for a name that does not resolve",
    failed,
    "The name attic.example.com does not resolve: a daemon's last_error is dns_failed, or tls_failed with https.",
  ],
  ["nothing for the stack trace", "  stack: /a/workerd@57ff0c0 /a/workerd@565f670", null],
  ["nothing for a blank line", "", null],
  ["every other error", "✘ [ERROR] Uncaught Error", "✘ [ERROR] Uncaught Error"],
])("the terminal prints %s", (_, written, expected) => {
  expect(shownOfErrors(written)).toBe(expected);
});
