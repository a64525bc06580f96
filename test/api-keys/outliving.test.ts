import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { type Api, openApi } from "../helpers/api.ts";
import { createKey, keyIdOf, shownIn, whoami } from "../helpers/api-keys.ts";
import { abortionOf, enter, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const path = "/api/v1/auth/keys";
const valid = { name: "CI", permissions: "Viewer" };
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

const put = (api: Api, key: string, id: string, json: unknown) =>
  api.send("PUT", `${path}/${id}`, { key, json });

/** An Admin key with ten minutes left, and a Viewer key that does not expire. */
async function open() {
  const api = openApi();
  const { id, keys, networks } = await mintOrganization();
  const expires_at = inMinutes(10);
  const admin = await mintKey(id, { role: "Admin", expires_at });
  const own = await keyIdOf(admin);
  const lasting = await keyIdOf(keys.viewer);
  const refused = async (ask: () => ReturnType<Api["send"]>) =>
    expect(seen(await changingNothing(id, ask))).toEqual(
      failed("auth_scope_denied", { reason: "expires_earlier", expires_at }),
    );
  return { api, id, keys, networks, admin, own, lasting, expires_at, refused };
}

describe("a key that expires", () => {
  test("cannot create a key that outlives it", async () => {
    const { api, admin, expires_at, refused } = await open();
    const post = (rest: string, json: unknown) => () =>
      api.send("POST", path + rest, { key: admin, json });
    await refused(post("", valid));
    await refused(post("", { ...valid, expires_at: inMinutes(11) }));
    await refused(post("/bulk", [{ ...valid, expires_at }, valid]));
    const { api_key } = await createKey(api, admin, { ...valid, expires_at });
    expect(api_key.expires_at).toBe(expires_at);
  });

  test.each([
    ["forever", null],
    ["by a minute", inMinutes(11)],
  ])("cannot extend itself or another key %s", async (_, expires_at) => {
    const { api, admin, own, refused } = await open();
    const { api_key } = await createKey(api, admin, { ...valid, expires_at: inMinutes(5) });
    for (const id of [own, api_key.id]) {
      await refused(() => put(api, admin, id, { ...valid, expires_at }));
    }
  });

  test("cannot grant any access to a key that outlives it", async () => {
    const { api, id, networks, admin, lasting, refused } = await open();
    const disabled = await keyIdOf(await mintKey(id, { role: "Viewer", is_enabled: false }));
    const limited = await keyIdOf(await mintKey(id, { role: "Viewer" }, [networks[0].id]));
    const network_ids = networks.map((network) => network.id);
    await refused(() => api.send("POST", `${path}/${lasting}/rotate`, { key: admin, json: {} }));
    await refused(() => put(api, admin, lasting, { ...valid, permissions: "Member" }));
    await refused(() => put(api, admin, disabled, valid));
    await refused(() => put(api, admin, limited, valid));
    await refused(() => put(api, admin, limited, { ...valid, network_ids }));
  });

  test("can rename, limit, shorten, disable and delete a key that outlives it", async () => {
    const { api, networks, admin, lasting, expires_at } = await open();
    const network_ids = [networks[0].id];
    for (const json of [
      { ...valid, name: "Renamed" },
      { ...valid, network_ids },
      { ...valid, network_ids, is_enabled: false },
      { ...valid, network_ids, is_enabled: false, expires_at },
    ]) {
      expect((await put(api, admin, lasting, json)).status).toBe(200);
    }
    expect((await api.send("DELETE", `${path}/${lasting}`, { key: admin })).status).toBe(200);
  });

  test("can send back, exactly as it was read, a key that outlives it", async () => {
    const { api, admin, lasting } = await open();
    const { body } = await api.send("GET", `${path}/${lasting}`, { key: admin });
    expect((await put(api, admin, lasting, Object(body).data)).status).toBe(200);
  });

  test("can rotate itself, and keeps its expires_at", async () => {
    const { api, admin, own, expires_at } = await open();
    const answer = await api.send("POST", `${path}/${own}/rotate`, { key: admin, json: {} });
    expect(shownIn(answer).api_key.expires_at).toBe(expires_at);
  });

  test("cannot use any SQL statement to add a plaintext to a key that outlives it", async () => {
    const { id, admin, lasting } = await open();
    const added = sql.transaction([
      enter(admin),
      sql`insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
        values (${id}, ${lasting}, sha256('added'))`,
    ]);
    expect((await abortionOf(added)).detail).toMatchObject({ code: "auth_scope_denied" });
  });
});

describe("an old plaintext during its overlap", () => {
  const denied = failed("auth_scope_denied", { reason: "replaced_plaintext" });

  async function replaced() {
    const api = openApi();
    const { id, keys } = await mintOrganization();
    const own = await keyIdOf(keys.admin);
    const json = { overlap_seconds: 3600 };
    const { key } = shownIn(
      await api.send("POST", `${path}/${own}/rotate`, { key: keys.admin, json }),
    );
    return { api, id, own, old: keys.admin, key, viewer: await keyIdOf(keys.viewer) };
  }

  test.each([
    ["POST", "", valid],
    ["POST", "", { ...valid, expires_at: inMinutes(1) }],
    ["POST", "/bulk", [valid]],
    ["PUT", "/:id", valid],
    ["POST", "/:id/rotate", {}],
    ["DELETE", "/:id", undefined],
  ])("rejects %s %s %j", async (method, rest, json) => {
    const { api, id, own, old, key, viewer } = await replaced();
    for (const changed of [own, viewer]) {
      const attempt = () =>
        api.send(method, path + rest.replace(":id", changed), { key: old, json });
      expect(seen(await changingNothing(id, attempt))).toEqual(denied);
    }
    const bulk = () => api.send("POST", `${path}/bulk-delete`, { key: old, json: [own, viewer] });
    expect(seen(await changingNothing(id, bulk))).toEqual(denied);
    expect((await whoami(api, key)).status).toBe(200);
  });

  test("can do everything else", async () => {
    const { api, old } = await replaced();
    expect((await api.send("GET", path, { key: old })).status).toBe(200);
    const tag = await api.send("POST", "/api/v1/tags", { key: old, json: { name: "Made" } });
    expect(tag.status).toBe(201);
  });
});

describe("an expires_at in the past", () => {
  const past = "2026-01-02T03:04:05.000Z";

  test("is rejected for a new key, and the error names the field", async () => {
    const api = openApi();
    const { id, keys } = await mintOrganization();
    const json = { ...valid, expires_at: past };
    const one = () => api.send("POST", path, { key: keys.admin, json });
    expect(seen(await changingNothing(id, one))).toEqual(invalidAt("body.expires_at"));
    const many = () =>
      api.send("POST", `${path}/bulk`, { key: keys.admin, json: [valid, json, json] });
    expect(seen(await changingNothing(id, many))).toEqual(
      invalidAt("body[1].expires_at", "body[2].expires_at"),
    );
  });

  test("is rejected in an update, unless the key already has that expires_at", async () => {
    const { api, keys, lasting, id } = await open();
    const json = { ...valid, expires_at: past };
    const attempt = () => put(api, keys.admin, lasting, json);
    expect(seen(await changingNothing(id, attempt))).toEqual(invalidAt("body.expires_at"));
    await sql`update user_api_keys set expires_at = ${past} where id = ${lasting}`;
    expect((await attempt()).status).toBe(200);
  });
});
