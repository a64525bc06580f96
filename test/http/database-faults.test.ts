import { beforeAll, describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { failed, seen, succeeded, unavailable } from "../helpers/answers.ts";
import { type Fault, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { sentSecret } from "../helpers/credentials.ts";
import { type Operation, perform, sampledOperations } from "../helpers/operations.ts";
import { mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

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

describe.each(sampledOperations)("$name", (operation: Operation) => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  /** Performs the operation against a fault. Sees that nothing changes and nothing leaks. */
  async function performAgainst(fault: Fault) {
    const api = openApi({ DATABASE_DEADLINE_MS: "300" });
    const key = organization.keys.owner;
    await api.disturb({ faults: [fault] });
    const logs = recordConsole();
    const answer = await changingNothing(organization.id, () =>
      perform(api, operation, organization, { key }),
    );
    expect(await api.calls()).toBe(1);
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

  test.each(failures)("is 503 when the database %s", async (_, fault) => {
    const { answer, logs } = await performAgainst(fault);
    expect(seen(answer)).toEqual(unavailable);
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

  test.each<[string, Fault, number]>([
    ["works again once the database does", { kind: "refuse" }, 2],
    ["can be repeated when the answer is lost", { kind: "lost_answer" }, 2],
  ])("%s", async (_, fault, calls) => {
    const api = openApi();
    const key = organization.keys.owner;
    await api.disturb({ faults: [fault] });
    expect(seen(await perform(api, operation, organization, { key }))).toEqual(unavailable);
    expect(seen(await perform(api, operation, organization, { key }))).toEqual(succeeded());
    expect(await api.calls()).toBe(calls);
  });
});

test.each(["/api/v1/credentials?limit=0", "/api/v1/bindings?limit=0"])(
  "GET %s is 503 when the database does not answer in time",
  async (path) => {
    const api = openApi({ DATABASE_DEADLINE_MS: "300" });
    const organization = await mintOrganization();
    await api.disturb({ faults: [{ kind: "hang" }] });
    const answer = await api.send("GET", path, { key: organization.keys.viewer });
    expect(seen(answer)).toEqual(unavailable);
    expect(await api.calls()).toBe(1);
  },
);

test("a slow database that answers before the deadline is no failure", async () => {
  const api = openApi({ DATABASE_DEADLINE_MS: "5000" });
  const { keys, daemon_id } = await mintPopulatedOrganization();
  await api.disturb({ delay_ms: 200 });
  const answer = await api.send("POST", `/api/v1/daemons/${daemon_id}/retry-connection`, {
    key: keys.member,
  });
  expect(seen(answer)).toEqual(succeeded({}));
});
