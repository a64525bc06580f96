import { afterEach, expect, test, vi } from "vitest";
import { type SlotLimits, Slots } from "../../src/http/limits/slots.ts";

afterEach(() => {
  vi.useRealTimers();
});

const limits: SlotLimits = { perHolder: 2, perIsolate: 3, expiresMs: 60_000, waitMs: 10_000 };

test("a holder gets its share, and its next request waits for one of its slots", async () => {
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

test("one holder leaves slots for other holders, until all slots of the isolate are taken", async () => {
  vi.useFakeTimers();
  const slots = new Slots(limits);
  await Promise.all([slots.take("a"), slots.take("a")]);
  expect(await slots.take("b")).not.toBeNull();
  const refused = slots.take("c");
  await vi.advanceTimersByTimeAsync(limits.waitMs);
  expect(await refused).toBeNull();
});

test("a slot is released only once", async () => {
  const slots = new Slots({ ...limits, perIsolate: 1 });
  const first = await slots.take("a");
  expect(first?.()).toBe(true);
  const second = await slots.take("b");
  expect(first?.()).toBe(false);
  expect(second?.()).toBe(true);
});

test("a slot that is never released expires", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perIsolate: 1 });
  const lost = await slots.take("a");
  vi.advanceTimersByTime(limits.expiresMs);
  expect(await slots.take("b")).not.toBeNull();
  expect(lost?.()).toBe(false);
});

/** Waits for a slot for a holder, and appends the holder to `order` once it has one. */
const inLine = (slots: Slots, order: string[], holder: string) =>
  slots.take(holder).then((release) => {
    order.push(release ? holder : `${holder} rejected`);
    return release;
  });

/** Releases each slot shortly after it is taken, until every waiting request has had a slot. */
async function serve(waiting: Promise<(() => boolean) | null>[]) {
  for (const each of waiting) {
    each.then((release) => setTimeout(() => release?.(), 50));
  }
  await vi.advanceTimersByTimeAsync(limits.waitMs);
}

test("slots are assigned to holders in turn, always to the holder that has waited longest", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perHolder: 1, perIsolate: 1 });
  const order: string[] = [];
  await serve(["a", "a", "a", "b", "c", "b"].map((holder) => inLine(slots, order, holder)));
  expect(order).toEqual(["a", "b", "a", "c", "a", "b"]);
});

test("a holder without slots gets a free slot before a holder with slots that has waited longer", async () => {
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

test("a new request does not get a free slot before a waiting request", async () => {
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

test("a holder that waits for its own share does not block other holders", async () => {
  vi.useFakeTimers();
  const slots = new Slots({ ...limits, perHolder: 1, perIsolate: 2 });
  const order: string[] = [];
  await slots.take("a");
  inLine(slots, order, "a");
  inLine(slots, order, "b");
  await vi.advanceTimersByTimeAsync(1);
  expect(order).toEqual(["b"]);
});

test("at most 32 requests per holder wait, and the next request is rejected at once", async () => {
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
  expect(order).toEqual(["b rejected"]);
});
