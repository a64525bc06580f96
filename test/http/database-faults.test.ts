import { describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { failed, seen, succeeded, unavailable } from "../helpers/answers.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import {
  mintScene,
  type Operation,
  operations,
  perform,
  sentSecret,
} from "../helpers/operations.ts";
import { rowsOf } from "../helpers/rows.ts";

/** What an error of Postgres may say, and nobody else may hear. */
const message = 'insert into "a_table" violates "a_constraint"';
const sqlstate = (code: string): Fault => ({ kind: "sqlstate", code, message });

/** Faults of which a caller learns only that the service is unavailable. */
const failures: [what: string, fault: Fault][] = [
  ["refuses the connection", { kind: "refuse" }],
  ["does not answer", { kind: "hang" }],
  ["answers 500", { kind: "status", status: 500, body: message }],
  ["answers 502", { kind: "status", status: 502, body: `<p>${message}</p>` }],
  ["answers 429", { kind: "status", status: 429, body: message }],
  ["answers 507", { kind: "status", status: 507, body: message }],
  ["breaks off its answer", { kind: "truncate" }],
  ["answers with HTML", { kind: "not_json" }],
  ...["57014", "57P01", "08006", "08P01", "53300", "55P03", "58030", "28P01", "3D000", "XX000"].map(
    (code): [string, Fault] => [`fails with ${code}`, sqlstate(code)],
  ),
];

describe.each(operations)("$name", (operation: Operation) => {
  /** Performs the operation against a fault. Sees that nothing changes and nothing leaks. */
  async function performAgainst(fault: Fault) {
    const api = openApi({ DATABASE_DEADLINE_MS: "300" });
    const scene = await mintScene();
    const { id, keys } = scene.organization;
    const before = await rowsOf(id);
    await api.disturb({ faults: [fault] });
    const logs = recordConsole();
    const startedAt = performance.now();
    const answer = await perform(api, operation, scene, { key: keys.owner });
    const duration = performance.now() - startedAt;
    expect(await api.calls()).toBe(1);
    expect(await rowsOf(id)).toEqual(before);
    for (const text of [answer.text, JSON.stringify([...answer.headers]), logs()]) {
      expect(text).not.toMatch(
        /a_table|a_constraint|select|insert|app\.enter|injected|bad gateway/i,
      );
      expect(text).not.toContain(sentSecret);
      expect(text).not.toContain(keys.owner);
      expect(text).not.toContain(await hashApiKey(keys.owner));
    }
    return { answer, logs, duration };
  }

  test.each(failures)("is 503 in time when the database %s", async (_, fault) => {
    const { answer, logs, duration } = await performAgainst(fault);
    expect(seen(answer)).toEqual(unavailable);
    expect(duration).toBeLessThan(fault.kind === "hang" ? 2000 : 1000);
    expect(JSON.parse(logs())).toMatchObject({
      status: 503,
      sqlstate: fault.kind === "sqlstate" ? fault.code : null,
    });
  });

  test.each(["40001", "40P01"])("is 409 when two changes meet: %s", async (code) => {
    const { answer, logs } = await performAgainst(sqlstate(code));
    expect(seen(answer)).toEqual(failed("request_conflict"));
    expect(JSON.parse(logs())).toMatchObject({ status: 409, sqlstate: code });
  });

  test.each(["42P01", "42501", "23505", "23503", "22P02", "P0001", "INV01", "INV02"])(
    "is 500 when the database fails with %s, and says only the request's id",
    async (code) => {
      const { answer, logs } = await performAgainst(sqlstate(code));
      expect(seen(answer)).toEqual(
        failed("internal_error", { request_id: answer.headers.get("X-Request-Id") }),
      );
      expect(JSON.parse(logs())).toMatchObject({ status: 500 });
    },
  );

  test("works again once the database does", async () => {
    const api = openApi();
    const scene = await mintScene();
    const key = scene.organization.keys.owner;
    await api.disturb({ faults: [{ kind: "refuse" }] });
    expect(seen(await perform(api, operation, scene, { key }))).toEqual(unavailable);
    expect(await perform(api, operation, scene, { key })).toMatchObject({ status: 200 });
    expect(await api.calls()).toBe(2);
  });

  test("is 503 when the answer is lost, and can be repeated", async () => {
    const api = openApi();
    const scene = await mintScene();
    const key = scene.organization.keys.owner;
    await api.disturb({ faults: [{ kind: "lost_answer" }] });
    expect(seen(await perform(api, operation, scene, { key }))).toEqual(unavailable);
    expect(await perform(api, operation, scene, { key })).toMatchObject({ status: 200 });
  });
});

test.each(["/api/v1/credentials?limit=0", "/api/v1/bindings?limit=0"])(
  "GET %s is 503 when the database does not answer in time",
  async (path) => {
    const api = openApi({ DATABASE_DEADLINE_MS: "300" });
    const { organization } = await mintScene();
    await api.disturb({ faults: [{ kind: "hang" }] });
    const answer = await api.send("GET", path, { key: organization.keys.viewer });
    expect(seen(answer)).toEqual(unavailable);
    expect(await api.calls()).toBe(1);
  },
);

test("a slow database that answers before the deadline is no failure", async () => {
  const api = openApi({ DATABASE_DEADLINE_MS: "5000" });
  const scene = await mintScene();
  await api.disturb({ delay_ms: 200 });
  const answer = await api.send("POST", `/api/v1/daemons/${scene.daemon_id}/retry-connection`, {
    key: scene.organization.keys.member,
  });
  expect(seen(answer)).toEqual(succeeded({}));
});
