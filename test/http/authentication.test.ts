import { describe, expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { roles } from "../../src/roles.ts";
import { failed, seen, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintScene, type Operation, operations, perform } from "../helpers/operations.ts";
import { mintKey } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

/** What can be wrong with the header that carries a key. */
const badHeaders: [what: string, header: (key: string) => Record<string, string>][] = [
  ["no header", () => ({})],
  ["an empty header", () => ({ Authorization: "" })],
  ["the scheme alone", () => ({ Authorization: "Bearer" })],
  ["no scheme", (key) => ({ Authorization: key })],
  ["the scheme Basic", (key) => ({ Authorization: `Basic ${key}` })],
  ["the scheme Bearers", (key) => ({ Authorization: `Bearers ${key}` })],
  ["no space behind the scheme", (key) => ({ Authorization: `Bearer${key}` })],
  ["two keys", (key) => ({ Authorization: `Bearer ${key} ${key}` })],
  ["two headers in one", (key) => ({ Authorization: `Bearer ${key}, Bearer ${key}` })],
  ["another header", (key) => ({ "X-Api-Key": key })],
  ["a key cut short", (key) => ({ Authorization: `Bearer ${key.slice(0, -1)}` })],
  ["a key that is too long", (key) => ({ Authorization: `Bearer ${key}0` })],
  ["another prefix", (key) => ({ Authorization: `Bearer ${key.replace("inv_u_", "inv_x_")}` })],
  ["characters outside base62", (key) => ({ Authorization: `Bearer ${key.slice(0, -1)}-` })],
  [
    "a wrong checksum",
    (key) => ({ Authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}` }),
  ],
  ["a key in other letters", (key) => ({ Authorization: `Bearer ${key.toUpperCase()}` })],
];

describe.each(operations)("$name", (operation: Operation) => {
  const least = roles.indexOf(operation.leastRole);

  test.each(badHeaders)("refuses %s without a call of the database", async (_, header) => {
    const api = openApi();
    const scene = await mintScene();
    const before = await rowsOf(scene.organization.id);
    const answer = await perform(api, operation, scene, {
      headers: header(scene.organization.keys.owner),
    });
    expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated"));
    expect(await api.calls()).toBe(0);
    expect(await rowsOf(scene.organization.id)).toEqual(before);
  });

  test("refuses a well-formed key that does not exist", async () => {
    const api = openApi();
    const scene = await mintScene();
    const before = await rowsOf(scene.organization.id);
    const answer = await perform(api, operation, scene, { key: mintApiKey() });
    expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated"));
    expect(await api.calls()).toBe(1);
    expect(await rowsOf(scene.organization.id)).toEqual(before);
  });

  test("refuses an expired key, and says since when", async () => {
    const api = openApi();
    const scene = await mintScene();
    const expired_at = "2026-01-02T03:04:05.060Z";
    const key = await mintKey(scene.organization.id, { role: "Owner", expires_at: expired_at });
    const before = await rowsOf(scene.organization.id);
    const answer = await perform(api, operation, scene, { key });
    expect(seen(answer)).toEqual(unauthorized("auth_key_expired", { expired_at }));
    expect(await api.calls()).toBe(1);
    expect(await rowsOf(scene.organization.id)).toEqual(before);
  });

  test("takes a key that expires later", async () => {
    const scene = await mintScene();
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const key = await mintKey(scene.organization.id, { role: "Owner", expires_at });
    expect(await perform(openApi(), operation, scene, { key })).toMatchObject({ status: 200 });
  });

  test("refuses a disabled key", async () => {
    const api = openApi();
    const scene = await mintScene();
    const key = await mintKey(scene.organization.id, { role: "Owner", is_enabled: false });
    const before = await rowsOf(scene.organization.id);
    const answer = await perform(api, operation, scene, { key });
    expect(seen(answer)).toEqual(unauthorized("auth_key_disabled"));
    expect(await api.calls()).toBe(1);
    expect(await rowsOf(scene.organization.id)).toEqual(before);
  });

  test.each(roles.slice(0, least))("refuses the role %s", async (role) => {
    const api = openApi();
    const scene = await mintScene();
    const key = await mintKey(scene.organization.id, { role });
    const before = await rowsOf(scene.organization.id);
    const answer = await perform(api, operation, scene, { key });
    expect(seen(answer)).toEqual(
      failed("auth_permission_denied", { required_role: operation.leastRole, role }),
    );
    expect(await api.calls()).toBe(1);
    expect(await rowsOf(scene.organization.id)).toEqual(before);
  });

  test.each(roles.slice(least))("takes the role %s", async (role) => {
    const api = openApi();
    const scene = await mintScene();
    const key = await mintKey(scene.organization.id, { role });
    const answer = await perform(api, operation, scene, { key });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await api.calls()).toBe(1);
  });

  test.each(["bearer", "BEARER", "bEaReR", "Bearer "])("takes the scheme %j", async (scheme) => {
    const api = openApi();
    const scene = await mintScene();
    const headers = { Authorization: `${scheme} ${scene.organization.keys.owner}` };
    const answer = await perform(api, operation, scene, { headers });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(await api.calls()).toBe(1);
  });
});

test("the table of least roles is the contract's", () => {
  expect(operations.map(({ name, leastRole }) => [name, leastRole])).toEqual([
    ["list credentials", "Viewer"],
    ["list bindings", "Viewer"],
    ["list daemons", "Viewer"],
    ["read a daemon", "Viewer"],
    ["retry a daemon's connection", "Member"],
    ["update a credential", "Admin"],
    ["rename an organization", "Owner"],
  ]);
});
