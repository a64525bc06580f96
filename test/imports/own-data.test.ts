import { expect, test } from "vitest";
import { invalidAt, seen } from "../helpers/answers.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { at, openImports } from "./helpers.ts";

/** Opens an empty network in an organization with tags of these names. */
async function openWithTags(...names: string[]) {
  const opened = await openImports();
  const ids: string[] = [];
  for (const name of names) {
    const answer = await opened.api.send("POST", "/api/v1/tags", {
      key: opened.organization.keys.admin,
      json: { name },
    });
    expect(answer.status).toBe(201);
    ids.push(Object(answer.body).data.id);
  }
  const tagsOf = async (id: string) => (await opened.read("hosts", id)).tags;
  return { ...opened, ids, tagsOf };
}

const own = { external_id: "asset-1", metadata: { rack: "A1" }, description: "In the cellar" };

test("an import sets a new host's external id, metadata, tags and description", async () => {
  const { take, list, ids } = await openWithTags("Printers", "Old");
  await take([at("10.0.0.1", { ...own, tags: ["printers", "Old", "PRINTERS"] })]);
  expect(await list("hosts")).toMatchObject([{ ...own, tags: ids.toSorted() }]);
});

test("an external id finds the host before an address does, and after an id", async () => {
  const { take } = await openImports();
  const { hosts } = await take([
    at("10.0.0.1", { external_id: "one" }),
    at("10.0.0.2", { external_id: "two" }),
  ]);
  const [one, two] = hosts.map(({ host_id }) => host_id);
  // The device that was known as `one` has moved to another address.
  const moved = await take([at("10.0.0.3", { external_id: "one" })]);
  expect(moved.hosts).toMatchObject([
    { host_id: one, matched_by: "external_id", outcome: "changed", issues: [] },
  ]);
  const other = await take([at("10.0.0.2", { external_id: "one" })], { query: "?dry_run=true" });
  expect(other.hosts).toMatchObject([{ host_id: one, matched_by: "external_id" }]);
  const byId = await take([at("10.0.0.2", { id: two, external_id: "one" })]);
  expect(byId.hosts).toMatchObject([
    {
      host_id: two,
      matched_by: "id",
      issues: [{ path: "hosts[0].external_id", code: "taken_external_id" }],
    },
  ]);
});

test("a host that is matched by its address gets the external id", async () => {
  const { take, read } = await openImports();
  const { hosts } = await take([at("10.0.0.1")]);
  const id = hosts[0]?.host_id ?? "";
  const again = await take([at("10.0.0.1", { external_id: "one" })]);
  expect(again.hosts).toMatchObject([{ host_id: id, matched_by: "address", outcome: "changed" }]);
  expect(await read("hosts", id)).toMatchObject({ external_id: "one" });
});

test("a repeated import changes nothing, and omitted or null values are kept", async () => {
  const { take, read, ids } = await openWithTags("Printers");
  const host = at("10.0.0.1", { ...own, tags: ["Printers"] });
  const { hosts } = await take([host]);
  const id = hosts[0]?.host_id ?? "";
  const stored = await read("hosts", id);
  const kept = { ...own, tags: ids, valid_from: stored.valid_from, updated_at: stored.updated_at };
  for (const sent of [host, at("10.0.0.1"), at("10.0.0.1", { metadata: null, tags: null })]) {
    expect(await take([sent])).toMatchObject({ counts: { unchanged: 1 } });
    expect(await read("hosts", id)).toMatchObject(kept);
  }
});

test("metadata and tags of an import replace those of the host, in one version", async () => {
  const { take, read, list, tagsOf, ids } = await openWithTags("One", "Two", "Three");
  const { hosts } = await take([at("10.0.0.1", { ...own, tags: ["One", "Two"] })]);
  const id = hosts[0]?.host_id ?? "";
  const before = await read("hosts", id);
  const changed = at("10.0.0.1", { metadata: { owner: "it" }, tags: ["Two", "Three"] });
  const dry = await take([changed], { query: "?dry_run=true" });
  expect(dry.counts).toMatchObject({ changed: 1 });
  expect(await read("hosts", id)).toEqual(before);
  expect((await take([changed])).counts).toMatchObject({ changed: 1 });
  expect(await read("hosts", id)).toMatchObject({
    external_id: "asset-1",
    metadata: { owner: "it" },
  });
  expect(await tagsOf(id)).toEqual([ids[1], ids[2]].toSorted());
  expect(await list("hosts", { at: before.valid_from })).toMatchObject([
    { metadata: { rack: "A1" } },
  ]);
  expect((await take([at("10.0.0.1", { tags: [] })])).counts).toMatchObject({ changed: 1 });
  expect(await tagsOf(id)).toEqual([]);
});

