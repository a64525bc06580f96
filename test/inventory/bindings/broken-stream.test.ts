import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { chunkFactors } from "../../../src/http/limits/stream-limits.ts";
import { chunkSizes } from "../../../src/http/list/read-by-key.ts";
import { seen, unavailable } from "../../helpers/answers.ts";
import { type Api, type Fault, openApi } from "../../helpers/api.ts";
import { mintManyBindings } from "../../helpers/binding-versions.ts";
import { mintOrganization } from "../../helpers/organization.ts";

const path = "/api/v1/bindings?limit=0";
const patience = { timeout: 5000, interval: 20 };

afterEach(() => {
  vi.restoreAllMocks();
});

const { first } = chunkSizes;
/** The chunk size while no other list is being streamed. */
const next = chunkFactors.few * chunkSizes.next;
const count = first + 2 * next + 100;

/** A key whose list has four chunks, the last one with 100 bindings. */
let key: string;

beforeAll(async () => {
  const { id, keys, networks } = await mintOrganization();
  await mintManyBindings(id, networks[0], count);
  key = keys.viewer;
});

/** The request id of every reader that the tests open, used to find its log lines. */
const headers = { "X-Request-Id": crypto.randomUUID() };

async function openReader(api: Api, key: string) {
  const response = await api.open("GET", path, { key, headers });
  expect(response.status).toBe(200);
  if (!response.body) {
    throw new Error("The response has no body.");
  }
  return response.body.getReader();
}

/** Waits long enough to detect an unexpected call. */
const wait = () => new Promise((resolve) => setTimeout(resolve, 300));

type Reader = Awaited<ReturnType<typeof openReader>>;

/**
 * Reads until at least `count` bindings have been received, or to the end. Returns the text so far.
 */
async function readBindings(reader: Reader, count: number, before = ""): Promise<string> {
  const decoder = new TextDecoder();
  let text = before;
  while (text.split('"valid_from"').length <= count) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    text += decoder.decode(value, { stream: true });
  }
  return text;
}

test("fetches at most one chunk ahead of the client, and none while the client is not reading", async () => {
  const api = openApi();
  const reader = await openReader(api, key);
  let text = "";
  for (const [read, calls] of [
    [0, 1],
    [first - 100, 2],
    [first + next - 100, 3],
    [first + 2 * next - 100, 4],
    [count, 4],
  ] as const) {
    text = await readBindings(reader, read, text);
    await wait();
    expect(await api.calls()).toBe(calls);
  }
  text = await readBindings(reader, Number.POSITIVE_INFINITY, text);
  expect(JSON.parse(text)).toMatchObject({ meta: { pagination: { total_count: count } } });
  expect(JSON.parse(text)).toHaveProperty("data.length", count);
  expect(await api.calls()).toBe(4);
});

test("makes no further calls once the client has disconnected after the first chunk", async () => {
  const api = openApi();
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const reader = await openReader(api, key);
  await reader.read();
  await reader.cancel();
  const calls = await api.calls();
  expect(calls).toBeLessThanOrEqual(3);
  await wait();
  expect(await api.calls()).toBe(calls);
  // Other tests' streams might end in the meantime.
  const lines = log.mock.calls.map(String);
  expect(lines.filter((line) => line.includes(headers["X-Request-Id"]))).toEqual([]);
});

test("cancels the call when the client disconnects while a chunk is being fetched, and makes no further calls", async () => {
  const api = openApi();
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  await api.disturb({ faults: [{ kind: "none" }, { kind: "hang" }] });
  const reader = await openReader(api, key);
  await readBindings(reader, first);
  const second = readBindings(reader, 1);
  await vi.waitFor(async () => expect(await api.calls()).toBe(2), patience);
  await wait();
  await reader.cancel();
  // The pending read ends although the database never responds: it is either cancelled or done.
  await Promise.allSettled([second]);
  await wait();
  expect(await api.calls()).toBe(2);
  // Other tests' streams might end in the meantime.
  const lines = log.mock.calls.map(String);
  expect(lines.filter((line) => line.includes(headers["X-Request-Id"]))).toEqual([]);
});

const faults: [string, Fault][] = [
  ["a Postgres error", { kind: "sqlstate", code: "57014", message: "secret message" }],
  ["a bug", { kind: "sqlstate", code: "42P01", message: "secret message" }],
  ["a truncated response", { kind: "truncate" }],
  ["a response that is not JSON", { kind: "not_json" }],
  ["status 500", { kind: "status", status: 500, body: "secret message" }],
  ["a refused connection", { kind: "refuse" }],
  ["a lost response", { kind: "lost_answer" }],
];

/** The number of calls for a chunk if every call fails with this fault. */
const tries = ({ kind }: Fault) => (kind === "sqlstate" ? 1 : 2);

test.each(faults.filter(([, fault]) => tries(fault) > 1))(
  "retries %s in the first or the third chunk",
  async (_, fault) => {
    const api = openApi();
    const none: Fault = { kind: "none" };
    await api.disturb({ faults: [fault, none, none, fault] });
    const answer = await api.send("GET", path, { key });
    expect(answer.body).toHaveProperty("data.length", count);
    expect(await api.calls()).toBe(6);
  },
);

test.each(faults)("%s in the third chunk aborts the body and is logged", async (_, fault) => {
  const api = openApi();
  await api.disturb({ faults: [{ kind: "none" }, { kind: "none" }, fault, fault] });
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const requestId = crypto.randomUUID();
  const response = await api.open("GET", path, {
    key,
    headers: { "X-Request-Id": requestId },
  });
  expect(response.status).toBe(200);
  const decoder = new TextDecoder();
  let text = "";
  const readAll = async () => {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
    }
  };
  await expect(readAll()).rejects.toThrow();
  expect(text).toContain('"data":[{');
  expect(() => JSON.parse(text)).toThrow();
  // Other tests' streams might end in the meantime.
  const lines = log.mock.calls.map(String).filter((line) => line.includes(requestId));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    event: "stream_aborted",
    request_id: requestId,
    reason: "failure",
    sqlstate: fault.kind === "sqlstate" ? fault.code : null,
  });
  expect(await api.calls()).toBe(2 + tries(fault));
});

test("a third chunk that exceeds the deadline aborts the body", async () => {
  const api = openApi({ DATABASE_DEADLINE_MS: "2000" });
  await api.disturb({ faults: [{ kind: "none" }, { kind: "none" }, { kind: "hang" }] });
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const response = await api.open("GET", path, {
    key,
    headers: { "X-Request-Id": "the-late-one" },
  });
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  // Other tests' streams might end in the meantime.
  const lines = log.mock.calls.map(String).filter((line) => line.includes("the-late-one"));
  expect(lines).toEqual([expect.stringContaining('"event":"stream_aborted"')]);
});

test.each(faults.filter(([name]) => name !== "a bug"))(
  "%s in the first chunk returns 503",
  async (_, fault) => {
    const api = openApi();
    await api.disturb({ faults: [fault, fault] });
    const answer = await api.send("GET", path, { key });
    expect(seen(answer)).toEqual(unavailable);
    expect(answer.text).not.toContain("secret message");
    expect(await api.calls()).toBe(tries(fault));
  },
);
