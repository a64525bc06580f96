import { beforeAll, describe, expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { roles } from "../../src/roles.ts";
import { failed, invalidAt, seen, unauthorized } from "../helpers/answers.ts";
import { openApi, type RequestOptions } from "../helpers/api.ts";
import { operationOf, pathOf, sampledOperations } from "../helpers/operations.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const json = { "Content-Type": "application/json" };

/** A request that is invalid regardless of its key. */
interface BadRequest {
  what: string;
  /** Returns the request's path, given the path of a valid request. */
  path(good: string): string;
  options: RequestOptions;
  expected: object;
}

const uuid = /[\da-f-]{36}/;
const invalid = failed("validation_failed", {
  issues: expect.any(Array),
  issue_count: expect.any(Number),
});

const badBodies: readonly BadRequest[] = [
  { what: "an invalid body", path: (good) => good, options: { json: 5 }, expected: invalid },
  {
    what: "an invalid body and the id of a missing record",
    path: (good) => good.replace(uuid, crypto.randomUUID()),
    options: { json: 5 },
    expected: invalid,
  },
  {
    what: "malformed JSON",
    path: (good) => good,
    options: { headers: json, body: "{" },
    expected: failed("request_malformed_json", { reason: "broken_off", line: 1, column: 2 }),
  },
  {
    what: "another media type",
    path: (good) => good,
    options: { headers: { "Content-Type": "text/plain" }, body: '"After"' },
    expected: failed("request_unsupported_media_type", { media_types: ["application/json"] }),
  },
  {
    what: "a body that is too large",
    path: (good) => good,
    options: { headers: json, body: `"${"a".repeat(1_048_576)}"` },
    expected: failed("request_too_large", { max_bytes: 1_048_576 }),
  },
];

const badPath: BadRequest = {
  what: "an invalid id",
  path: (good) => good.replace(uuid, "nobody"),
  options: {},
  expected: invalidAt("path.id"),
};

const badQuery: BadRequest = {
  what: "an invalid query",
  path: (good) => `${good}?limit=x`,
  options: {},
  expected: invalidAt("query.limit"),
};

/** A read by id, a write, and a list with a query. */
const table = [...sampledOperations, operationOf("GET /api/v1/credentials")].map((operation) => ({
  ...operation,
  badRequests: [
    ...(operation.json ? badBodies : operation.param ? [badPath] : []),
    ...(operation.query ? [badQuery] : []),
  ],
}));

describe.each(table)("$name", ({ badRequests, ...operation }) => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  describe.each(badRequests)("with $what", ({ path, options, expected }) => {
    /**
     * Sends the request, and checks that it changes nothing and takes this number of database
     * calls.
     */
    async function refused(key: string, calls: number) {
      const api = openApi();
      const answer = await changingNothing(organization.id, () =>
        api.send(operation.method, path(pathOf(operation, organization)), { ...options, key }),
      );
      expect(await api.calls()).toBe(calls);
      return seen(answer);
    }

    test("rejects a malformed key first", async () => {
      expect(await refused("inv_u_x", 0)).toEqual(
        unauthorized("auth_not_authenticated", { reason: "malformed" }),
      );
    });

    test("rejects an unknown key first", async () => {
      expect(await refused(mintApiKey(), 1)).toEqual(unauthorized("auth_not_authenticated"));
    });

    test("rejects an expired key first", async () => {
      const expired_at = "2026-01-02T03:04:05.060Z";
      const key = await mintKey(organization.id, { role: "Owner", expires_at: expired_at });
      expect(await refused(key, 1)).toEqual(unauthorized("auth_key_expired", { expired_at }));
    });

    const tooLow = roles.slice(0, roles.indexOf(operation.role)).slice(-1);
    test.each(tooLow)("rejects the role %s first", async (role) => {
      const key = await mintKey(organization.id, { role });
      expect(await refused(key, 1)).toEqual(
        failed("auth_permission_denied", { required_role: operation.role, role }),
      );
    });

    test("rejects the request with a valid key, with one database call", async () => {
      const key = await mintKey(organization.id, { role: operation.role });
      expect(await refused(key, 1)).toEqual(expected);
    });
  });
});

test("if the role is too low, the response does not reveal whether a record exists", async () => {
  const api = openApi();
  const { keys, daemon_id } = await mintPopulatedOrganization();
  for (const id of [daemon_id, crypto.randomUUID()]) {
    const answer = await api.send("POST", `/api/v1/daemons/${id}/retry-connection`, {
      key: keys.viewer,
    });
    expect(seen(answer)).toEqual(
      failed("auth_permission_denied", { required_role: "Member", role: "Viewer" }),
    );
  }
});

test.each([
  { faults: [{ kind: "refuse" }, { kind: "refuse" }] as const, expected: 503 },
  { faults: [{ kind: "sqlstate", code: "42P01", message: "x" }] as const, expected: 500 },
])("the body is not validated if the key cannot be checked: $expected", async (row) => {
  const api = openApi();
  const organization = await mintOrganization();
  await api.disturb({ faults: [...row.faults] });
  const answer = await api.send("PUT", `/api/v1/organizations/${organization.id}`, {
    key: organization.keys.owner,
    json: 5,
  });
  expect(seen(answer)).toMatchObject({ status: row.expected });
  expect(await api.calls()).toBe(row.faults.length);
});
