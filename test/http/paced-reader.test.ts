import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readBytes } from "../../src/http/body/body-bytes.ts";
import { maxBodyBytes, maxSmallBytes } from "../../src/http/body/large-bodies.ts";
import { bodyPace } from "../../src/http/body/paced-reader.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A body that the test sends one piece at a time, and the outcome of reading it. */
function open(admit = async () => new Uint8Array(maxBodyBytes)) {
  let controller: ReadableByteStreamController | undefined;
  const body = new ReadableStream({
    type: "bytes",
    start(own) {
      controller = own;
    },
  });
  const request = new Request("https://api.example.com", { method: "PUT", body });
  const outcome = readBytes(request, admit).then(
    ({ length }) => length,
    (error: unknown) => error,
  );
  const seen = vi.fn<(outcome: unknown) => void>();
  outcome.then(seen);
  return {
    async send(bytes: number) {
      controller?.enqueue(new Uint8Array(bytes));
      await vi.advanceTimersByTimeAsync(0);
    },
    end: () => controller?.close(),
    outcome,
    seen,
  };
}

const late = { code: "request_timeout", status: 408 };
const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

test.each([1, maxSmallBytes - 1])(
  "a body that stalls after %i bytes does not occupy a slot, and times out after 30 seconds",
  async (bytes) => {
    const admit = vi.fn<() => Promise<Uint8Array<ArrayBuffer>>>();
    const { send, outcome, seen } = open(admit);
    await send(bytes);
    await wait(bodyPace.wholeMilliseconds - 1);
    expect(seen).not.toHaveBeenCalled();
    await wait(1);
    expect(await outcome).toMatchObject(late);
    expect(admit).not.toHaveBeenCalled();
  },
);

test("a body that stalls after it has received a slot results in 408 after 5 seconds", async () => {
  const { send, outcome, seen } = open();
  await send(maxSmallBytes + 1);
  await wait(bodyPace.milliseconds - 1);
  expect(seen).not.toHaveBeenCalled();
  await wait(1);
  expect(await outcome).toMatchObject(late);
});

test("a slow body gets more time only after another 64 KiB has arrived", async () => {
  const { send, outcome, seen } = open();
  await send(maxSmallBytes);
  await wait(bodyPace.milliseconds - 1);
  await send(bodyPace.bytes - 1);
  await wait(1);
  expect(await outcome).toMatchObject(late);
  const steady = open();
  await steady.send(maxSmallBytes);
  await wait(bodyPace.milliseconds - 1);
  await steady.send(bodyPace.bytes);
  await wait(bodyPace.milliseconds - 1);
  expect(steady.seen).not.toHaveBeenCalled();
  steady.end();
  expect(await steady.outcome).toBe(maxSmallBytes + bodyPace.bytes);
  expect(seen).toHaveBeenCalledOnce();
});

test("a body that maintains the minimum pace still times out after 30 seconds in total", async () => {
  const { send, outcome, seen } = open();
  for (let waited = 0; waited < bodyPace.wholeMilliseconds; waited += 4000) {
    expect(seen).not.toHaveBeenCalled();
    await send(bodyPace.bytes);
    await wait(4000);
  }
  expect(await outcome).toMatchObject(late);
});

test("the time that a body spends waiting for a slot does not count toward its timeouts", async () => {
  const { promise: room, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const { send, end, outcome } = open(() => room);
  await send(maxSmallBytes + 1);
  await wait(10 * bodyPace.wholeMilliseconds);
  resolve(new Uint8Array(maxBodyBytes));
  end();
  expect(await outcome).toBe(maxSmallBytes + 1);
});
