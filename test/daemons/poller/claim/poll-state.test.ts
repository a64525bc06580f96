import { expect, test } from "vitest";
import { openApi } from "../../../helpers/api.ts";
import type { Behavior } from "../../../helpers/daemon-behavior.ts";
import {
  daemonRow,
  leaseDaemon,
  raiseDaemon,
  secondsToNextPoll,
} from "../../../helpers/daemons.ts";
import { mintOrganization } from "../../../helpers/organization.ts";
import { daemonToken, openPoller } from "../../../helpers/poller.ts";
import { recordIn } from "../../../helpers/records.ts";

/** A daemon's state after this many consecutive failures. */
const failedTimes = (consecutive_failures: number) => ({
  consecutive_failures,
  last_error: "http_status" as const,
  last_error_http_status: 500,
  last_error_at: "2026-01-02T03:04:05.678Z",
});

/** Matches a database timestamp within ten seconds of now. */
const isRecent = expect.toSatisfy(
  (instant: unknown) => Math.abs(Date.parse(String(instant)) - Date.now()) < 10_000,
  "a recent timestamp",
);

const success = {
  version: "0.14.2",
  last_seen_at: isRecent,
  consecutive_failures: 0,
  is_unreachable: false,
  unreachable_since: null,
  last_error: null,
  last_error_http_status: null,
  last_error_at: null,
  lease_expires_at: null,
};

test("a poll sends the token and records the time and the daemon's version", async () => {
  const poller = openPoller();
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url });
  const claimed = await leaseDaemon(id);
  const before = await daemonRow(id);

  await poller.poll(claimed);

  const after = await daemonRow(id);
  expect(after).toEqual({
    ...before,
    ...success,
    poll_generation: claimed.poll_generation,
    next_poll_at: after.next_poll_at,
    due_at: after.next_poll_at,
    introduced_at: isRecent,
  });
  expect(await secondsToNextPoll(id)).toBe(5);
  expect(await daemon.requests()).toMatchObject([{ authorization: `Bearer ${daemonToken}` }]);
  expect(await poller.calls()).toBe(1);
});

test("a daemon that does not report a version has no version", async () => {
  const poller = openPoller();
  const daemon = raiseDaemon();
  await daemon.behave({ kind: "answer", body: '{"success":true,"data":{}}' });
  const id = await poller.mintDaemon({ url: daemon.url, version: "0.14.1" });
  await poller.poll(await leaseDaemon(id));
  expect(await daemonRow(id)).toMatchObject({ ...success, version: null });
});

test("a daemon's capabilities include its attached subnets", async () => {
  const poller = openPoller();
  const daemon = raiseDaemon();
  const interfaced_subnets = [{ cidr: "10.9.8.7/24" }, { cidr: "10.9.9.0/24" }];
  const data = { has_docker_socket: true, interfaced_subnets };
  await daemon.behave({ kind: "answer", body: JSON.stringify({ success: true, data }) });
  const organization = await mintOrganization();
  const { keys, networks } = organization;
  const id = await poller.mintDaemon({ url: daemon.url }, organization);
  const api = openApi();
  const body = { network_id: networks[0].id, cidr: "10.9.8.0/24" };
  const subnet = await api.send("POST", "/api/v1/subnets", { key: keys.owner, json: body });
  await poller.poll(await leaseDaemon(id));
  const read = async () =>
    recordIn(await api.send("GET", `/api/v1/daemons/${id}`, { key: keys.owner }), 200);
  const { id: subnet_id } = recordIn(subnet, 201);
  expect(await read()).toMatchObject({
    capabilities: { has_docker_socket: true, interfaced_subnet_ids: [subnet_id] },
    user_id: null,
  });
  // A failed poll does not change the capabilities.
  await daemon.behave({ kind: "answer", status: 500, body: "" });
  await poller.poll(await leaseDaemon(id));
  expect(await read()).toMatchObject({
    capabilities: { has_docker_socket: true, interfaced_subnet_ids: [subnet_id] },
  });
});

const answer = (body: string, status = 200): Behavior => ({ kind: "answer", status, body });

