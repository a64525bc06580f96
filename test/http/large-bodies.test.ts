import { afterEach, expect, test, vi } from "vitest";
import { readBytes } from "../../src/http/body-bytes.ts";
import {
  largeBodyDeadlines,
  largeBodyLimits,
  maxBodyBytes,
  takeLargeBodySlot,
} from "../../src/http/large-bodies.ts";

afterEach(() => {
  vi.useRealTimers();
});

const { perKey, perIsolate } = largeBodyLimits;

async function takeAll(keyHash: string) {
  return await Promise.all(Array.from({ length: perKey }, () => takeLargeBodySlot(keyHash)));
}

test("a key holds 4 large bodies, and its next one waits for one of them", async () => {
  const keyHash = crypto.randomUUID();
  const [first, ...others] = await takeAll(keyHash);
  let isTaken = false;
  const next = takeLargeBodySlot(keyHash).finally(() => {
    isTaken = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isTaken).toBe(false);
  first?.giveBack();
  first?.giveBack();
  for (const slot of [await next, ...others]) {
    slot.giveBack();
  }
});

test("an isolate holds 8, and refuses the next one after 10 seconds", async () => {
  vi.useFakeTimers();
  const slots = [];
  for (let taken = 0; taken < perIsolate; taken += perKey) {
    slots.push(...(await takeAll(crypto.randomUUID())));
  }
  const refused = expect(takeLargeBodySlot(crypto.randomUUID())).rejects.toMatchObject({
    code: "service_unavailable",
    params: { retry_after_seconds: 5 },
  });
  await vi.advanceTimersByTimeAsync(largeBodyDeadlines.wait);
  await refused;
  for (const slot of slots) {
    slot.giveBack();
  }
});

test("a slot expires by itself, and its buffer goes to nobody else", async () => {
  vi.useFakeTimers();
  const keyHash = crypto.randomUUID();
  const lost = await takeAll(keyHash);
  vi.advanceTimersByTime(largeBodyDeadlines.whole);
  const taken = await takeAll(keyHash);
  for (const slot of [...lost, ...taken]) {
    slot.giveBack();
  }
  const lostBuffers = new Set(lost.map(({ buffer }) => buffer));
  const again = await takeAll(keyHash);
  expect(again.some(({ buffer }) => lostBuffers.has(buffer))).toBe(false);
  for (const slot of again) {
    slot.giveBack();
  }
});

test("a buffer holds nothing of the body before", async () => {
  const slot = await takeLargeBodySlot("a");
  slot.buffer.fill(1);
  slot.giveBack();
  const next = await takeLargeBodySlot("b");
  expect(next.buffer).toHaveLength(maxBodyBytes);
  expect(next.buffer.every((byte) => byte === 0)).toBe(true);
  next.giveBack();
});

test("a body that takes more than 30 seconds after it was given room loses it", async () => {
  vi.useFakeTimers();
  const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  const request = new Request("https://api.example.com", {
    method: "PUT",
    headers: { "Content-Length": String(maxBodyBytes) },
    body,
  });
  const refused = expect(
    readBytes(request, async () => new Uint8Array(maxBodyBytes)),
  ).rejects.toMatchObject({ code: "service_unavailable" });
  await vi.advanceTimersByTimeAsync(largeBodyDeadlines.read);
  await refused;
});
