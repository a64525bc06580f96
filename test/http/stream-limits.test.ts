import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import {
  chunkFactors,
  streamDeadlines,
  streamLimits,
  takeStreamSlot,
} from "../../src/http/limits/stream-limits.ts";
import { chunkSizes } from "../../src/http/list/read-by-key.ts";
import { failed, seen, succeeded, unauthorized, unavailable } from "../helpers/answers.ts";
import { type Api, openApi } from "../helpers/api.ts";
import { mintManyBindings } from "../helpers/binding-versions.ts";
import { recordConsole } from "../helpers/console.ts";
import { mintKey, mintOrganization, type Organization } from "../helpers/organization.ts";

const path = "/api/v1/bindings?limit=0";
/** The number of bindings of each organization. */
const records = 6000;
const { perOrganization, perIsolate, few } = streamLimits;

const tooMany = failed("rate_limit_exceeded", { retry_after_seconds: 30 }, { "retry-after": "30" });
const full = unavailable;

afterEach(() => {
  vi.useRealTimers();
});

let organization: Organization;
/** A second organization with a list of the same length. */
let other: Organization;

beforeAll(async () => {
  [organization, other] = await Promise.all([mintOrganization(), mintOrganization()]);
  for (const { id, networks } of [organization, other]) {
    await mintManyBindings(id, networks[0], records);
  }
}, 60_000);

/** Creates a key that can read a list of bindings, which is streamed in several chunks. */
const mintReader = ({ id } = organization) => mintKey(id);

/** Opens streams without reading them. Returns a function that cancels them. */
async function openStalled(api: Api, key: string, count: number): Promise<() => Promise<void>> {
  const bodies: ReadableStream[] = [];
  for (let opened = 0; opened < count; opened++) {
    const response = await api.open("GET", path, { key });
    expect(response.status).toBe(200);
    bodies.push(response.body ?? expect.fail("the response has no body"));
  }
  return async () => {
    await Promise.all(bodies.map((body) => body.cancel()));
  };
}

/** Opens as many streams as an organization may have. This fails if a slot was not released. */
async function expectAllFree(api: Api, key: string) {
  await vi.waitFor(async () => (await openStalled(api, key, perOrganization))(), {
    timeout: 10_000,
  });
}

describe("concurrent streams", () => {
  test("all keys of an organization share 8 streams, and beyond this limit only streams are rejected", async () => {
    const api = openApi();
    const key = await mintReader();
    const cancels = [
      await openStalled(api, key, perOrganization / 2),
      await openStalled(api, await mintReader(), perOrganization / 2),
    ];
    const calls = await api.calls();
    expect(seen(await api.send("GET", path, { key }))).toEqual(tooMany);
    for (const list of ["credentials", "daemons"]) {
      const refused = await api.send("GET", `/api/v1/${list}?limit=0`, { key });
      expect(seen(refused)).toEqual(tooMany);
    }
    // One call per request, for the gate: the rejection must not leak information to a caller with
    // an invalid key.
    expect((await api.calls()) - calls).toBe(3);
    const page = await api.send("GET", "/api/v1/bindings?limit=1", { key });
    expect(page.status).toBe(200);
    // The same applies to a key that this isolate has not seen before, once its organization is
    // known.
    expect(seen(await api.send("GET", path, { key: await mintReader() }))).toEqual(tooMany);
    await (await openStalled(api, await mintReader(other), 1))();
    await Promise.all(cancels.map((cancel) => cancel()));
    await expectAllFree(api, key);
  });

  test("an isolate has 16 streams: another organization waits for a stream, and an invalid key gets its own error", async () => {
    const api = openApi();
    const third = await mintOrganization();
    const key = await mintReader(third);
    const cancels: (() => Promise<void>)[] = [];
    for (const each of [organization, other]) {
      cancels.push(await openStalled(api, await mintReader(each), perIsolate / 2));
    }
    const refused = [key, mintApiKey(), await mintKey(third.id, { is_enabled: false })].map(
      async (each) => seen(await api.send("GET", path, { key: each })),
    );
    expect(await Promise.all(refused)).toEqual([
      full,
      unauthorized("auth_not_authenticated"),
      unauthorized("auth_key_disabled"),
    ]);
    const [endFirst, endSecond] = cancels;
    const waiting = api.send("GET", path, { key });
    await endFirst?.();
    expect(seen(await waiting)).toEqual(succeeded());
    await endSecond?.();
    await expectAllFree(api, key);
  });
});

test("a list takes fewer calls while few lists are being streamed", async () => {
  const key = await mintReader();
  const callsOfList = async () => {
    const api = openApi();
    expect(seen(await api.send("GET", path, { key }))).toEqual(succeeded());
    return api.calls();
  };
  /** The number of calls for this size of all chunks but the first. */
  const callsWith = (factor: number) =>
    1 + Math.ceil((records - chunkSizes.first) / (factor * chunkSizes.next));
  expect(await callsOfList()).toBe(callsWith(chunkFactors.few));
  const cancel = await openStalled(openApi(), await mintReader(), few);
  expect(callsWith(1)).toBeGreaterThan(callsWith(chunkFactors.few));
  expect(await callsOfList()).toBe(callsWith(1));
  await cancel();
});

