import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { maximumWaiting } from "../../src/change-signal.ts";
import { maximumWaitingOfIsolate, waitForChanges } from "../../src/changes/wait.ts";
import { type ChangeSignals, settingsOf } from "../../src/env.ts";
import type { TenantEnv } from "../../src/http/factory.ts";
import { invalidAt, seen } from "../helpers/answers.ts";
import { type Answer, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { raiseScanner, wireHost } from "../helpers/protocol.ts";
import { changePage } from "./helpers.ts";

const { CHANGE_SIGNAL } = env;

/** An inventory whose writes are announced, and a reader at the end of its changes. */
async function openReader(signals: ChangeSignals | undefined = CHANGE_SIGNAL) {
  const inventory = await openInventory({ CHANGE_SIGNAL });
  const { organization } = inventory;
  const reader = openApi({ CHANGE_SIGNAL: signals });
  const get = (query: string) =>
    reader.send("GET", `/api/v1/changes?${query}`, { key: organization.keys.viewer });
  const { meta } = changePage.parse((await get("cursor=now")).body);
  const before = await reader.calls();
  return {
    ...inventory,
    reader,
    get,
    cursor: meta.next_cursor,
    wait: (seconds: number, query = "") =>
      get(`cursor=${meta.next_cursor}&wait=${seconds}${query}`),
    /** The number of database calls of the reader since it reached the end. */
    reads: async () => (await reader.calls()) - before,
    addHost: (name: string) => inventory.create("hosts", { name }),
  };
}

/** Calls a function, and returns its result with its duration in milliseconds. */
async function timed<Result>(call: () => Promise<Result>): Promise<[Result, number]> {
  const startedAt = Date.now();
  return [await call(), Date.now() - startedAt];
}

function expectEmpty({ status, body, headers }: Answer, retryAfter: string | null): void {
  expect(status).toBe(200);
  expect(changePage.parse(body)).toMatchObject({ data: [], meta: { has_more: false } });
  expect(headers.get("Retry-After")).toBe(retryAfter);
}

/** The signals, with other methods. */
const signalsWith = (
  change: (stub: ReturnType<ChangeSignals["get"]>) => Partial<ReturnType<ChangeSignals["get"]>>,
): ChangeSignals => ({
  idFromName: (name) => CHANGE_SIGNAL.idFromName(name),
  get(id) {
    const stub = CHANGE_SIGNAL.get(id);
    return {
      version: () => stub.version(),
      wait: (version, milliseconds) => stub.wait(version, milliseconds),
      signal: () => stub.signal(),
      ...change(stub),
    };
  },
});

describe("a request that waits", () => {
  test("returns a change as soon as it is made, with two database calls", async () => {
    const { wait, reads, addHost } = await openReader();
    const waiting = timed(() => wait(20));
    await vi.waitUntil(async () => (await reads()) === 1);
    const host = await addHost("new");
    const [answer, milliseconds] = await waiting;
    expect(changePage.parse(answer.body).data).toMatchObject([
      { change: "created", entity: "Host", entity_id: host.id },
    ]);
    expect(answer.headers.get("Retry-After")).toBeNull();
    expect(milliseconds).toBeLessThan(15_000);
    expect(await reads()).toBe(2);
  });

  test("returns an empty page after its time, with one database call, to be repeated immediately", async () => {
    const { wait, reads } = await openReader();
    const [answer, milliseconds] = await timed(() => wait(1));
    expectEmpty(answer, null);
    expect(milliseconds).toBeGreaterThanOrEqual(1000);
    expect(await reads()).toBe(1);
  });

  test("is not late for a change that is committed between its read and its wait", async () => {
    let beforeWait = async () => {};
    const { wait, reads, addHost } = await openReader(
      signalsWith((stub) => ({
        wait: async (version, milliseconds) => {
          await beforeWait();
          return stub.wait(version, milliseconds);
        },
      })),
    );
    beforeWait = async () => {
      beforeWait = async () => {};
      await addHost("between");
    };
    const [answer, milliseconds] = await timed(() => wait(20));
    expect(changePage.parse(answer.body).data).toMatchObject([{ label: "between" }]);
    expect(milliseconds).toBeLessThan(15_000);
    expect(await reads()).toBe(2);
  });

  test("returns existing changes at once", async () => {
    const { wait, reads, addHost } = await openReader();
    await addHost("earlier");
    const answer = await wait(20);
    expect(changePage.parse(answer.body).data).toMatchObject([{ label: "earlier" }]);
    expect(await reads()).toBe(1);
  });

  test("does not wait at the end of a limited list", async () => {
    const { wait } = await openReader();
    const [answer, milliseconds] = await timed(() => wait(20, "&until=2026-01-01T00:00:00Z"));
    expectEmpty(answer, null);
    expect(milliseconds).toBeLessThan(15_000);
  });

  test.each(["cursor=now&", "since=2999-01-01T00:00:00Z&"])(
    "does not wait with %s, since the next request can wait at its cursor",
    async (start) => {
      const { get, reads } = await openReader(
        signalsWith(() => ({ version: () => Promise.reject(new Error("must not be called")) })),
      );
      const before = await reads();
      expectEmpty(await get(`${start}wait=20`), null);
      expect((await reads()) - before).toBe(1);
    },
  );

  test("doubles the pause after each signal without a change for its caller", async () => {
    const { wait, reads } = await openReader(signalsWith(() => ({ wait: async () => true })));
    const [answer, milliseconds] = await timed(() => wait(4));
    expectEmpty(answer, null);
    expect(milliseconds).toBeGreaterThanOrEqual(4000);
    // After 0, 0, 1, 3 and 4 seconds.
    expect(await reads()).toBe(5);
  });

  test("sees only changes that its filters select", async () => {
    const { wait, reads, addHost } = await openReader();
    const waiting = wait(2, "&entity=Subnet");
    await vi.waitUntil(async () => (await reads()) === 1);
    await addHost("not a subnet");
    expectEmpty(await waiting, null);
  });

  test("ends with 401 if its key is disabled, at the next change", async () => {
    const { organization, wait, reads, addHost } = await openReader();
    const waiting = wait(20);
    await vi.waitUntil(async () => (await reads()) === 1);
    await sql`update user_api_keys set is_enabled = false
      where organization_id = ${organization.id} and role = 'Viewer'`;
    await addHost("secret");
    expect(await waiting).toMatchObject({
      status: 401,
      body: { code: "auth_key_disabled" },
    });
  });

  test("refuses the cursor of another organization after its first read", async () => {
    const { cursor, reader } = await openReader();
    const other = await mintOrganization();
    const [answer, milliseconds] = await timed(() =>
      reader.send("GET", `/api/v1/changes?cursor=${cursor}&wait=20`, { key: other.keys.owner }),
    );
    expect(seen(answer)).toEqual(invalidAt("query.cursor"));
    expect(milliseconds).toBeLessThan(15_000);
  });

  test("is logged without the time for which it waited", async () => {
    const { wait } = await openReader();
    const output = recordConsole();
    await wait(2);
    const line = output()
      .split("\n")
      .find((text) => text.includes('"/api/v1/changes"'));
    expect(JSON.parse(line ?? "").duration_ms).toBeLessThan(1900);
  });
});

test("a write that is refused after it has held the organization's lock ends the waits, too", async () => {
  const { wait, reads, send } = await openReader();
  const waiting = wait(1);
  await vi.waitUntil(async () => (await reads()) === 1);
  expect(await send("DELETE", `hosts/${crypto.randomUUID()}`)).toMatchObject({ status: 404 });
  expectEmpty(await waiting, null);
  expect(await reads()).toBeGreaterThanOrEqual(2);
});

test("the report of a daemon ends the waits of its organization", async () => {
  const scanner = await raiseScanner({ CHANGE_SIGNAL });
  const { organization, networkId } = scanner;
  const id = CHANGE_SIGNAL.idFromName(organization.id);
  const version = await CHANGE_SIGNAL.get(id).version();
  await scanner.visit();
  expect(await CHANGE_SIGNAL.get(id).version()).toBe(version);
  await scanner.report({ hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  await scanner.visit();
  expect(await CHANGE_SIGNAL.get(id).version()).not.toBe(version);
});

test.each(["0", "21", "1.5", "", "x"])("wait=%s is invalid", async (text) => {
  const { get, cursor } = await openReader();
  expect(seen(await get(`cursor=${cursor}&wait=${text}`))).toEqual(invalidAt("query.wait"));
});

describe("a request that cannot wait returns an empty page at once, to be repeated after five seconds", () => {
  test("if there is no signal", async () => {
    const { organization, cursor } = await openReader();
    const api = openApi();
    const path = `/api/v1/changes?cursor=${cursor}&wait=20`;
    expectEmpty(await api.send("GET", path, { key: organization.keys.viewer }), "5");
    expect(await api.calls()).toBe(1);
  });

  test.each(["version", "wait"] as const)("if the signal's %s fails", async (method) => {
    const failing = signalsWith(() => ({ [method]: () => Promise.reject(new Error("broken")) }));
    const { wait, reads } = await openReader(failing);
    const output = recordConsole();
    expectEmpty(await wait(20), "5");
    expect(await reads()).toBe(1);
    expect(output()).toContain(
      JSON.stringify({ event: "change_signal_failed", operation: method, error: "broken" }),
    );
  });

  test("if the signal does not respond within two seconds", async () => {
    const { wait, reads } = await openReader(
      signalsWith(() => ({ version: () => new Promise(() => {}) })),
    );
    const output = recordConsole();
    const [answer, milliseconds] = await timed(() => wait(20));
    expectEmpty(answer, "5");
    expect(await reads()).toBe(1);
    expect(milliseconds).toBeGreaterThanOrEqual(2000);
    expect(milliseconds).toBeLessThan(10_000);
    expect(output()).toContain('"event":"change_signal_failed","operation":"version"');
  });

  test(`if ${maximumWaiting} requests of the organization wait`, async () => {
    const id = CHANGE_SIGNAL.idFromName(crypto.randomUUID());
    const signal = CHANGE_SIGNAL.get(id);
    const version = await signal.version();
    const waits = Array.from({ length: maximumWaiting }, () => signal.wait(version, 20_000));
    expect(await signal.wait(version, 20_000)).toBeNull();
    await signal.signal();
    expect(new Set(await Promise.all(waits))).toEqual(new Set([true]));
    // Ended waits make room.
    expect(await signal.wait(await signal.version(), 1)).toBe(false);
  });

  test(`if ${maximumWaitingOfIsolate} requests of the isolate wait, until one of them disconnects`, async () => {
    const released = Promise.withResolvers<boolean>();
    onTestFinished(() => released.resolve(false));
    let waiting = 0;
    const settings = settingsOf(
      openApi({
        CHANGE_SIGNAL: signalsWith(() => ({
          version: async () => "version",
          wait: () => {
            waiting++;
            return released.promise;
          },
        })),
      }).env,
    );
    const app = new Hono<TenantEnv>().get("/", async (c) => {
      c.set("settings", settings);
      const read = async () => "nothing";
      return c.json(await waitForChanges(c, "organization", 20_000, read, () => false));
    });
    const ask = async (signal?: AbortSignal) =>
      (await app.request("/", signal === undefined ? {} : { signal })).json();
    const leaving = new AbortController();
    const first = ask(leaving.signal);
    const others = Array.from({ length: maximumWaitingOfIsolate - 1 }, () => ask());
    await vi.waitUntil(() => waiting === maximumWaitingOfIsolate, { timeout: 15_000 });
    const refused = { page: "nothing", isComplete: false };
    expect(await ask()).toEqual(refused);
    leaving.abort();
    expect(await first).toEqual(refused);
    const next = ask();
    await vi.waitUntil(() => waiting === maximumWaitingOfIsolate + 1);
    released.resolve(false);
    const complete = { page: "nothing", isComplete: true };
    expect(await Promise.all([next, ...others])).toEqual(
      Array.from({ length: maximumWaitingOfIsolate }, () => complete),
    );
  });
});
