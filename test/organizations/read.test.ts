import { describe, expect, test } from "vitest";
import { failed, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";

const path = "/api/v1/organizations";

describe.each([
  ["without its id", () => path],
  ["by its id", (id: string) => `${path}/${id}`],
])("a key's organization, %s", (_, pathOf) => {
  test("is available to every role and to a key limited to specific networks, in one call", async () => {
    const { id, keys, networks } = await mintOrganization({ name: "Acme" });
    const limited = await mintKey(id, { role: "Member" }, [networks[0].id]);
    for (const key of [...Object.values(keys), limited]) {
      const api = openApi();
      const answer = await api.send("GET", pathOf(id), { key });
      expect(seen(answer)).toEqual(succeeded(expect.objectContaining({ id, name: "Acme" })));
      expect(answer.headers.get("etag")).toMatch(/^"[^"]+"$/);
      expect(await api.calls()).toBe(1);
    }
  });

  test("returns 304 for If-None-Match until something changes, including a milestone", async () => {
    const api = openApi();
    const { id, keys } = await mintOrganization();
    const get = (etag: string) =>
      api.send("GET", pathOf(id), { key: keys.viewer, headers: { "If-None-Match": etag } });
    const etagOf = async () =>
      (await api.send("GET", pathOf(id), { key: keys.viewer })).headers.get("etag") ?? "";
    const first = await etagOf();
    const unchanged = await get(first);
    expect(unchanged).toMatchObject({ status: 304, text: "" });
    expect(unchanged.headers.get("etag")).toBe(first);
    expect((await get(`"other", W/${first}`)).status).toBe(304);
    expect((await get('"other"')).status).toBe(200);
    await api.send("PUT", `${path}/${id}`, { key: keys.owner, json: "After" });
    expect(await get(first)).toMatchObject({ status: 200, body: { data: { name: "After" } } });
    const second = await etagOf();
    await api.send("POST", "/api/v1/tags", { key: keys.admin, json: { name: "First" } });
    expect(await get(second)).toMatchObject({
      status: 200,
      body: { data: { onboarding: ["FirstTagCreated"] } },
    });
  });
});

test("returns 404 for another organization, as for an unknown one", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const other = await mintOrganization();
  for (const id of [other.id, crypto.randomUUID()]) {
    expect(seen(await api.send("GET", `${path}/${id}`, { key: keys.owner }))).toEqual(
      failed("entity_not_found", { entity: "Organization", id }),
    );
  }
});

describe("a rename with If-Match", () => {
  const rename = async (ifMatch: (current: string) => string) => {
    const api = openApi();
    const { id, keys } = await mintOrganization({ name: "Before" });
    const read = await api.send("GET", path, { key: keys.owner });
    const etag = read.headers.get("etag") ?? "";
    const headers = { "If-Match": ifMatch(etag) };
    const put = (json: string) =>
      api.send("PUT", `${path}/${id}`, { key: keys.owner, headers, json });
    const name = async () =>
      Object((await api.send("GET", path, { key: keys.owner })).body).data.name;
    return { etag, put, name };
  };

  test("succeeds only once with one ETag", async () => {
    const { etag, put, name } = await rename((current) => current);
    const first = await put("First");
    const renewed = first.headers.get("etag");
    expect(first.status).toBe(200);
    expect(renewed).not.toBe(etag);
    expect(seen(await put("Second"))).toEqual(failed("precondition_failed", { etag: renewed }));
    expect(await name()).toBe("First");
  });

  test.each([
    ["any", () => "*", 200],
    ["one of a list", (current: string) => `"other", ${current}`, 200],
    ["a weak tag", (current: string) => `W/${current}`, 412],
    ["another tag", () => '"other"', 412],
    ["an invalid tag", () => "other", 400],
  ])("with %s", async (_, ifMatch, status) => {
    const { put, name } = await rename(ifMatch);
    expect((await put("After")).status).toBe(status);
    expect(await name()).toBe(status === 200 ? "After" : "Before");
  });
});
