import { expect, test, vi } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { mintApiKey } from "../../src/api-key.ts";
import { seen, succeeded, unavailable } from "../helpers/answers.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { openFreshDatabase } from "../helpers/poller.ts";

// Readiness checks the records of all organizations, so it needs a database without those of other
// tests.
const variables = await openFreshDatabase();

/** Public operations accept any key, or none. */
const keys = [undefined, mintApiKey(), "garbage"].map((key) => (key === undefined ? {} : { key }));

test.each(keys)("health responds without the database: %j", async (options) => {
  const api = openApi(variables);
  expect(seen(await api.send("GET", "/api/health", options))).toEqual(
    succeeded(`Network Inventory API ${packageJson.version}`),
  );
  expect(await api.calls()).toBe(0);
});

test.each(keys)("readiness makes one database call: %j", async (options) => {
  const api = openApi(variables);
  expect(seen(await api.send("GET", "/api/health/ready", options))).toEqual(
    succeeded({ status: "ok" }),
  );
  expect(await api.calls()).toBe(1);
});

test.each(keys)("returns the package version: %j", async (options) => {
  const api = openApi(variables);
  expect(seen(await api.send("GET", "/api/version", options))).toEqual(
    succeeded({ api_version: 1, server_version: packageJson.version }),
  );
  expect(await api.calls()).toBe(0);
});

test("health and version respond while the database does not", async () => {
  const api = openApi(variables);
  await api.disturb({ faults: [{ kind: "hang" }, { kind: "hang" }] });
  for (const path of ["/api/health", "/api/version"]) {
    expect(seen(await api.send("GET", path))).toEqual(succeeded());
  }
  expect(await api.calls()).toBe(0);
});

const faults: Fault[] = [
  { kind: "refuse" },
  { kind: "truncate" },
  { kind: "not_json" },
  { kind: "status", status: 500, body: "a secret of the database" },
  { kind: "sqlstate", code: "53300", message: "a secret of the database" },
];

test.each(faults)("readiness returns 503 when the database fails: $kind", async (fault) => {
  const api = openApi(variables);
  await api.disturb({ faults: [fault] });
  const logs = recordConsole();
  const answer = await api.send("GET", "/api/health/ready");
  expect(seen(answer)).toEqual(unavailable);
  expect(await api.calls()).toBe(1);
  expect(answer.text + logs()).not.toContain("a secret of the database");
  expect(seen(await api.send("GET", "/api/health/ready"))).toEqual(succeeded({ status: "ok" }));
});

test.each([
  { what: "its own deadline", configured: "8000", deadline: 2000 },
  { what: "the database's deadline if that is shorter", configured: "300", deadline: 300 },
])(
  "readiness returns 503 after $what when the database hangs",
  async ({ configured, deadline }) => {
    const api = openApi({ ...variables, DATABASE_DEADLINE_MS: configured });
    await api.disturb({ faults: [{ kind: "hang" }] });
    const timeout = vi.spyOn(AbortSignal, "timeout");
    expect(seen(await api.send("GET", "/api/health/ready"))).toEqual(unavailable);
    expect(timeout.mock.calls).toEqual([[deadline]]);
    timeout.mockRestore();
  },
);
