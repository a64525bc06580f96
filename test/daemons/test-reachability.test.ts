import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import type { Behavior } from "../helpers/daemon-behavior.ts";
import { raiseDaemon } from "../helpers/daemons.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const path = "/api/v1/daemons/test-reachability";

const privateAllowed = { PRIVATE_DAEMON_ADDRESSES: "allowed" };

/** Tests a URL as a Member, and returns the response. */
async function tested(json: object, variables: Record<string, unknown> = privateAllowed) {
  const { keys } = await mintOrganization();
  return openApi(variables).send("POST", path, { key: keys.member, json });
}

test("requests the health once, without a key, and changes nothing", async () => {
  const daemon = raiseDaemon();
  const { id, keys } = await mintOrganization();
  const answer = await changingNothing(id, () =>
    openApi(privateAllowed).send("POST", path, { key: keys.member, json: { url: daemon.url } }),
  );
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { reachable: true, error: null, health: null } },
  });
  expect(await daemon.calls()).toEqual([
    { method: "GET", path: `${new URL(daemon.url).pathname}/api/health` },
  ]);
});

const ok: Behavior = { kind: "answer", body: '{"success":true,"data":"ok"}' };

test.each<[string, Behavior, object]>([
  ["a healthy daemon", ok, { reachable: true, error: null, health: true }],
  [
    "a server that does not know the path",
    { kind: "answer", status: 404 },
    { reachable: true, error: "http_status", health: false },
  ],
  [
    "a redirect, which is not followed",
    { kind: "answer", status: 302, headers: { Location: "http://127.0.0.1:1/" } },
    { reachable: true, error: "redirected", health: false },
  ],
  [
    "a page",
    { kind: "answer", body: "<p>Hello" },
    { reachable: true, error: "not_json", health: false },
  ],
  [
    "a server that closes the connection",
    { kind: "cut" },
    { reachable: false, error: "connection_refused", health: false },
  ],
])("checks the health of %s", async (_, behavior, expected) => {
  const daemon = raiseDaemon();
  await daemon.behave(behavior);
  const answer = await tested({ url: daemon.url, check_health: true });
  expect(answer).toMatchObject({ status: 200, body: { data: expected } });
});

test("a server that does not respond is not reachable after 5 seconds", async () => {
  const daemon = raiseDaemon();
  await daemon.behave({ kind: "hang" });
  const startedAt = performance.now();
  const answer = await tested({ url: daemon.url });
  expect(answer.body).toMatchObject({
    data: { reachable: false, error: "timed_out", health: null },
  });
  const seconds = (performance.now() - startedAt) / 1000;
  expect(seconds).toBeGreaterThan(4.5);
  expect(seconds).toBeLessThan(8);
});

test("nothing is sent to a private address or without encryption, except in development", async () => {
  const daemon = raiseDaemon();
  const variables = { PRIVATE_DAEMON_ADDRESSES: "forbidden" };
  expect((await tested({ url: daemon.url }, variables)).body).toMatchObject({
    data: { reachable: false, error: "url_forbidden" },
  });
  expect((await tested({ url: "http://daemon.example.com" }, variables)).body).toMatchObject({
    data: { reachable: false, error: "url_not_encrypted" },
  });
  expect(await daemon.calls()).toEqual([]);
});

test.each([
  "ftp://daemon.example.com",
  "https://user:secret@daemon.example.com",
  "https://daemon.example.com/?a=b",
  "daemon.example.com",
])("rejects the URL %s", async (url) => {
  expect(await tested({ url })).toMatchObject({
    status: 400,
    body: { code: "validation_failed" },
  });
});

test("nothing is sent for a key that was disabled or whose role is too low", async () => {
  const daemon = raiseDaemon();
  const { id } = await mintOrganization();
  for (const [key, status] of [
    [await mintKey(id, { role: "Member", is_enabled: false }), 401],
    [await mintKey(id, { role: "Viewer" }), 403],
  ] as const) {
    const answer = await openApi(privateAllowed).send("POST", path, {
      key,
      json: { url: daemon.url },
    });
    expect(answer.status).toBe(status);
  }
  expect(await daemon.calls()).toEqual([]);
});

test("nothing is sent beyond the limit of the organization, whichever key is used", async () => {
  const daemon = raiseDaemon();
  const { id, keys } = await mintOrganization();
  const limiter = fakeLimiter(1);
  const api = openApi({ ...privateAllowed, RATE_LIMITS: "on", REACHABILITY_RATE_LIMIT: limiter });
  const json = { url: daemon.url };
  expect((await api.send("POST", path, { key: keys.member, json })).status).toBe(200);
  const beyond = await api.send("POST", path, { key: keys.admin, json });
  expect(seen(beyond)).toMatchObject(
    failed("rate_limit_exceeded", { retry_after_seconds: expect.any(Number) }),
  );
  expect(beyond.headers.get("ratelimit")).toContain('"reachability";r=0');
  expect(limiter.counted).toEqual([id, id]);
  expect(await daemon.calls()).toHaveLength(1);
});
