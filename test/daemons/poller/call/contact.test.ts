import { expect, inject, test } from "vitest";
import { contactDaemon } from "../../../../src/daemons/poller/call/contact.ts";
import type { Behavior } from "../../../helpers/daemon-behavior.ts";
import { raiseDaemon } from "../../../helpers/daemons.ts";

const contact = (url: string, options: { allowsPrivate?: boolean; deadlineMs?: number } = {}) =>
  contactDaemon(url, "the-token", { allowsPrivate: true, deadlineMs: 2000, ...options });

const data = { version: "0.14.2", name: "attic", mode: "server_poll", ready_for_work: true };
const json = (value: unknown): Behavior => ({ kind: "answer", body: JSON.stringify(value) });
const reached = (version: string | null, capabilities: object = {}) => ({
  error: null,
  version,
  isReady: true,
  has_docker_socket: false,
  interfaced_cidrs: [],
  ...capabilities,
});
const failed = (error: string, http_status: number | null = null) => ({ error, http_status });

test("sends one status request to a daemon, with the daemon's own token", async () => {
  const daemon = raiseDaemon();
  expect(await contact(daemon.url)).toEqual(reached("0.14.2"));
  expect(await daemon.requests()).toEqual([
    {
      method: "GET",
      path: `${new URL(daemon.url).pathname}/api/status`,
      authorization: "Bearer the-token",
    },
  ]);
});

test.each(["/", "//", "?a=b", "/?a=b#c", "#c"])(
  "a daemon whose URL ends in %s receives the request at the same path",
  async (end) => {
    const daemon = raiseDaemon();
    expect(await contact(daemon.url + end)).toEqual(reached("0.14.2"));
    const [request] = await daemon.requests();
    expect(request?.path).toBe(`${new URL(daemon.url).pathname}/api/status`);
  },
);

test.each<[string, Behavior, object]>([
  ["every checked field", json({ success: true, data }), reached("0.14.2")],
  ["none of the checked fields", json({ success: true, data: {} }), reached(null)],
  [
    "nulls",
    json({
      success: true,
      data: { version: null, name: null, mode: null, ready_for_work: null },
    }),
    reached(null),
  ],
  [
    "capabilities",
    json({
      success: true,
      data: {
        ...data,
        has_docker_socket: true,
        interfaced_subnets: [
          { cidr: "10.0.3.0/24", name: "lan" },
          { cidr: "10.0.3.7/24" },
          { cidr: "2001:DB8::/64" },
          { cidr: 7 },
          "10.0.4.0/24",
        ],
      },
    }),
    reached("0.14.2", {
      has_docker_socket: true,
      interfaced_cidrs: ["10.0.3.0/24", "10.0.3.7/24", "2001:DB8::/64"],
    }),
  ],
  [
    "more networks than the service stores",
    json({
      success: true,
      data: {
        ...data,
        interfaced_subnets: Array.from({ length: 101 }, (_, index) => ({
          cidr: `10.0.${index}.0/24`,
        })),
      },
    }),
    reached("0.14.2", {
      interfaced_cidrs: Array.from({ length: 100 }, (_, index) => `10.0.${index}.0/24`),
    }),
  ],
  [
    "capabilities of the wrong type",
    json({ success: true, data: { ...data, has_docker_socket: "yes", interfaced_subnets: {} } }),
    reached("0.14.2"),
  ],
  [
    "unknown fields",
    json({ success: true, data: { ...data, more: [1] }, meta: {}, hello: 1 }),
    reached("0.14.2"),
  ],
  [
    "64 KiB",
    { kind: "answer", body: JSON.stringify({ success: true, data }).padEnd(64 * 1024) },
    reached("0.14.2"),
  ],
])("a response with %s is treated as a success", async (_, behavior, outcome) => {
  const daemon = raiseDaemon();
  await daemon.behave(behavior);
  expect(await contact(daemon.url)).toEqual(outcome);
});

test.each<[string, unknown]>([
  ["success false", { success: false, data }],
  ["success as a string", { success: "true", data }],
  ["no success", { data }],
  ["no data", { success: true }],
  ["data that is null", { success: true, data: null }],
  ["data that is an array", { success: true, data: [data] }],
  ["a name with a NUL character", { success: true, data: { ...data, name: "at\0tic" } }],
  ["a name with half a surrogate pair", { success: true, data: { ...data, name: "\ud800" } }],
  ["a version with a NUL character", { success: true, data: { ...data, version: "1\0" } }],
  ["a version with an escape", { success: true, data: { ...data, version: "1\u001b[2J" } }],
  [
    "a version with a bidirectional override",
    { success: true, data: { ...data, version: "1\u202e2" } },
  ],
  ["a version with a tag character", { success: true, data: { ...data, version: "1\u{e0041}" } }],
  ["an empty version", { success: true, data: { ...data, version: "" } }],
  ["a version with 65 characters", { success: true, data: { ...data, version: "1".repeat(65) } }],
  ["a version that is a number", { success: true, data: { ...data, version: 1 } }],
  ["a mode that is an object", { success: true, data: { ...data, mode: {} } }],
  ["a readiness that is a string", { success: true, data: { ...data, ready_for_work: "yes" } }],
  ["an array as the envelope", [{ success: true, data }]],
  ["a number as the envelope", 1],
  ["null as the envelope", null],
])("a response with %s is reported as having the wrong shape", async (_, value) => {
  const daemon = raiseDaemon();
  await daemon.behave(json(value));
  expect(await contact(daemon.url)).toEqual(failed("wrong_shape"));
});

