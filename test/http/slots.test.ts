import { afterEach, expect, test, vi } from "vitest";
import { type SlotLimits, Slots } from "../../src/http/limits/slots.ts";

afterEach(() => {
  vi.useRealTimers();
});

const limits: SlotLimits = { perHolder: 2, perIsolate: 3, expiresMs: 60_000, waitMs: 10_000 };

test("a holder gets its share, and its next one waits for one of them", async () => {
  vi.useFakeTimers();
  const slots = new Slots(limits);
  const [first] = [await slots.take("a"), await slots.take("a")];
  let isTaken = false;
  const next = slots.take("a").finally(() => {
    isTaken = true;
  });
  await vi.advanceTimersByTimeAsync(limits.waitMs - 1);
  expect(isTaken).toBe(false);
  expect(first?.()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect((await next)?.()).toBe(true);
});

test("one holder leaves room for another, until the isolate has given all of it", async () => {
  vi.useFakeTimers();
  const slots = new Slots(limits);
  await Promise.all([slots.take("a"), slots.take("a")]);
  expect(await slots.take("b")).not.toBeNull();
  const refused = slots.take("c");
  await vi.advanceTimersByTimeAsync(limits.waitMs);
  expect(await refused).toBeNull();
});

test("a slot is given back once", async () => {
  const slots = new Slots({ ...limits, perIsolate: 1 });
  const first = await slots.take("a");
  expect(first?.()).toBe(true);
  const second = await slots.take("b");
  expect(first?.()).toBe(false);
  expect(second?.()).toBe(true);
});

test("a slot of a request that ended without a word expires", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perIsolate: 1 });
  const lost = await slots.take("a");
  vi.advanceTimersByTime(limits.expiresMs);
  expect(await slots.take("b")).not.toBeNull();
  expect(lost?.()).toBe(false);
});

/** Waits for a slot under a name, and writes the name down when it has it. */
const inLine = (slots: Slots, order: string[], holder: string) =>
  slots.take(holder).then((giveBack) => {
    order.push(giveBack ? holder : `${holder} in vain`);
    return giveBack;
  });

/** Gives each slot back a little after it was taken, until all have had theirs. */
async function serve(waiting: Promise<(() => boolean) | null>[]) {
  for (const each of waiting) {
    each.then((giveBack) => setTimeout(() => giveBack?.(), 50));
  }
  await vi.advanceTimersByTimeAsync(limits.waitMs);
}

test("slots go to holders by turns, each time to who has arrived first", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perHolder: 1, perIsolate: 1 });
  const order: string[] = [];
  await serve(["a", "a", "a", "b", "c", "b"].map((holder) => inLine(slots, order, holder)));
  expect(order).toEqual(["a", "b", "a", "c", "a", "b"]);
});

test("who has none gets a free slot before who has some, however long that one has waited", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perHolder: 3, perIsolate: 3 });
  const order: string[] = [];
  const [first] = [await slots.take("a"), await slots.take("a"), await slots.take("b")];
  inLine(slots, order, "b");
  await vi.advanceTimersByTimeAsync(1000);
  inLine(slots, order, "c");
  await vi.advanceTimersByTimeAsync(100);
  first?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(order).toEqual(["c"]);
});

test("who comes when a slot is free does not get it before who waits", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perIsolate: 1 });
  const order: string[] = [];
  const held = await slots.take("a");
  const waiting = inLine(slots, order, "b");
  await vi.advanceTimersByTimeAsync(1);
  held?.();
  await serve([waiting, inLine(slots, order, "c")]);
  expect(order).toEqual(["b", "c"]);
});

test("who waits for its own share holds up nobody else", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perHolder: 1, perIsolate: 2 });
  const order: string[] = [];
  await slots.take("a");
  inLine(slots, order, "a");
  inLine(slots, order, "b");
  await vi.advanceTimersByTimeAsync(1);
  expect(order).toEqual(["b"]);
});

test("of one holder 32 wait, and the next one is refused at once", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perIsolate: 1 });
  const order: string[] = [];
  await slots.take("a");
  for (let count = 0; count < 32; count++) {
    inLine(slots, order, "b");
  }
  await vi.advanceTimersByTimeAsync(1);
  inLine(slots, order, "b");
  await vi.advanceTimersByTimeAsync(1);
  expect(order).toEqual(["b in vain"]);
});
