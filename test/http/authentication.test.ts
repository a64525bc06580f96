import { beforeAll, describe, expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { mintDaemonKey } from "../../src/daemons/daemon-key.ts";
import { roles } from "../../src/roles.ts";
import { failed, seen, succeeded, unauthorized } from "../helpers/answers.ts";
import { openApi, type RequestOptions } from "../helpers/api.ts";
import { type Operation, perform, sampledOperations } from "../helpers/operations.ts";
import { mintKey } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

/** Invalid forms of the header that contains the key. */
const badHeaders: [
  what: string,
  header: (key: string) => Record<string, string>,
  reason: string,
][] = [
  ["no header", () => ({}), "missing"],
  ["an empty header", () => ({ Authorization: "" }), "missing"],
  ["only the scheme", () => ({ Authorization: "Bearer" }), "other_scheme"],
  ["no scheme", (key) => ({ Authorization: key }), "other_scheme"],
  ["the scheme Basic", (key) => ({ Authorization: `Basic ${key}` }), "other_scheme"],
  ["the scheme Bearers", (key) => ({ Authorization: `Bearers ${key}` }), "other_scheme"],
  ["no space after the scheme", (key) => ({ Authorization: `Bearer${key}` }), "other_scheme"],
  ["two keys", (key) => ({ Authorization: `Bearer ${key} ${key}` }), "other_scheme"],
  [
    "two headers in one",
    (key) => ({ Authorization: `Bearer ${key}, Bearer ${key}` }),
    "other_scheme",
  ],
  ["another header", (key) => ({ "X-Api-Key": key }), "other_header"],
  ["a truncated key", (key) => ({ Authorization: `Bearer ${key.slice(0, -1)}` }), "malformed"],
  ["a key that is too long", (key) => ({ Authorization: `Bearer ${key}0` }), "malformed"],
  [
    "another prefix",
    (key) => ({ Authorization: `Bearer ${key.replace("inv_u_", "inv_x_")}` }),
    "malformed",
  ],
  [
    "characters outside base62",
    (key) => ({ Authorization: `Bearer ${key.slice(0, -1)}-` }),
    "malformed",
  ],
  [
    "a wrong checksum",
    (key) => ({ Authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}` }),
    "malformed",
  ],
  ["a daemon's key", () => ({ Authorization: `Bearer ${mintDaemonKey()}` }), "daemon_key"],
  ["a key in upper case", (key) => ({ Authorization: `Bearer ${key.toUpperCase()}` }), "malformed"],
];

describe.each(sampledOperations)("$name", (operation: Operation) => {
  const least = roles.indexOf(operation.role);
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  /**
   * Sends a request that must be rejected after this number of database calls without changing
   * anything.
   */
  async function refused(options: RequestOptions, calls: number) {
    const api = openApi();
    const answer = await changingNothing(organization.id, () =>
      perform(api, operation, organization, options),
    );
    expect(await api.calls()).toBe(calls);
    return seen(answer);
  }

  /** Sends a request that must succeed with one database call. */
  async function expectSuccess(options: RequestOptions) {
    const api = openApi();
    const answer = await perform(api, operation, organization, options);
    expect(seen(answer)).toEqual(succeeded());
    expect(await api.calls()).toBe(1);
  }

  test.each(badHeaders)("rejects %s without a database call", async (_, header, reason) => {
    const headers = header(organization.keys.owner);
    expect(await refused({ headers }, 0)).toEqual(
      unauthorized("auth_not_authenticated", { reason }),
    );
  });

  test("rejects a well-formed key that does not exist", async () => {
    expect(await refused({ key: mintApiKey() }, 1)).toEqual(unauthorized("auth_not_authenticated"));
  });

  test("rejects an expired key, and returns its expiry time", async () => {
    const expired_at = "2026-01-02T03:04:05.060Z";
    const key = await mintKey(organization.id, { role: "Owner", expires_at: expired_at });
    expect(await refused({ key }, 1)).toEqual(unauthorized("auth_key_expired", { expired_at }));
  });

  test("accepts a key that has not expired yet", async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    await expectSuccess({ key: await mintKey(organization.id, { role: "Owner", expires_at }) });
  });

  test("rejects a disabled key", async () => {
    const key = await mintKey(organization.id, { role: "Owner", is_enabled: false });
    expect(await refused({ key }, 1)).toEqual(unauthorized("auth_key_disabled"));
  });

  test.each(roles.slice(0, least))("rejects the role %s", async (role) => {
    const key = await mintKey(organization.id, { role });
    expect(await refused({ key }, 1)).toEqual(
      failed("auth_permission_denied", { required_role: operation.role, role }),
    );
  });

  test.each(roles.slice(least))("accepts the role %s", async (role) => {
    await expectSuccess({ key: await mintKey(organization.id, { role }) });
  });

  test.each(["bearer", "BEARER", "bEaReR", "Bearer "])("accepts the scheme %j", async (scheme) => {
    await expectSuccess({ headers: { Authorization: `${scheme} ${organization.keys.owner}` } });
  });
});

test.each(["key", "api_key", "token"])(
  "rejects a key in the query parameter %s, and reports that it has been exposed",
  async (name) => {
    const answer = await openApi().send("GET", `/api/v1/tags?${name}=${mintApiKey()}`);
    expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated", { reason: "in_url" }));
    expect(answer.text).toContain("rotate");
  },
);
