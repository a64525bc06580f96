import { describe, expect, test } from "vitest";
import { failed, invalidAt, listed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const path = "/api/v1/daemons";
const url = "https://daemon.example.com:60073/base";

async function open() {
  const api = openApi();
  const organization = await mintOrganization();
  const { id: organizationId, keys, networks } = organization;
  const id = await mintDaemon(organizationId, networks[0].id, { url, name: "attic" });
  const valid = { name: "attic", network_id: networks[0].id, url };
  const put = (json: unknown, key = keys.member, headers: Record<string, string> = {}) =>
    api.send("PUT", `${path}/${id}`, { key, json, headers });
  return { api, ...organization, organizationId, id, valid, put };
}

describe("PUT", () => {
  test("replaces the name, path and tags in one call, and removes omitted tags", async () => {
    const { api, tags, valid, put } = await open();
    const json = {
      ...valid,
      name: "loft",
      url: "https://daemon.example.com:60073/other",
      tags: [...tags].sort(),
    };
    expect(await put(json)).toMatchObject({ status: 200, body: { data: json } });
    expect(await api.calls()).toBe(1);
    expect(await put(valid)).toMatchObject({ body: { data: { ...valid, tags: [] } } });
  });

  test("accepts a whole record that is sent back as it was read", async () => {
    const { api, id, keys, put } = await open();
    const { body } = await api.send("GET", `${path}/${id}`, { key: keys.viewer });
    expect((await put(Object(body).data)).status).toBe(200);
  });

  test("rejects a change to the network", async () => {
    const { organizationId, networks, valid, put } = await open();
    const moved = () => put({ ...valid, network_id: networks[1].id });
    expect(seen(await changingNothing(organizationId, moved))).toEqual(
      invalidAt("body.network_id"),
    );
  });

  test.each([
    "http://daemon.example.com:60073/base",
    "https://other.example.com:60073/base",
    "https://daemon.example.com/base",
    "https://daemon.example.com:60074/base",
    "https://daemon.example.com.:60073/base",
    "https://daemon.example.com:60073.evil.example/base",
  ])("rejects a change to another origin: %s", async (other) => {
    const { organizationId, valid, put } = await open();
    const moved = () => put({ ...valid, url: other });
    expect(seen(await changingNothing(organizationId, moved))).toEqual(invalidAt("body.url"));
  });

  test("accepts the same origin in another notation", async () => {
    const { valid, put } = await open();
    const spelled = await put({ ...valid, url: "HTTPS://DAEMON.example.com:60073/new" });
    expect(spelled).toMatchObject({
      status: 200,
      body: { data: { url: "https://daemon.example.com:60073/new" } },
    });
  });

  // Before the service normalized URLs, it stored them as operators wrote them.
  test.each([
    ["https://daemon.example.com:443", "https://daemon.example.com/new"],
    ["http://daemon.example.com:80/", "http://daemon.example.com/"],
    ["HTTPS://Daemon.Example.com", "https://daemon.example.com/"],
  ])("a daemon stored with the URL %s keeps its origin", async (stored, sent) => {
    const { api, organizationId, keys, networks } = await open();
    const id = await mintDaemon(organizationId, networks[0].id, { url: stored });
    const json = { name: "loft", network_id: networks[0].id, url: sent };
    expect(await api.send("PUT", `${path}/${id}`, { key: keys.member, json })).toMatchObject({
      status: 200,
    });
  });

  test("rejects another organization's tag", async () => {
    const { organizationId, tags, valid, put } = await open();
    const other = await mintOrganization();
    const attempt = () => put({ ...valid, tags: [tags[0], other.tags[0]] });
    expect(seen(await changingNothing(organizationId, attempt))).toEqual(
      failed("entity_reference_invalid", { entity: "Tag", field: "body.tags", id: other.tags[0] }),
    );
  });

  test("If-Match rejects the second of two writers with the same ETag", async () => {
    const { api, id, keys, valid, put } = await open();
    const read = await api.send("GET", `${path}/${id}`, { key: keys.viewer });
    const headers = { "If-Match": read.headers.get("etag") ?? "" };
    const first = await put({ ...valid, name: "First" }, keys.member, headers);
    const etag = first.headers.get("etag") ?? "";
    expect(first.status).toBe(200);
    expect(seen(await put({ ...valid, name: "Second" }, keys.member, headers))).toEqual(
      failed("precondition_failed", { etag }),
    );
  });
});

describe("deletion", () => {
  test("removes the token and the tags, but keeps the host and the history", async () => {
    const { api, organizationId, id, keys, tags, valid, put } = await open();
    await put({ ...valid, tags });
    const [before] =
      await sql`select count(*)::int from hosts where organization_id = ${organizationId}`;
    expect(await api.send("DELETE", `${path}/${id}`, { key: keys.member })).toMatchObject({
      status: 200,
      body: { data: {} },
    });
    expect(
      await sql`select daemon_id from daemon_secrets where daemon_id = ${id}
      union all select daemon_id from daemon_tags where daemon_id = ${id}`,
    ).toEqual([]);
    expect(
      await sql`select count(*)::int from hosts where organization_id = ${organizationId}`,
    ).toEqual([before]);
    expect(seen(await api.send("DELETE", `${path}/${id}`, { key: keys.member }))).toEqual(
      failed("entity_not_found", { entity: "Daemon", id }),
    );
  });

  test("a bulk delete skips ids that the caller cannot see", async () => {
    const { api, organizationId, id, keys, networks } = await open();
    const other = await mintOrganization();
    const foreign = await mintDaemon(other.id, other.networks[0].id);
    const second = await mintDaemon(organizationId, networks[1].id);
    const json = [id, second, foreign, crypto.randomUUID()];
    expect(await api.send("POST", `${path}/bulk-delete`, { key: keys.member, json })).toMatchObject(
      {
        status: 200,
        body: { data: { requested_count: 4, deleted_count: 2 } },
      },
    );
    expect(await sql`select id from daemons where id = any(${json}::uuid[])`).toEqual([
      { id: foreign },
    ]);
  });
});

test("a key limited to specific networks can change and delete only daemons on those networks, and gets 404 for all others", async () => {
  const { api, organizationId, id, networks, valid } = await open();
  const beyond = await mintDaemon(organizationId, networks[1].id, { url });
  const key = await mintKey(organizationId, { role: "Member" }, [networks[0].id]);
  const missing = failed("entity_not_found", { entity: "Daemon", id: beyond });
  const json = { ...valid, network_id: networks[1].id };
  const refused = async (method: string, rest = "", sent: unknown = undefined) =>
    seen(
      await changingNothing(organizationId, () =>
        api.send(method, `${path}/${beyond}${rest}`, { key, json: sent }),
      ),
    );
  expect(await refused("GET")).toEqual(missing);
  expect(await refused("PUT", "", json)).toEqual(missing);
  expect(await refused("DELETE")).toEqual(missing);
  expect(await refused("POST", "/retry-connection")).toEqual(missing);
  const renamed = await api.send("PUT", `${path}/${id}`, { key, json: { ...valid, name: "loft" } });
  expect(renamed).toMatchObject({ status: 200, body: { data: { name: "loft" } } });
  const deleted = await api.send("POST", `${path}/bulk-delete`, { key, json: [id, beyond] });
  expect(deleted).toMatchObject({ body: { data: { requested_count: 2, deleted_count: 1 } } });
});

test("tag_ids matches daemons with any of the tags, and can be combined with other filters", async () => {
  const { api, organizationId, id, keys, networks, tags, valid, put } = await open();
  await put({ ...valid, tags: [tags[0], tags[1]] });
  const second = await mintDaemon(organizationId, networks[1].id, { name: "cellar" });
  await mintDaemon(organizationId, networks[1].id, { name: "untagged" });
  await api.send("PUT", "/api/v1/tags/assign", {
    key: keys.member,
    json: { entity_type: "Daemon", entity_id: second, tag_ids: [tags[1]] },
  });
  const ids = async (query: string) => {
    const { body } = await api.send("GET", `${path}?order_by=name&${query}`, { key: keys.viewer });
    return listed(body).map((daemon) => daemon.id);
  };
  expect(await ids(`tag_ids=${tags[0]}`)).toEqual([id]);
  expect(await ids(`tag_ids=${tags[0]}&tag_ids=${tags[1]}`)).toEqual([id, second]);
  expect(await ids(`tag_ids=${tags[1]}&network_id=${networks[1].id}`)).toEqual([second]);
  expect(await ids(`tag_ids=${crypto.randomUUID()}`)).toEqual([]);
});
