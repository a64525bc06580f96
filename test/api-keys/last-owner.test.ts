import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { userApiKeys } from "../../src/database/tables/index.ts";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { createKey, keyIdOf, whoami } from "../helpers/api-keys.ts";
import { database, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const path = "/api/v1/auth/keys";
const owner = { name: "Owner", permissions: "Owner" };

/** Every request that would leave the organization without a key that can create keys. */
const endings = [
  ["DELETE", "/:id", undefined],
  ["POST", "/bulk-delete", ":ids"],
  ["PUT", "/:id", { ...owner, permissions: "Admin" }],
  ["PUT", "/:id", { ...owner, network_ids: [] }],
  // Even the year 2200 is rejected: any expiry would eventually lock everyone out.
  ["PUT", "/:id", { ...owner, expires_at: "2200-01-02T03:04:05Z" }],
] as const;

/** A timestamp this many seconds in the future. */
const soon = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

async function open() {
  const api = openApi();
  const organization = await mintOrganization();
  const { id, keys } = organization;
  // None of these keys can replace the last Owner key.
  await mintKey(id, { role: "Owner", is_enabled: false });
  await mintKey(id, { role: "Owner", expires_at: "2026-01-02T03:04:05.060Z" });
  await mintKey(id, { role: "Owner" }, [organization.networks[0].id]);
  const last = await keyIdOf(keys.owner);
  const send = (method: string, rest: string, body: unknown) =>
    api.send(method, path + rest.replace(":id", last), {
      key: keys.owner,
      json: body === ":ids" ? [last] : body,
    });
  return { api, id, keys, last, send };
}

describe("the last Owner key", () => {
  test.each(endings)("rejects %s %s %j without changing anything", async (method, rest, body) => {
    const { id, last, send } = await open();
    const params = { entity: "ApiKey", id: last, used_by: { organizations: 1 } };
    expect(seen(await changingNothing(id, () => send(method, rest, body)))).toEqual(
      failed("entity_in_use", params),
    );
  });

  // Only the last Owner key itself could send these requests, and no key may disable or expire
  // itself with PUT.
  test.each([
    ["is_enabled", false],
    ["expires_at", "2026-01-02T03:04:05Z"],
  ])("cannot disable or expire itself by setting %s", async (field, value) => {
    const { id, send } = await open();
    const attempt = () => send("PUT", "/:id", { ...owner, [field]: value });
    expect(seen(await changingNothing(id, attempt))).toEqual(invalidAt(`body.${field}`));
  });

  test.each(endings)(
    "%s %s %j succeeds once there is another Owner key",
    async (method, rest, body) => {
      const { api, keys, send } = await open();
      await createKey(api, keys.owner, owner);
      expect((await send(method, rest, body)).status).toBe(200);
    },
  );

  test.each([
    ["is disabled", { is_enabled: false }],
    ["has expired", { expires_at: "2026-01-02T03:04:05Z" }],
    ["will expire", { expires_at: "2200-01-02T03:04:05Z" }],
  ])("an Owner key that %s does not replace the last one", async (_, values) => {
    const { api, keys, send } = await open();
    const { api_key } = await createKey(api, keys.owner, owner);
    await database.update(userApiKeys).set(values).where(eq(userApiKeys.id, api_key.id));
    expect(await send("DELETE", "/:id", undefined)).toMatchObject({
      status: 409,
      body: { code: "entity_in_use" },
    });
  });

  test("cannot be deleted together with all other Owner keys in one bulk-delete", async () => {
    const { api, id, keys, last } = await open();
    const { api_key } = await createKey(api, keys.owner, owner);
    const json = [last, api_key.id];
    const attempt = () => api.send("POST", `${path}/bulk-delete`, { key: keys.owner, json });
    expect(await changingNothing(id, attempt)).toMatchObject({
      status: 409,
      body: { code: "entity_in_use" },
    });
  });

  test("an Owner key created with an expiry does not replace the last one", async () => {
    const { api, keys, send } = await open();
    await createKey(api, keys.owner, { ...owner, expires_at: "2200-01-02T03:04:05Z" });
    expect(await send("DELETE", "/:id", undefined)).toMatchObject({
      status: 409,
      body: { code: "entity_in_use" },
    });
  });

  test("can be changed if every Owner key has an expiry, but cannot be deleted until there is another unexpired Owner key", async () => {
    const { api, id, keys, last, send } = await open();
    await sql`update user_api_keys set expires_at = ${soon(60)}
      where organization_id = ${id} and id = ${last}`;
    expect((await send("PUT", "/:id", { ...owner, expires_at: soon(50) })).status).toBe(200);
    expect(await send("DELETE", "/:id", undefined)).toMatchObject({
      status: 409,
      body: { code: "entity_in_use" },
    });
    await createKey(api, keys.owner, { ...owner, expires_at: soon(40) });
    expect((await send("DELETE", "/:id", undefined)).status).toBe(200);
  });

  test("can be renamed and rotated like any other key", async () => {
    const { api, last, keys, send } = await open();
    expect((await send("PUT", "/:id", owner)).status).toBe(200);
    const rotated = await api.send("POST", `${path}/${last}/rotate`, { key: keys.owner, json: {} });
    expect(rotated.status).toBe(200);
    expect((await whoami(api, keys.owner)).status).toBe(401);
  });
});
