import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { userApiKeySecrets, userApiKeys } from "../../src/database/tables/index.ts";
import { failed, seen, succeeded, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { database, sql } from "../helpers/database.ts";
import { perform, sampledOperations } from "../helpers/operations.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";

/** The condition that selects a key's row by its plaintext. */
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

const revocations = [
  {
    what: "deleted",
    revoke: async (key: string) => database.delete(userApiKeys).where(await rowOf(key)),
    code: "auth_not_authenticated",
  },
  {
    what: "disabled",
    revoke: async (key: string) =>
      database
        .update(userApiKeys)
        .set({ is_enabled: false })
        .where(await rowOf(key)),
    code: "auth_key_disabled",
  },
] as const;

test.each(
  sampledOperations.flatMap((operation) => revocations.map((row) => ({ operation, ...row }))),
)("a key that is $what can no longer send $operation.name", async ({ operation, revoke, code }) => {
  const api = openApi();
  const organization = await mintPopulatedOrganization();
  const key = organization.keys.owner;
  expect(seen(await perform(api, operation, organization, { key }))).toEqual(succeeded());
  await revoke(key);
  const answer = await changingNothing(organization.id, () =>
    perform(api, operation, organization, { key }),
  );
  expect(seen(answer)).toEqual(unauthorized(code));
});

test("a lowered role takes effect on the key's next request", async () => {
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

test.each(sampledOperations)("a key that sends $name is marked as used", async (operation) => {
  const organization = await mintPopulatedOrganization();
  const key = organization.keys.owner;
  expect(await lastUsedAt(key)).toBeNull();
  const [start] = await sql`select now() as time`;
  expect(seen(await perform(openApi(), operation, organization, { key }))).toEqual(succeeded());
  const [end] = await sql`select now() as time`;
  const used = Date.parse((await lastUsedAt(key)) ?? "");
  expect(used).toBeGreaterThanOrEqual(new Date(start?.["time"]).getTime());
  expect(used).toBeLessThanOrEqual(new Date(end?.["time"]).getTime());
});

test("a request marks none of the organization's other keys as used", async () => {
  const { keys } = await mintOrganization();
  await openApi().send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(await lastUsedAt(keys.viewer)).not.toBeNull();
  expect(await lastUsedAt(keys.member)).toBeNull();
});

test("a key is marked as used again after a minute", async () => {
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

test("a rejected key is not marked as used", async () => {
  const { id } = await mintOrganization();
  for (const values of [{ is_enabled: false }, { expires_at: "2026-01-02T03:04:05.060Z" }]) {
    const key = await mintKey(id, values);
    const answer = await openApi().send("GET", "/api/v1/credentials", { key });
    expect(seen(answer)).toMatchObject({ status: 401 });
    expect(await lastUsedAt(key)).toBeNull();
  }
});
