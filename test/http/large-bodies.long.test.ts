import { afterEach, expect, test, vi } from "vitest";
import {
  type BodyBounds,
  bodyBounds,
  boundsWithChildren,
  LargeBodyRoom,
  largeBodyDeadlines,
  maxBodyBytes,
  usualBounds,
} from "../../src/http/body/large-bodies.ts";
import { importBounds } from "../../src/imports/create.ts";

afterEach(() => {
  vi.useRealTimers();
});

const refusal = {
  code: "service_unavailable",
  params: { retry_after_seconds: 5, outcome: "unchanged", advice: "repeat" },
};

const newBounds = () =>
  bodyBounds({
    bytes: 1000,
    members: 10,
    arriving: { perOrganization: 1, perIsolate: 2 },
    underWay: { perOrganization: 1, perIsolate: 2 },
    turns: 1,
  });

async function enter(bounds: BodyBounds, organization: string = crypto.randomUUID()) {
  const room = new LargeBodyRoom(bounds);
  return { room, buffer: await room.enter(organization) };
}

/** Returns the number of calls that succeed before one has to wait. */
async function countUntilFull(next: () => Promise<unknown>): Promise<number> {
  for (let count = 0; ; count++) {
    const isIn = next().then(
      () => true,
      () => false,
    );
    await vi.advanceTimersByTimeAsync(largeBodyDeadlines.wait);
    if (!(await isIn)) {
      return count;
    }
  }
}

test.each([
  { what: "usual bodies", bounds: usualBounds, ofOne: 4, ofAll: 8, turns: 4 },
  { what: "records with children", bounds: boundsWithChildren, ofOne: 2, ofAll: 4, turns: 1 },
  { what: "imports", bounds: importBounds, ofOne: 1, ofAll: 3, turns: 1 },
])(
  "at most $ofAll $what are received concurrently, $ofOne per organization, and $turns processed concurrently",
  async (row) => {
    vi.useFakeTimers();
    const organization = crypto.randomUUID();
    const rooms: LargeBodyRoom[] = [];
    const enterOf = (id?: string) => async () => {
      // Slots must not expire in the meantime.
      vi.setSystemTime(0);
      rooms.push((await enter(row.bounds, id)).room);
    };
    expect(await countUntilFull(enterOf(organization))).toBe(row.ofOne);
    expect(await countUntilFull(enterOf())).toBe(row.ofAll - row.ofOne);
    const waiting = [...rooms];
    expect(
      await countUntilFull(async () => {
        vi.setSystemTime(0);
        await waiting.shift()?.takeTurn();
      }),
    ).toBe(row.turns);
    for (const room of rooms) {
      room.leave();
    }
  },
);

test("a body that does not get a slot within 10 seconds results in 503", async () => {
  vi.useFakeTimers();
  const bounds = newBounds();
  await enter(bounds, "a");
  const refused = expect(enter(bounds, "a")).rejects.toMatchObject(refusal);
  await vi.advanceTimersByTimeAsync(largeBodyDeadlines.wait);
  await refused;
});

test("a body that has been received but cannot be processed within 10 seconds results in 503", async () => {
  vi.useFakeTimers();
  const bounds = newBounds();
  const [first, second] = [await enter(bounds), await enter(bounds)];
  await first.room.takeTurn();
  const refused = expect(second.room.takeTurn()).rejects.toMatchObject(refusal);
  await vi.advanceTimersByTimeAsync(largeBodyDeadlines.wait);
  await refused;
});

test("a body that is being processed frees its receiving slot and keeps its processing slot", async () => {
  const bounds = newBounds();
  const { room } = await enter(bounds, "a");
  await room.takeTurn();
  room.releaseBuffer();
  const next = await enter(bounds, "a");
  let hasTurn = false;
  const turn = next.room.takeTurn().finally(() => {
    hasTurn = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(hasTurn).toBe(false);
  room.leave();
  await turn;
  next.room.leave();
});

test("a body whose statement has been sent frees its processing slot for other organizations, but not for its own", async () => {
  const bounds = { ...newBounds(), bytes: 1003 };
  const first = await enter(bounds, "a");
  await first.room.takeTurn();
  first.room.releaseBuffer();
  first.room.endTurn(maxBodyBytes);
  const [own, other] = [await enter(bounds, "a"), await enter(bounds, "b")];
  let hasOwnTurn = false;
  const ownTurn = own.room.takeTurn().finally(() => {
    hasOwnTurn = true;
  });
  await other.room.takeTurn();
  other.room.leave();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(hasOwnTurn).toBe(false);
  first.room.leave();
  await ownTurn;
  own.room.leave();
});

test("a body of more than 1 MiB keeps its processing slot until the response", async () => {
  const bounds = { ...newBounds(), bytes: 1004 };
  const [first, second] = [await enter(bounds, "a"), await enter(bounds, "b")];
  await first.room.takeTurn();
  first.room.endTurn(maxBodyBytes + 1);
  let hasTurn = false;
  const turn = second.room.takeTurn().finally(() => {
    hasTurn = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(hasTurn).toBe(false);
  first.room.leave();
  await turn;
  second.room.leave();
});

test("a body without a receiving slot does not take a processing slot", async () => {
  const bounds = newBounds();
  const { room } = await enter(bounds);
  await room.takeTurn();
  await new LargeBodyRoom(bounds).takeTurn();
});

test("a slot expires, and its buffer is never reused", async () => {
  vi.useFakeTimers();
  const bounds = { ...newBounds(), bytes: 1001 };
  const lost = await enter(bounds, "a");
  vi.advanceTimersByTime(largeBodyDeadlines.arriving);
  const taken = await enter(bounds, "a");
  lost.room.leave();
  taken.room.leave();
  const again = [await enter(bounds, "a"), await enter(bounds, "b")].map(({ buffer }) => buffer);
  expect(again).toContain(taken.buffer);
  expect(again).not.toContain(lost.buffer);
});

test("a buffer is reused, without any contents from the previous body", async () => {
  const bounds = { ...newBounds(), bytes: 1002 };
  const { room, buffer } = await enter(bounds);
  buffer.fill(1);
  room.releaseBuffer();
  const next = await enter(bounds);
  expect(next.buffer).toBe(buffer);
  expect(next.buffer).toEqual(new Uint8Array(1002));
});
