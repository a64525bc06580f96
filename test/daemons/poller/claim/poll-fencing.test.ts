import { expect, test } from "vitest";
import { daemonRow, endLease, leaseDaemon, raiseDaemon } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import { mintOrganization, unreachable } from "../../../helpers/organization.ts";
import { openPoller, type Poller } from "../../../helpers/poller.ts";

/** The outcome of a message that the queue must redeliver. */
const redelivered = {
  outcome: "ok",
  explicitAcks: [],
  retryMessages: [{ msgId: expect.any(String) }],
};

/** Starts polling a daemon that holds back its response. */
async function pollHalfway(poller: Poller) {
  const organization = await mintOrganization();
  const daemon = raiseDaemon();
  await daemon.behave({ kind: "hold" });
  const id = await poller.mintDaemon({ url: daemon.url }, organization);
  const polled = poller.poll(await leaseDaemon(id));
  await expect.poll(daemon.requests).toHaveLength(1);
  const finish = async () => {
    await daemon.release();
    return polled;
  };
  const retry = () =>
    poller.send("POST", `/api/v1/daemons/${id}/retry-connection`, {
      key: organization.keys.member,
    });
  return { id, daemon, finish, retry };
}

test("a result that arrives after retry-connection changes nothing", async () => {
  const { id, finish, retry } = await pollHalfway(openPoller());
  expect(await retry()).toMatchObject({ status: 200 });
  const reset = await daemonRow(id);
  expect(await finish()).toMatchObject({ outcome: "ok" });
  expect(await daemonRow(id)).toEqual(reset);
  expect(reset).toMatchObject({ last_seen_at: null, lease_expires_at: null });
});

test("a failure that arrives after retry-connection is not counted", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const failures = { ...unreachable, consecutive_failures: 4, unreachable_since: null };
  const id = await poller.mintDaemon(
    { ...failures, next_poll_at: "2026-01-02T03:04:05.678Z" },
    organization,
  );
  const claimed = await leaseDaemon(id);
  const path = `/api/v1/daemons/${id}/retry-connection`;
  await poller.send("POST", path, { key: organization.keys.member });
  const reset = await daemonRow(id);
  await poller.poll(claimed);
  expect(await daemonRow(id)).toEqual(reset);
  expect(reset).toMatchObject({ consecutive_failures: 0, is_unreachable: false });
});

test("a result whose lease has expired changes nothing", async () => {
  const { id, finish } = await pollHalfway(openPoller());
  await endLease(id);
  const before = await daemonRow(id);
  await finish();
  expect(await daemonRow(id)).toEqual(before);
  expect(before).toMatchObject({ last_seen_at: null });
});

test("a result that arrives after the daemon has been claimed again changes nothing", async () => {
  const poller = openPoller();
  const { id, daemon, finish } = await pollHalfway(poller);
  const second = await leaseDaemon(id);
  const before = await daemonRow(id);
  await finish();
  expect(await daemonRow(id)).toEqual(before);

  await daemon.behave({ kind: "answer", status: 500 });
  await poller.poll(second);
  expect(await daemonRow(id)).toMatchObject({ consecutive_failures: 1, last_error: "http_status" });
});

test("a message that is delivered twice is counted once", async () => {
  const poller = openPoller();
  const id = await poller.mintDaemon();
  const claimed = await leaseDaemon(id);
  await poller.poll(claimed);
  const once = await daemonRow(id);
  await poller.poll(claimed);
  expect(await daemonRow(id)).toEqual(once);
  expect(once).toMatchObject({ consecutive_failures: 1 });
});

test("a message that is delivered twice concurrently is counted once", async () => {
  const poller = openPoller();
  const organization = await mintOrganization();
  const ids = await Promise.all(
    Array.from({ length: 10 }, () => poller.mintDaemon({}, organization)),
  );
  const claimed = await Promise.all(ids.map(leaseDaemon));
  // Two consumers that record the same daemons can deadlock, in which case one of them fails and is
  // retried.
  await Promise.allSettled([poller.poll(...claimed), poller.poll(...claimed.toReversed())]);
  for (const id of ids) {
    expect(await daemonRow(id)).toMatchObject({ consecutive_failures: 1, lease_expires_at: null });
  }
});

test("a consumer that fails before it records the results changes nothing, and is retried", async () => {
  const poller = openPoller();
  const id = await poller.mintDaemon();
  const claimed = await leaseDaemon(id);
  const before = await daemonRow(id);
  await poller.disturb({ faults: [{ kind: "refuse" }] });
  expect(await poller.poll(claimed)).toMatchObject(redelivered);
  expect(await daemonRow(id)).toEqual(before);
  await poller.poll(claimed);
  expect(await daemonRow(id)).toMatchObject({ consecutive_failures: 1, lease_expires_at: null });
});

test("a consumer that fails after it has recorded the results is retried, and the retry changes nothing", async () => {
  const poller = openPoller();
  const id = await poller.mintDaemon();
  const claimed = await leaseDaemon(id);
  await poller.disturb({ faults: [{ kind: "lost_answer" }] });
  expect(await poller.poll(claimed)).toMatchObject(redelivered);
  await poller.poll(claimed);
  expect(await daemonRow(id)).toMatchObject({ consecutive_failures: 1, lease_expires_at: null });
});

test("the daemons in a message whose lease has nearly expired are not polled: no request is sent", async () => {
  const poller = openPoller();
  const daemon = raiseDaemon();
  const id = await poller.mintDaemon({ url: daemon.url });
  const claimed = await leaseDaemon(id);
  const before = await daemonRow(id);
  // The poll can take 10 seconds, the rest of the visit 25 seconds, the wait for the recording 1
  // second, and the recording itself 8 seconds.
  const tooLate = { ...claimed, lease_expires_at: Date.now() + 43_000 };
  expect(await poller.poll(tooLate)).toMatchObject({
    outcome: "ok",
    explicitAcks: [expect.any(String)],
  });
  expect(await daemon.requests()).toEqual([]);
  expect(await poller.calls()).toBe(0);
  expect(await daemonRow(id)).toEqual(before);

  await poller.poll({ ...claimed, lease_expires_at: Date.now() + 46_000 });
  expect(await daemon.requests()).toHaveLength(1);
});

test("a deleted daemon does not prevent the results of the others from being recorded", async () => {
  const poller = openPoller();
  const [gone, id] = [await poller.mintDaemon(), await poller.mintDaemon()];
  const claimed = [await leaseDaemon(gone), await leaseDaemon(id)];
  await sql`delete from daemons where id = ${gone}`;
  await poller.poll(...claimed);
  expect(await daemonRow(id)).toMatchObject({ consecutive_failures: 1, lease_expires_at: null });
});

test.each([null, {}, { daemons: [{ id: "1" }] }, { daemons: "all" }])(
  "rejects the message %j",
  async (body) => {
    const poller = openPoller();
    expect(await poller.deliver(body)).toMatchObject(redelivered);
    expect(await poller.calls()).toBe(0);
  },
);