test.each<[string, Behavior, string, number | null]>([
  ["500", answer("", 500), "http_status", 500],
  ["HTML", answer("<!doctype html>"), "not_json", null],
  ["1 MB", answer(" ".repeat(1_000_000)), "too_large", null],
  ["another envelope", answer('{"ok":true}'), "wrong_shape", null],
  ["a NUL", answer(String.raw`{"success":true,"data":{"name":"a\u0000"}}`), "wrong_shape", null],
  [
    "a redirect",
    { kind: "answer", status: 302, headers: { Location: "http://127.0.0.1/" } },
    "redirected",
    302,
  ],
  ["silence", { kind: "hang" }, "timed_out", null],
  ["an endless response", { kind: "drip" }, "timed_out", null],
])(
  "a response with %s is recorded as a failure with its reason",
  async (_, behavior, error, status) => {
    const poller = openPoller();
    const daemon = raiseDaemon();
    await daemon.behave(behavior);
    const seen = { version: "0.14.1", last_seen_at: "2026-01-02T03:04:05.678Z" };
    const id = await poller.mintDaemon({ url: daemon.url, ...seen });
    const claimed = await leaseDaemon(id);
    const before = await daemonRow(id);

    await poller.pollImpatiently(claimed);

    const after = await daemonRow(id);
    expect(after).toEqual({
      ...before,
      consecutive_failures: 1,
      last_error: error,
      last_error_http_status: status,
      last_error_at: isRecent,
      poll_generation: claimed.poll_generation,
      lease_expires_at: null,
      next_poll_at: after.next_poll_at,
      due_at: after.next_poll_at,
      is_slow: error === "timed_out",
    });
    expect(await poller.calls()).toBe(1);
  },
);

test("a daemon at a forbidden URL fails without a request", async () => {
  const poller = openPoller({ PRIVATE_DAEMON_ADDRESSES: "forbidden" });
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url });
  await poller.poll(await leaseDaemon(id));
  expect(await daemonRow(id)).toMatchObject({
    consecutive_failures: 1,
    last_error: "url_forbidden",
    last_error_http_status: null,
  });
  expect(await daemon.requests()).toEqual([]);
});

test.each([
  [0, 5],
  [1, 10],
  [2, 20],
  [3, 30],
])("after %i failures, the next poll is %i seconds later", async (failures, seconds) => {
  const poller = openPoller();
  const id = await poller.mintDaemon(failures > 0 ? failedTimes(failures) : {});
  await poller.poll(await leaseDaemon(id));
  expect(await daemonRow(id)).toMatchObject({
    consecutive_failures: failures + 1,
    is_unreachable: false,
    last_error: "connection_refused",
    last_error_http_status: null,
    last_error_at: isRecent,
    lease_expires_at: null,
  });
  expect(await secondsToNextPoll(id)).toBe(seconds);
});

test("a daemon that fails five times in a row is unreachable and no longer polled", async () => {
  const poller = openPoller();
  const id = await poller.mintDaemon(failedTimes(4));
  await poller.poll(await leaseDaemon(id));
  const daemon = await daemonRow(id);
  expect(daemon).toMatchObject({
    consecutive_failures: 5,
    is_unreachable: true,
    unreachable_since: daemon.last_error_at,
    last_error: "connection_refused",
    last_error_at: isRecent,
    next_poll_at: null,
    lease_expires_at: null,
  });
});

test("a successful response resets the failure count after four failures", async () => {
  const poller = openPoller();
  const daemon = raiseDaemon();
  await daemon.behave({ kind: "answer", status: 500 });
  const id = await poller.mintDaemon({ url: daemon.url });
  for (let failures = 1; failures <= 4; failures += 1) {
    await poller.poll(await leaseDaemon(id));
    expect(await daemonRow(id)).toMatchObject({ consecutive_failures: failures });
  }
  await daemon.behave({ kind: "answer", body: '{"success":true,"data":{"version":"0.14.2"}}' });
  await poller.poll(await leaseDaemon(id));
  expect(await daemonRow(id)).toMatchObject(success);
  expect(await secondsToNextPoll(id)).toBe(5);
});

test("the daemons in a message are recorded in one call, each with its own result", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const [healthy, broken] = [raiseDaemon(), raiseDaemon()];
  await broken.behave({ kind: "answer", status: 503 });
  const urls = Array.from({ length: 20 }, (_, index) => (index % 2 ? broken.url : healthy.url));
  const ids = await Promise.all(urls.map((url) => poller.mintDaemon({ url }, organization)));
  const claimed = await Promise.all(ids.map(leaseDaemon));
  await poller.poll(...claimed);
  expect(await poller.calls()).toBe(1);
  const rows = await Promise.all(ids.map(daemonRow));
  expect(rows.map(({ last_error_http_status }) => last_error_http_status)).toEqual(
    urls.map((url) => (url === broken.url ? 503 : null)),
  );
});

test("at most five daemons are contacted at a time", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const daemon = raiseDaemon();
  await daemon.behave({ kind: "hold" });
  const mint = () => poller.mintDaemon({ url: daemon.url }, organization);
  const ids = await Promise.all(Array.from({ length: 13 }, mint));
  const claimed = await Promise.all(ids.map(leaseDaemon));
  const polled = poller.poll(...claimed);
  for (const contacted of [5, 10, 13]) {
    await expect.poll(async () => (await daemon.requests()).length).toBe(contacted);
    await daemon.release();
  }
  await polled;
  expect(await daemon.requests()).toHaveLength(13);
});
