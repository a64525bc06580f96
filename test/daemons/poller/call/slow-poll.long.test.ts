import { afterEach, expect, test, vi } from "vitest";
import { pollBatch } from "../../../../src/daemons/poller/batch.ts";
import { pollTimes } from "../../../../src/daemons/poller/poll.ts";
import {
  LargePollRoom,
  largePollDeadlines,
  maxLargePolls,
} from "../../../../src/daemons/poller/report/large-polls.ts";
import { leaseDaemon } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import { raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";

afterEach(() => {
  vi.useRealTimers();
});

const discovered = async ({ organization }: Scanner) => {
  const [row] = await sql`select count(*)::int from hosts
    where organization_id = ${organization.id} and source = 'Discovery' and valid_to is null`;
  return row?.["count"];
};

/** A poll response body that is too large to be read without a slot. */
const large = ({ networkId }: Scanner) =>
  JSON.stringify({
    success: true,
    data: { progress: null, entities: { hosts: [wireHost(networkId, "10.78.0.3")] } },
  }).padEnd(100_000);

test("a daemon that stalls its response does not delay another organization's daemons", async () => {
  const [slow, other] = [await raiseScanner(), await raiseScanner()];
  await slow.behave({ poll: { kind: "stall", body: large(slow) } });
  await other.behave({ poll: { kind: "answer", body: large(other) } });
  let isOver = false;
  const times = { ...pollTimes, visit: 5000 };
  const stalled = pollBatch(
    slow.poller.settings,
    { daemons: [await leaseDaemon(slow.id)] },
    times,
  ).finally(() => {
    isOver = true;
  });
  await vi.waitUntil(async () => (await slow.got("poll")).length > 0);
  await other.visit();
  expect(await discovered(other)).toBe(1);
  expect(isOver).toBe(false);
  await stalled;
  expect(await discovered(slow)).toBe(0);
});

async function enter(organization: string) {
  const room = new LargePollRoom();
  return { room, isIn: await room.enter(organization) };
}

test("at most one large response per organization, and at most two per isolate, are received at a time", async () => {
  vi.useFakeTimers();
  expect(maxLargePolls).toEqual({ arrivingPerOrganization: 1, arriving: 2, turns: 1 });
  const first = await enter("a");
  const again = enter("a");
  const second = await enter("b");
  expect([first.isIn, second.isIn]).toEqual([true, true]);
  const third = enter("c");
  await vi.advanceTimersByTimeAsync(largePollDeadlines.wait);
  expect([(await again).isIn, (await third).isIn]).toEqual([false, false]);
  first.room.leave();
  second.room.leave();
});

test("large responses are processed one at a time, and the next one can be received in the meantime", async () => {
  vi.useFakeTimers();
  const first = await enter("a");
  expect(await first.room.takeTurn()).toBe(true);
  const next = await enter("a");
  const turn = next.room.takeTurn();
  await vi.advanceTimersByTimeAsync(largePollDeadlines.wait);
  expect(await turn).toBe(false);
  next.room.leave();
  first.room.leave();
  const last = await enter("b");
  expect(await last.room.takeTurn()).toBe(true);
  last.room.leave();
  expect(await new LargePollRoom().takeTurn()).toBe(true);
});