// Each test reads or opens dozens of streams.
describe("a stream's slot is released", { timeout: 60_000 }, () => {
  test("when the stream has been read to the end", async () => {
    const api = openApi();
    const key = await mintReader();
    for (let count = 0; count <= perOrganization; count++) {
      // Without labels, a list takes a tenth of the time.
      expect(seen(await api.send("GET", `${path}&fields=id`, { key }))).toEqual(succeeded());
    }
    await expectAllFree(api, key);
  });

  test("when its first chunk fails", async () => {
    const api = openApi();
    const key = await mintReader();
    await api.disturb({
      faults: Array.from({ length: 2 * perOrganization }, () => ({ kind: "not_json" })),
    });
    for (let count = 0; count < perOrganization; count++) {
      expect(await api.send("GET", path, { key })).toMatchObject({ status: 503 });
    }
    await expectAllFree(api, key);
  });

  test("when a later chunk fails", async () => {
    recordConsole();
    const api = openApi();
    const key = await mintReader();
    for (let count = 0; count < perOrganization; count++) {
      await api.disturb({ faults: [{ kind: "none" }, { kind: "not_json" }, { kind: "not_json" }] });
      const response = await api.open("GET", path, { key });
      await expect(response.text()).rejects.toThrow();
    }
    await expectAllFree(api, key);
  });

  test("at once when the client disconnects while a chunk is being fetched, without a log line", async () => {
    const logged = recordConsole();
    // This is much longer than it should take to release the slots.
    const api = openApi({ DATABASE_DEADLINE_MS: "25000" });
    const key = await mintReader();
    const clients: AbortController[] = [];
    for (let count = 0; count < perOrganization; count++) {
      await api.disturb({ faults: [{ kind: "none" }, { kind: "hang" }] });
      const client = new AbortController();
      clients.push(client);
      const { body } = await api.open("GET", path, { key, signal: client.signal });
      const reader = body?.getReader() ?? expect.fail("the response has no body");
      const calls = await api.calls();
      const drain = async () => {
        while (!(await reader.read()).done) {}
      };
      drain().catch(() => {});
      await vi.waitFor(async () => expect(await api.calls()).toBeGreaterThan(calls));
    }
    await api.disturb({ faults: [] });
    for (const client of clients) {
      client.abort();
    }
    await expectAllFree(api, key);
    expect(logged()).not.toContain("stream_aborted");
  });

  test("when the request is a HEAD, whose response body is not read", async () => {
    const api = openApi();
    const key = await mintReader();
    for (let count = 0; count <= perOrganization; count++) {
      const response = await api.open("HEAD", path, { key });
      expect(response).toMatchObject({ status: 200, body: null });
    }
    await expectAllFree(api, key);
  });

  test("by the deadline at the latest, if the platform terminates a request without notice", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const reader = { keyHash: "", organizationId: crypto.randomUUID() };
    for (let count = 0; count < perOrganization; count++) {
      await takeStreamSlot(reader);
    }
    vi.advanceTimersByTime(streamDeadlines.whole - 1);
    await expect(takeStreamSlot(reader)).rejects.toThrow(/Too many requests/);
    vi.advanceTimersByTime(1);
    (await takeStreamSlot(reader))();
  });
});

describe("deadlines", () => {
  test("a client that reads nothing for 30 seconds loses the stream", async () => {
    const logged = recordConsole();
    const api = openApi();
    const key = await mintReader();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const response = await api.open("GET", path, { key });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(logged()).not.toContain("stream_aborted");
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await vi.waitFor(() => expect(logged()).toContain("stream_aborted"));
    expect(logged()).toContain('"reason":"deadline","sqlstate":null');
    await expect(response.text()).rejects.toThrow();
    expect(await api.calls()).toBe(1);
    await expectAllFree(api, key);
  });

  test("a slow client loses the stream after 5 minutes", async () => {
    const logged = recordConsole();
    const api = openApi();
    const key = await mintReader();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const response = await api.open("GET", path, { key });
    const reader = response.body?.getReader() ?? expect.fail("the response has no body");
    // Reads enough for the next piece to be written; the service treats this as progress.
    const readOn = async () => {
      for (let bytes = 0; bytes < 70_000; ) {
        const { value } = await reader.read();
        bytes += value?.length ?? expect.fail("the list ended before the deadline");
      }
    };
    for (let seconds = 0; seconds < 280; seconds += 20) {
      await readOn();
      await vi.advanceTimersByTimeAsync(20_000);
    }
    await readOn();
    await vi.advanceTimersByTimeAsync(19_999);
    expect(logged()).not.toContain("stream_aborted");
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await vi.waitFor(() => expect(logged()).toContain("stream_aborted"));
    await expect(reader.read()).rejects.toThrow();
    await expectAllFree(api, key);
  });
});
