import { beforeAll, beforeEach, expect, test } from "vitest";
import { pollBatch } from "../../../../src/daemons/poller/batch.ts";
import { pollMessageSchema } from "../../../../src/daemons/poller/claim/cycle.ts";
import { pollTimes } from "../../../../src/daemons/poller/poll.ts";
import type { Behavior } from "../../../helpers/daemon-behavior.ts";
import { daemonRow, leaseDaemon, raiseDaemon } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import { mintOrganization } from "../../../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../../../helpers/poller.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
});

const idsIn = (messages: unknown[]) =>
  messages.map((message) => pollMessageSchema.parse(message).daemons.map(({ id }) => id));

test("slow daemons are sent to the slow queue, with a separate message for each organization", async () => {
  const poller = openPoller(variables);
  const [one, other] = [await mintOrganization(), await mintOrganization()];
  const slow = [
    await poller.mintDaemon({ is_slow: true }, one),
    await poller.mintDaemon({ is_slow: true }, other),
  ];
  const healthy = await poller.mintDaemon({}, one);
  const lanes = await poller.lanes();
  expect(idsIn(lanes.fast)).toEqual([[healthy]]);
  expect(idsIn(lanes.slow)).toHaveLength(2);
  expect(idsIn(lanes.slow)).toEqual(expect.arrayContaining(slow.map((id) => [id])));
});

test.each<[string, Behavior, number, boolean]>([
  ["responds at once", { kind: "answer", body: '{"success":true,"data":{}}' }, 5000, false],
  ["fails at once", { kind: "answer", status: 500 }, 5000, false],
  ["takes longer than a poll should take", { kind: "answer", status: 500 }, -1, true],
  ["does not respond in time", { kind: "hang" }, 5000, true],
])(
  "a daemon that %s is in the right queue at the next poll",
  async (_, behavior, slow, is_slow) => {
    const poller = openPoller(variables);
    const daemon = raiseDaemon();
    await daemon.behave(behavior);
    for (const before of [true, false]) {
      const id = await poller.mintDaemon({ url: daemon.url, is_slow: before });
      const message = { daemons: [await leaseDaemon(id)] };
      await pollBatch(poller.settings, message, { ...pollTimes, deadline: 500, slow });
      expect(await daemonRow(id)).toMatchObject({ is_slow });
    }
  },
);

test("results that could not be recorded at first are recorded with the next results", async () => {
  const poller = openPoller(variables);
  const organization = await mintOrganization();
  const [first, last] = [raiseDaemon(), raiseDaemon()];
  await last.behave({ kind: "hold" });
  const ids = [
    await poller.mintDaemon({ url: first.url }, organization),
    await poller.mintDaemon({ url: last.url }, organization),
  ];
  const daemons = await Promise.all(ids.map(leaseDaemon));
  await poller.disturb({ faults: [{ kind: "refuse" }] });
  const polled = pollBatch(poller.settings, { daemons }, { ...pollTimes, record: 100 });
  await expect
    .poll(() => daemonRow(ids[0] ?? ""), { timeout: 5000 })
    .toMatchObject({ version: "0.14.2" });
  await last.release();
  await polled;
  expect(await daemonRow(ids[1] ?? "")).toMatchObject({ version: "0.14.2" });
});

test("the poller uses its own login, and the API uses the Worker's login", async () => {
  const url = new URL(String(openPoller(variables).env["DATABASE_URL"]));
  url.searchParams.set("application_name", crypto.randomUUID());
  const poller = openPoller({ ...variables, POLLER_DATABASE_URL: url.href });
  const own = openPoller({ ...variables, DATABASE_URL: url.href });
  await poller.cycle();
  // Calls are counted per connection string, and the cycle does not use the API's connection
  // string.
  expect(await poller.calls()).toBe(0);
  const { keys } = await mintOrganization();
  await poller.send("GET", "/api/v1/daemons", { key: keys.viewer });
  expect(await poller.calls()).toBe(1);
  await own.cycle();
});
