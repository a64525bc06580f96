import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { userApiKeySecrets, userApiKeys } from "../../src/database/tables/index.ts";
import { failed, seen, succeeded, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { database } from "../helpers/database.ts";
import { mintScene, operations, perform } from "../helpers/operations.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

/** The row of a key, by its plaintext. */
const rowOf = async (key: string) =>
  inArray(
    userApiKeys.id,
    database
      .select({ id: userApiKeySecrets.api_key_id })
      .from(userApiKeySecrets)
      .where(eq(userApiKeySecrets.key_hash, await hashApiKey(key))),
  );

async function lastUsedAt(key: string): Promise<string | null | undefined> {
  const [row] = await database
    .select()
    .from(userApiKeys)
    .where(await rowOf(key));
  return row?.last_used_at;
}

const setLastUsed = async (key: string, secondsAgo: number) => {
  const last_used_at = new Date(Date.now() - secondsAgo * 1000).toISOString();
  await database
    .update(userApiKeys)
    .set({ last_used_at })
    .where(await rowOf(key));
  return last_used_at;
};

test.each(operations)("a key that is deleted cannot $name a moment later", async (operation) => {
  const api = openApi();
  const scene = await mintScene();
  const key = await mintKey(scene.organization.id, { role: "Owner" });
  expect(await perform(api, operation, scene, { key })).toMatchObject({ status: 200 });
  await database.delete(userApiKeys).where(await rowOf(key));
  const before = await rowsOf(scene.organization.id);
  const answer = await perform(api, operation, scene, { key });
  expect(seen(answer)).toEqual(unauthorized("auth_not_authenticated"));
  expect(await rowsOf(scene.organization.id)).toEqual(before);
});

test.each(operations)("a key that is disabled cannot $name a moment later", async (operation) => {
  const api = openApi();
  const scene = await mintScene();
  const key = await mintKey(scene.organization.id, { role: "Owner" });
  expect(await perform(api, operation, scene, { key })).toMatchObject({ status: 200 });
  await database
    .update(userApiKeys)
    .set({ is_enabled: false })
    .where(await rowOf(key));
  const before = await rowsOf(scene.organization.id);
  const answer = await perform(api, operation, scene, { key });
  expect(seen(answer)).toEqual(unauthorized("auth_key_disabled"));
  expect(await rowsOf(scene.organization.id)).toEqual(before);
});

test("a key that loses its role loses it with the next request", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization({ name: "Before" });
  await database
    .update(userApiKeys)
    .set({ role: "Admin" })
    .where(await rowOf(keys.owner));
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: "After",
  });
  expect(seen(answer)).toEqual(
    failed("auth_permission_denied", { required_role: "Owner", role: "Admin" }),
  );
});

test.each(operations)("a key that may $name is marked as used", async (operation) => {
  const scene = await mintScene();
  const key = await mintKey(scene.organization.id, { role: "Owner" });
  expect(await lastUsedAt(key)).toBeNull();
  const before = Date.now();
  expect(await perform(openApi(), operation, scene, { key })).toMatchObject({ status: 200 });
  const used = Date.parse((await lastUsedAt(key)) ?? "");
  expect(used).toBeGreaterThanOrEqual(before - 1000);
  expect(used).toBeLessThanOrEqual(Date.now() + 1000);
});

test("a key is marked as used again when the mark is over a minute old", async () => {
  const { keys } = await mintOrganization();
  const before = await setLastUsed(keys.viewer, 61);
  const answer = await openApi().send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(seen(answer)).toMatchObject({ status: 200 });
  const after = (await lastUsedAt(keys.viewer)) ?? "";
  expect(Date.parse(after) - Date.parse(before)).toBeGreaterThan(50_000);
});

test("a key is not marked as used again within a minute", async () => {
  const { keys } = await mintOrganization();
  const before = await setLastUsed(keys.viewer, 30);
  const answer = await openApi().send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(seen(answer)).toMatchObject({ status: 200 });
  expect(await lastUsedAt(keys.viewer)).toBe(before);
});

test("a refused key is not marked as used", async () => {
  const { id } = await mintOrganization();
  for (const values of [{ is_enabled: false }, { expires_at: "2026-01-02T03:04:05.060Z" }]) {
    const key = await mintKey(id, values);
    const answer = await openApi().send("GET", "/api/v1/credentials", { key });
    expect(seen(answer)).toMatchObject({ status: 401 });
    expect(await lastUsedAt(key)).toBeNull();
  }
});

test("a key lists the records of its own organization and no others", async () => {
  const api = openApi();
  const [own, other] = [await mintScene(), await mintScene()];
  for (const { organization, credential_id, binding_id } of [own, other]) {
    const pagination = { total_count: 1, limit: 50, offset: 0, has_more: false };
    const key = organization.keys.viewer;
    expect(seen(await api.send("GET", "/api/v1/credentials", { key }))).toEqual(
      succeeded([expect.objectContaining({ id: credential_id })], { pagination }),
    );
    expect(seen(await api.send("GET", "/api/v1/bindings", { key }))).toEqual(
      succeeded([expect.objectContaining({ id: binding_id })], { pagination }),
    );
  }
});

test.each(operations.filter(({ method }) => method !== "GET"))(
  "the owner of one organization cannot $name of another",
  async (operation) => {
    const api = openApi();
    const [own, other] = [await mintScene(), await mintScene()];
    const before = [await rowsOf(own.organization.id), await rowsOf(other.organization.id)];
    const answer = await api.send(operation.method, operation.path(other), {
      key: own.organization.keys.owner,
      json: operation.body?.(own),
    });
    expect(seen(answer)).toEqual(
      failed("entity_not_found", {
        entity: expect.stringMatching(/^(Credential|Daemon|Organization)$/),
        id: expect.toSatisfy((id: string) => operation.path(other).includes(id), "the id sent"),
      }),
    );
    expect(await api.calls()).toBe(1);
    expect([await rowsOf(own.organization.id), await rowsOf(other.organization.id)]).toEqual(
      before,
    );
  },
);
