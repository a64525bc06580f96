import { afterEach, expect, test, vi } from "vitest";
import { type SlotLimits, Slots } from "../../src/http/slots.ts";

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
