import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { createKey, keyIdOf, whoami } from "../helpers/api-keys.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const path = "/api/v1/auth/keys";
const valid = { name: "CI", permissions: "Viewer" };

test("PUT replaces all fields of a key except its plaintext, and omitted fields take their defaults", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const { api_key, key } = await createKey(api, keys.admin, {
    ...valid,
    network_ids: [networks[0].id],
    expires_at: "2999-01-01T00:00:00Z",
  });
  const json = {
    name: "Nightly",
    permissions: "Member",
    network_ids: [networks[1].id],
    expires_at: null,
  };
  const replaced = await api.send("PUT", `${path}/${api_key.id}`, { key: keys.admin, json });
  expect(replaced).toMatchObject({
    status: 200,
    body: { data: { ...api_key, ...json, updated_at: expect.any(String) } },
  });
  expect(await whoami(api, key)).toMatchObject({ body: { data: { api_key: json } } });
  const bare = await api.send("PUT", `${path}/${api_key.id}`, { key: keys.admin, json: valid });
  expect(bare).toMatchObject({
    body: { data: { network_ids: null, expires_at: null, is_enabled: true } },
  });
});

test("a disabled key is rejected starting with the next request, and works again once it is enabled", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const viewer = await keyIdOf(keys.viewer);
  const put = (is_enabled: boolean) =>
    api.send("PUT", `${path}/${viewer}`, { key: keys.admin, json: { ...valid, is_enabled } });
  expect((await put(false)).status).toBe(200);
  expect(seen(await whoami(api, keys.viewer))).toEqual(unauthorized("auth_key_disabled"));
  await put(true);
  expect((await whoami(api, keys.viewer)).status).toBe(200);
});

test("If-Match rejects the second of two writers with the same ETag", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const { api_key } = await createKey(api, keys.admin, valid);
  const read = await api.send("GET", `${path}/${api_key.id}`, { key: keys.viewer });
  const headers = { "If-Match": read.headers.get("etag") ?? "" };
  const put = (name: string) =>
    api.send("PUT", `${path}/${api_key.id}`, {
      key: keys.admin,
      headers,
      json: { ...valid, name },
    });
  const first = await put("First");
  const etag = first.headers.get("etag") ?? "";
  expect(first.status).toBe(200);
  expect(seen(await put("Second"))).toEqual(failed("precondition_failed", { etag }));
  const gone = await api.send("DELETE", `${path}/${api_key.id}`, { key: keys.admin, headers });
  expect(seen(gone)).toEqual(failed("precondition_failed", { etag }));
});

test("using a key changes its ETag, but an earlier ETag still matches", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const { api_key, key } = await createKey(api, keys.admin, valid);
  const etag = async () =>
    (await api.send("GET", `${path}/${api_key.id}`, { key: keys.viewer })).headers.get("etag");
  const before = (await etag()) ?? "";
  await whoami(api, key);
  expect(await etag()).not.toBe(before);
  const headers = { "If-Match": before };
  const changed = await api.send("PUT", `${path}/${api_key.id}`, {
    key: keys.owner,
    headers,
    json: valid,
  });
  expect(changed.status).toBe(200);
  const read = await api.send("GET", `${path}/${api_key.id}`, { key: keys.viewer });
  expect(read).toMatchObject({ body: { data: { last_used_at: expect.any(String) } } });
});

describe("the role of the caller", () => {
  test.each([
    ["raise a key above its own role", "viewer", { ...valid, permissions: "Owner" }],
    ["change a key with a higher role", "owner", { ...valid, permissions: "Viewer" }],
  ] as const)("an Admin cannot %s", async (_, changed, json) => {
    const api = openApi();
    const { id, keys } = await mintOrganization();
    const changedId = await keyIdOf(keys[changed]);
    const put = () => api.send("PUT", `${path}/${changedId}`, { key: keys.admin, json });
    expect(seen(await changingNothing(id, put))).toEqual(
      failed("auth_permission_denied", { required_role: "Owner", role: "Admin" }),
    );
  });

  test.each([
    ["DELETE", (id: string) => [`${path}/${id}`, undefined] as const],
    ["POST", (id: string) => [`${path}/bulk-delete`, [id]] as const],
    ["POST", (id: string) => [`${path}/${id}/rotate`, {}] as const],
  ])("an Admin cannot %s an Owner key (%#)", async (method, request) => {
    const api = openApi();
    const { id, keys } = await mintOrganization();
    await mintKey(id, { role: "Owner" });
    const [url, json] = request(await keyIdOf(keys.owner));
    const attempt = () => api.send(method, url, { key: keys.admin, json });
    expect(seen(await changingNothing(id, attempt))).toEqual(
      failed("auth_permission_denied", { required_role: "Owner", role: "Admin" }),
    );
  });
});

describe("a key that changes itself", () => {
  const own = async () => {
    const api = openApi();
    const organization = await mintOrganization();
    const { admin } = organization.keys;
    const id = await keyIdOf(admin);
    const put = (json: unknown) => api.send("PUT", `${path}/${id}`, { key: admin, json });
    return { api, ...organization, organizationId: organization.id, admin, id, put };
  };
  const json = { name: "Own", permissions: "Admin" };

  test("cannot disable or expire itself, since it could not then read the response", async () => {
    const { put, organizationId } = await own();
    const disabled = () => put({ ...json, is_enabled: false });
    expect(seen(await changingNothing(organizationId, disabled))).toEqual(
      invalidAt("body.is_enabled"),
    );
    const ended = () => put({ ...json, expires_at: "2026-01-02T03:04:05Z" });
    expect(seen(await changingNothing(organizationId, ended))).toEqual(
      invalidAt("body.expires_at"),
    );
  });

  test("can rename itself and lower its role", async () => {
    const { api, admin, put } = await own();
    const answer = await put({ ...json, permissions: "Viewer" });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { name: "Own", permissions: "Viewer" } },
    });
    expect((await whoami(api, admin)).status).toBe(200);
    expect((await put(json)).status).toBe(403);
  });

  test.each([[1], [0]])("can limit itself to %d networks", async (count) => {
    const { api, admin, networks, put } = await own();
    const network_ids = [networks[0].id].slice(0, count);
    expect(await put({ ...json, network_ids })).toMatchObject({
      status: 200,
      body: { data: { network_ids } },
    });
    expect(await whoami(api, admin)).toMatchObject({
      body: { data: { api_key: { network_ids } } },
    });
  });

  test.each(["DELETE", "POST"])("can delete itself: %s", async (method) => {
    const { api, admin, id } = await own();
    const [url, body] =
      method === "POST" ? [`${path}/bulk-delete`, [id]] : [`${path}/${id}`, undefined];
    expect((await api.send(method, url, { key: admin, json: body })).status).toBe(200);
    expect(seen(await whoami(api, admin))).toEqual(unauthorized("auth_not_authenticated"));
  });
});
