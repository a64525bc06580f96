import { beforeAll, describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { failed, seen, succeeded, unavailable, unavailableWith } from "../helpers/answers.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { sentSecret } from "../helpers/credentials.ts";
import { type Operation, operationOf, perform, sampledOperations } from "../helpers/operations.ts";
import { mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

/** The response to a write that may or may not have been committed. */
const unknown = (advice: string) => unavailableWith({ outcome: "unknown", advice });

/** The text of a Postgres error, which responses and logs must not contain. */
const message = 'insert into "a_table" violates "a_constraint"';
const sqlstate = (code: string): Fault => ({ kind: "sqlstate", code, message });

/** A failure that Neon's proxy itself reports (`proxy/src/serverless/sql_over_http.rs`). */
const ofProxy = (status: number, text: string, code: string | null = null): Fault => ({
  kind: "status",
  status,
  body: JSON.stringify({ message: text, code, severity: null }),
});

/** Faults after which a read is retried once and a write may have been committed. */
const breaks: [what: string, fault: Fault][] = [
  ["refuses the connection", { kind: "refuse" }],
  ["answers 500 without JSON", { kind: "status", status: 500, body: message }],
  ["answers 502", { kind: "status", status: 502, body: `<p>${message}</p>` }],
  ["answers 429", { kind: "status", status: 429, body: message }],
  ["closes the connection to Postgres", ofProxy(400, "connection closed", "")],
  ["cuts off its response", { kind: "truncate" }],
  ["truncates its response", { kind: "cut_body" }],
  ["answers with HTML", { kind: "not_json" }],
  ...["57P01", "08006", "08P01"].map((code): [string, Fault] => [
    `fails with ${code}`,
    sqlstate(code),
  ]),
];

/** Faults that occur before any SQL runs, after which a read is retried once. */
const refusals: [what: string, fault: Fault][] = [
  ["has no connection left", ofProxy(500, message, "53300")],
  ["is starting up", ofProxy(500, message, "57P03")],
  [
    "has too many connections",
    ofProxy(500, "Too many connections to this endpoint. Please try again later."),
  ],
  [
    "attempts too many connections at once",
    ofProxy(
      500,
      "Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.",
    ),
  ],
  [
    "cannot reach its control plane",
    ofProxy(500, "Control plane request failed. Please try again later."),
  ],
  ["is unreachable", ofProxy(500, "Couldn't connect to compute node")],
  ["fails in the proxy", ofProxy(500, message)],
  ...["53300", "57P03"].map((code): [string, Fault] => [`fails with ${code}`, sqlstate(code)]),
];

/** Other faults after which a write may have been committed. */
const unclear: [what: string, fault: Fault][] = [
  ["does not respond", { kind: "hang" }],
  ...["58030", "XX000"].map((code): [string, Fault] => [`fails with ${code}`, sqlstate(code)]),
];

/** Other faults after which a write was not committed. */
const clear: [what: string, fault: Fault][] = [
  ...["57014", "55P03", "28P01", "3D000"].map((code): [string, Fault] => [
    `fails with ${code}`,
    sqlstate(code),
  ]),
  ["refuses the login", ofProxy(500, message, "28000")],
  [
    "rejects the login's password",
    ofProxy(400, `password authentication failed for user '${message}'`, ""),
  ],
  [
    "refuses the address",
    ofProxy(400, "This IP address 192.0.2.1 is not allowed to connect to this endpoint.", ""),
  ],
  [
    "has used up its quota",
    ofProxy(500, "Your account or project has exceeded the compute time quota."),
  ],
];

/** Faults that a smaller request would avoid. */
const tooLarge: [what: string, fault: Fault][] = [
  ["refuses the size of the request", ofProxy(413, "request is too large")],
  ["refuses the size of its response", ofProxy(507, "response is too large")],
];

/** All faults that appear to a caller only as an unavailable service. */
const failures = [...breaks, ...refusals, ...unclear, ...clear, ...tooLarge];
const isOf = (faults: typeof failures, fault: Fault) => faults.some(([, one]) => one === fault);
const isRepeated = (fault: Fault) => isOf([...breaks, ...refusals], fault);

/** The expected 503 response to a fault. */
function unavailableOf(fault: Fault, isRead: boolean) {
  if (isOf(tooLarge, fault)) {
    return unavailableWith({ outcome: "unchanged", advice: "send_less" });
  }
  return isRead || isOf([...refusals, ...clear], fault) ? unavailable : unknown("read_first");
}

/** The SQLSTATE of a fault, however it is reported. */
const sqlstateOf = (fault: Fault): string | null =>
  fault.kind === "sqlstate"
    ? fault.code
    : fault.kind === "status" && fault.body?.startsWith("{")
      ? JSON.parse(fault.body).code || null
      : null;

describe.each(sampledOperations)("$name", (operation: Operation) => {
  let organization: PopulatedOrganization;
  const isRead = operation.method === "GET";

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  /**
   * Performs the operation while the database has a fault. Checks that nothing changes and nothing
   * leaks.
   */
  async function performAgainst(fault: Fault) {
    const api = openApi({ DATABASE_DEADLINE_MS: fault.kind === "hang" ? "300" : "4000" });
    const key = organization.keys.owner;
    await api.disturb({ faults: [fault, fault] });
    const logs = recordConsole();
    const answer = await changingNothing(organization.id, () =>
      perform(api, operation, organization, { key }),
    );
    expect(await api.calls()).toBe(isRead && isRepeated(fault) ? 2 : 1);
    for (const text of [answer.text, JSON.stringify([...answer.headers]), logs()]) {
      expect(text).not.toMatch(
        /a_table|a_constraint|select|insert|app\.enter|injected|bad gateway/i,
      );
      expect(text).not.toContain(sentSecret);
      expect(text).not.toContain(key);
      expect(text).not.toContain(await hashApiKey(key));
    }
    return { answer, logs };
  }

  test.each(failures)("returns 503 if the database %s", async (_, fault) => {
    const { answer, logs } = await performAgainst(fault);
    expect(seen(answer)).toEqual(unavailableOf(fault, isRead));
    expect(JSON.parse(logs())).toMatchObject({ status: 503, sqlstate: sqlstateOf(fault) });
  });

  test.each(["40001", "40P01"])("returns 409 if two changes conflict: %s", async (code) => {
    const { answer, logs } = await performAgainst(sqlstate(code));
    expect(seen(answer)).toEqual(failed("request_conflict"));
    expect(JSON.parse(logs())).toMatchObject({ status: 409, sqlstate: code });
  });

  test.each(["42P01", "42501", "23505", "23503", "22P02", "P0001", "INV01", "INV02"])(
    "returns 500 with only the request id if the database fails with %s",
    async (code) => {
      const { answer, logs } = await performAgainst(sqlstate(code));
      expect(seen(answer)).toEqual(
        failed("internal_error", { request_id: answer.headers.get("X-Request-Id") }),
      );
      expect(JSON.parse(logs())).toMatchObject({ status: 500 });
    },
  );

  test.each([...breaks, ...refusals])(
    "if the database %s, retries a read once and never retries a write",
    async (_, fault) => {
      const api = openApi();
      const key = organization.keys.owner;
      await api.disturb({ faults: [fault] });
      const answer = await perform(api, operation, organization, { key });
      expect(seen(answer)).toEqual(isRead ? succeeded() : unavailableOf(fault, isRead));
      expect(await api.calls()).toBe(isRead ? 2 : 1);
    },
  );

  test.each(refusals.slice(0, 4))("waits before the retry if the database %s", async (_, fault) => {
    const api = openApi();
    await api.disturb({ faults: [fault] });
    const began = performance.now();
    await perform(api, operation, organization, { key: organization.keys.owner });
    expect(performance.now() - began).toBeGreaterThan(isRead ? 190 : 0);
  });

  test("succeeds if it is repeated after its response was lost", async () => {
    const api = openApi();
    const key = organization.keys.owner;
    await api.disturb({ faults: [{ kind: "lost_answer" }] });
    if (!isRead) {
      const lost = await perform(api, operation, organization, { key });
      expect(seen(lost)).toEqual(unknown("read_first"));
    }
    expect(seen(await perform(api, operation, organization, { key }))).toEqual(succeeded());
    expect(await api.calls()).toBe(2);
  });
});

describe.each(["columns", "rows", "last_row", "results"] as const)(
  "a database response that lacks its %s",
  (of) => {
    test.each([
      { name: "GET /api/v1/hosts", expected: unavailable, calls: 2 },
      { name: "GET /api/v1/summary", expected: unavailable, calls: 2 },
      { name: "GET /api/v1/changes", expected: unavailable, calls: 2 },
      { name: "PUT /api/v1/credentials/:id", expected: unknown("read_first"), calls: 1 },
      { name: "POST /api/v1/tags/bulk-delete", expected: unknown("read_first"), calls: 1 },
    ])("results in 503, and $name makes $calls calls", async ({ name, expected, calls }) => {
      const organization = await mintPopulatedOrganization();
      const api = openApi();
      const fault: Fault = { kind: "cut_results", of };
      await api.disturb({ faults: [fault, fault] });
      const logs = recordConsole();
      const answer = await perform(api, operationOf(name), organization, {
        key: organization.keys.owner,
      });
      expect(seen(answer)).toEqual(expected);
      expect(JSON.parse(logs())).toMatchObject({ status: 503, reason: "malformed" });
      expect(await api.calls()).toBe(calls);
    });
  },
);

/** An organization, and an API whose database connection can be disrupted. */
async function openBroken(variables: Record<string, string> = {}) {
  const organization = await mintPopulatedOrganization();
  return { ...openApi(variables), organization, key: organization.keys.owner };
}

const broken: Fault = { kind: "refuse" };

test.each(["/api/v1/credentials?limit=0", "/api/v1/bindings?limit=0", "/api/v1/credentials"])(
  "GET and HEAD %s are retried once if the connection fails",
  async (path) => {
    const { disturb, calls, send, key } = await openBroken();
    await send("GET", path, { key });
    for (const method of ["GET", "HEAD"]) {
      await disturb({ faults: [broken] });
      expect(await send(method, path, { key })).toMatchObject({ status: 200 });
      expect(await calls()).toBe(2);
    }
  },
);

test("a read is not retried after half of its time has passed", async () => {
  const { disturb, calls, send, key } = await openBroken({ DATABASE_DEADLINE_MS: "1000" });
  await disturb({ delay_ms: 600, faults: [broken] });
  expect(seen(await send("GET", "/api/v1/tags", { key }))).toEqual(unavailable);
  expect(await calls()).toBe(1);
});

test("a read that is retried still stops at its deadline", async () => {
  const { disturb, calls, send, key } = await openBroken({ DATABASE_DEADLINE_MS: "1000" });
  await disturb({ delay_ms: 300, faults: [broken, { kind: "hang" }] });
  const began = performance.now();
  expect(seen(await send("GET", "/api/v1/tags", { key }))).toEqual(unavailable);
  expect(performance.now() - began).toBeLessThan(1250);
  expect(await calls()).toBe(2);
});

describe("a create whose response is lost", () => {
  const lost: Fault = { kind: "lost_answer" };

  test("advises repeating it with the same Idempotency-Key, so that nothing is created twice", async () => {
    const { disturb, send, key } = await openBroken();
    const options = { key, json: { name: "Once" }, headers: { "Idempotency-Key": "once" } };
    await disturb({ faults: [lost] });
    const first = await send("POST", "/api/v1/tags", options);
    expect(seen(first)).toEqual(unknown("repeat_with_same_key"));
    expect(first.text).toContain(
      "repeat the request after 5 seconds with the same Idempotency-Key",
    );
    const second = await send("POST", "/api/v1/tags", options);
    expect(second).toMatchObject({ status: 201 });
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
  });

  test("advises repeating it if that is safe, as it is for an import", async () => {
    const { disturb, send, key, organization } = await openBroken();
    const path = `/api/v1/networks/${organization.records.networks}/imports`;
    const json = { hosts: [{ addresses: [{ ip_address: "198.51.100.7" }] }] };
    await disturb({ faults: [lost] });
    expect(seen(await send("POST", path, { key, json }))).toEqual(unknown("repeat"));
    const again = await send("POST", path, { key, json });
    expect(again.body).toMatchObject({ data: { counts: { created: 0, unchanged: 1 } } });
  });

  test("is retried once if it was a dry run, and then reports that nothing was changed", async () => {
    const { disturb, calls, send, key, organization } = await openBroken();
    const path = `/api/v1/networks/${organization.records.networks}/imports?dry_run=true`;
    const json = { hosts: [{ addresses: [{ ip_address: "198.51.100.8" }] }] };
    await disturb({ faults: [lost] });
    expect(await send("POST", path, { key, json })).toMatchObject({ status: 200 });
    expect(await calls()).toBe(2);
    await disturb({ faults: [lost, lost] });
    expect(seen(await send("POST", path, { key, json }))).toEqual(unavailable);
  });
});

describe("a request with a large body that takes too long", () => {
  /** Returns this many hosts. The JSON of 500 hosts is larger than 64 KiB. */
  const hosts = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: "host".padEnd(100, "."),
      addresses: [{ ip_address: `198.18.${index >> 8}.${index & 255}` }],
    }));

  test("advises the caller to send less if Postgres cancels the database call", async () => {
    const { disturb, send, key, organization } = await openBroken();
    const path = `/api/v1/networks/${organization.records.networks}/imports`;
    await send("GET", "/api/v1/auth/whoami", { key });
    await disturb({ faults: [sqlstate("57014")] });
    const answer = await send("POST", path, { key, json: { hosts: hosts(500) } });
    expect(seen(answer)).toEqual(unavailableWith({ outcome: "unchanged", advice: "send_less" }));
    expect(answer.text).toContain("Split an import into imports of at most 1,000 hosts each");
  });

  test("does not give that advice for a small body that takes just as long", async () => {
    const { disturb, send, key, organization } = await openBroken();
    const path = `/api/v1/networks/${organization.records.networks}/imports`;
    await disturb({ faults: [sqlstate("57014")] });
    expect(seen(await send("POST", path, { key, json: { hosts: hosts(1) } }))).toEqual(unavailable);
  });

  test("does not give that advice if the connection fails", async () => {
    const { disturb, send, key, organization } = await openBroken();
    const path = `/api/v1/networks/${organization.records.networks}/imports`;
    await send("GET", "/api/v1/auth/whoami", { key });
    await disturb({ faults: [broken] });
    const answer = await send("POST", path, { key, json: { hosts: hosts(500) } });
    expect(seen(answer)).toEqual(unknown("repeat"));
  });
});

test.each(["/api/v1/credentials?limit=0", "/api/v1/bindings?limit=0"])(
  "GET %s returns 503 if the database does not respond in time",
  async (path) => {
    const api = openApi({ DATABASE_DEADLINE_MS: "300" });
    const organization = await mintOrganization();
    await api.disturb({ faults: [{ kind: "hang" }] });
    const answer = await api.send("GET", path, { key: organization.keys.viewer });
    expect(seen(answer)).toEqual(unavailable);
    expect(await api.calls()).toBe(1);
  },
);

test("a slow database that responds before the deadline does not cause a failure", async () => {
  const api = openApi({ DATABASE_DEADLINE_MS: "5000" });
  const { keys, daemon_id } = await mintPopulatedOrganization();
  await api.disturb({ delay_ms: 200 });
  const answer = await api.send("POST", `/api/v1/daemons/${daemon_id}/retry-connection`, {
    key: keys.member,
  });
  expect(seen(answer)).toEqual(succeeded({}));
});