test.each<[string, Behavior, object]>([
  ["is HTML", { kind: "answer", body: "<!doctype html><p>Hello" }, failed("not_json")],
  ["is empty", { kind: "answer" }, failed("not_json")],
  ["is truncated JSON", { kind: "answer", body: '{"success":true' }, failed("not_json")],
  ["has the status 500", { kind: "answer", status: 500, body: "{" }, failed("http_status", 500)],
  ["has the status 401", { kind: "answer", status: 401 }, failed("http_status", 401)],
  ["has the status 204", { kind: "answer", status: 204 }, failed("http_status", 204)],
  ["has the status 599", { kind: "answer", status: 599 }, failed("http_status", 599)],
  ["has the status 600", { kind: "answer", status: 600 }, failed("http_status")],
  ["has the status 999", { kind: "answer", status: 999 }, failed("http_status")],
  [
    "has a status with eleven digits",
    {
      kind: "raw",
      text: "HTTP/1.1 99999999999 Hi\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    },
    failed("http_status"),
  ],
  ["has the status 304", { kind: "answer", status: 304 }, failed("http_status", 304)],
  [
    "has the status 503 and a body that never ends",
    { kind: "answer", status: 503, body: "x".repeat(1_000_000) },
    failed("http_status", 503),
  ],
  ["is 1 MB", { kind: "answer", body: " ".repeat(1_000_000) }, failed("too_large")],
  [
    "is one byte larger than 64 KiB",
    { kind: "answer", body: " ".repeat(65_537) },
    failed("too_large"),
  ],
  ["never ends", { kind: "flood" }, failed("too_large")],
  ["breaks off", { kind: "cut" }, failed("connection_refused")],
])("a response that %s is treated as a failure", async (_, behavior, outcome) => {
  const daemon = raiseDaemon();
  await daemon.behave(behavior);
  expect(await contact(daemon.url)).toEqual(outcome);
});

test.each([301, 302, 303, 307, 308])(
  "does not follow a redirect with status %i",
  async (status) => {
    const daemon = raiseDaemon();
    const target = raiseDaemon();
    const headers = { Location: `${target.url}/api/status` };
    await daemon.behave({ kind: "answer", status, headers });
    expect(await contact(daemon.url)).toEqual(failed("redirected", status));
    expect(await target.requests()).toEqual([]);
  },
);

test.each<[string, Behavior]>([
  ["does not respond", { kind: "hang" }],
  ["does not finish its response", { kind: "drip" }],
])("a daemon that %s times out at the deadline", async (_, behavior) => {
  const daemon = raiseDaemon();
  await daemon.behave(behavior);
  expect(await contact(daemon.url, { deadlineMs: 300 })).toEqual(failed("timed_out"));
});

test("a port without a listener is reported as a refused connection", async () => {
  expect(await contact(inject("refusingDaemon"))).toEqual(failed("connection_refused"));
});

test("a name that does not resolve is reported as a DNS failure", async () => {
  expect(await contact("http://nobody.invalid")).toEqual(failed("dns_failed"));
});

test("a port that does not speak TLS is reported as a TLS failure", async () => {
  const { url } = raiseDaemon();
  expect(await contact(url.replace("http:", "https:"))).toEqual(failed("tls_failed"));
});

test.each([
  [521, "connection_refused"],
  [522, "timed_out"],
  [523, "connection_refused"],
  [524, "timed_out"],
  [525, "tls_failed"],
  [526, "tls_failed"],
  [530, "dns_failed"],
])(
  "a %i from Cloudflare means %s, but the same status from a daemon is reported unchanged",
  async (status, error) => {
    const daemon = raiseDaemon();
    await daemon.behave({ kind: "answer", status, body: `error code: ${status}` });
    expect(await contact(daemon.url)).toEqual(failed(error));
    await daemon.behave({ kind: "answer", status, body: "{}" });
    expect(await contact(daemon.url)).toEqual(failed("http_status", status));
  },
);

test("sends nothing to a private address", async () => {
  const daemon = raiseDaemon();
  expect(await contact(daemon.url, { allowsPrivate: false })).toEqual(failed("url_forbidden"));
  expect(await daemon.requests()).toEqual([]);
});

test("does not send a token to a public URL without TLS", async () => {
  const url = "http://daemon.example.com";
  expect(await contact(url, { allowsPrivate: false })).toEqual(failed("url_not_encrypted"));
});