test("an unknown tag is an error with its path, and nothing is imported", async () => {
  const { post, list } = await openWithTags("Printers");
  const hosts = [
    at("10.0.0.1", { tags: ["Printers"] }),
    at("10.0.0.2", { tags: ["Printers", "x"] }),
  ];
  for (const query of ["", "?dry_run=true"]) {
    expect(seen(await post({ hosts }, query))).toMatchObject(invalidAt("body.hosts[1].tags[1]"));
  }
  expect(await list("hosts")).toEqual([]);
});

test("the second of two hosts with the same external id fails", async () => {
  const { take } = await openImports();
  const result = await take([
    at("10.0.0.1", { external_id: "one" }),
    at("10.0.0.2", { external_id: "one" }),
  ]);
  expect(result).toMatchObject({
    counts: { created: 1, failed: 1 },
    hosts: [
      { outcome: "created", issues: [] },
      { outcome: "failed", issues: [{ path: "hosts[1].external_id" }] },
    ],
  });
});

test("invalid values are ignored with an issue, and do not remove stored ones", async () => {
  const { take, read, ids } = await openWithTags("Printers");
  const { hosts } = await take([at("10.0.0.1", { ...own, tags: ["Printers"] })]);
  const id = hosts[0]?.host_id ?? "";
  const invalid = {
    external_id: "x".repeat(201),
    metadata: { rack: "A2", "not a key": "x" },
    tags: ["Printers", 7],
  };
  const again = await take([at("10.0.0.1", invalid)]);
  expect(again.hosts[0]?.issues.map(({ path }) => path).toSorted()).toEqual([
    "hosts[0].external_id",
    "hosts[0].metadata.not a key",
    "hosts[0].tags[1]",
  ]);
  expect(await read("hosts", id)).toMatchObject({ ...own, tags: ids });
});

test.each([
  ["a forbidden character", "asset\u0000-1"],
  ["a lone surrogate", "asset-1\ud800"],
  ["a tab", "asset\t-1"],
])(
  "an external id with %s is ignored rather than repaired, since it would be another id",
  async (_, external_id) => {
    const { take, list } = await openImports();
    await take([at("10.0.0.1", { external_id: "asset-1" })]);
    const { hosts } = await take([at("10.0.0.2", { external_id })]);
    expect(hosts).toMatchObject([
      { outcome: "created", matched_by: null, issues: [{ path: "hosts[0].external_id" }] },
    ]);
    expect((await list("hosts")).map((host) => host.external_id).toSorted()).toEqual([
      "asset-1",
      null,
    ]);
  },
);

test("an external id of a host that the key cannot access is ignored, and the rest is imported", async () => {
  const organization = await mintOrganization();
  const opened = await openInventory({}, organization);
  await opened.create("hosts", { name: "A", external_id: "taken" });
  const [, { id: network_id }] = organization.networks;
  const key = await mintKey(organization.id, { role: "Member" }, [network_id]);
  const hosts = [
    at("10.0.0.1", { external_id: "taken", metadata: { rack: "A1" } }),
    at("10.0.0.2", { external_id: "free" }),
  ];
  for (const query of ["?dry_run=true", "", ""]) {
    const path = `/api/v1/networks/${network_id}/imports${query}`;
    expect(await opened.api.send("POST", path, { key, json: { hosts } })).toMatchObject({
      status: 200,
      body: {
        data: {
          counts: { failed: 0 },
          hosts: [
            {
              issues: [
                {
                  path: "hosts[0].external_id",
                  code: "taken_external_id",
                  message:
                    "is ignored, since it is the external id of a host that your key cannot access",
                },
              ],
            },
            { issues: [] },
          ],
        },
      },
    });
  }
  const { body } = await opened.api.send("GET", "/api/v1/hosts?order_by=name", { key });
  expect(Object(body).data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ external_id: null, metadata: { rack: "A1" } }),
      expect.objectContaining({ external_id: "free" }),
    ]),
  );
});
