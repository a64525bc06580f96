import { describe, expect, test } from "vitest";
import { openInventory, shifted } from "../helpers/inventory.ts";
import { mintKey } from "../helpers/organization.ts";

const kinds = [
  ["hosts", "Host"],
  ["services", "Service"],
  ["subnets", "Subnet"],
] as const;
type Collection = (typeof kinds)[number][0];

/**
 * Creates an organization with two tags and a record of each kind, and returns functions that
 * change and read the records' tags.
 */
async function open() {
  const inventory = await openInventory();
  const { organization, create, send, list, read } = inventory;
  const host = await create("hosts", { name: "nas" });
  const service = await create("services", { host_id: host.id, name: "web" });
  const subnet = await create("subnets", { cidr: "10.0.0.0/24" });
  const ids = { hosts: host.id, services: service.id, subnets: subnet.id };
  const succeed = async (method: string, path: string, json?: unknown) => {
    const key = organization.keys.admin;
    const answer = await inventory.api.send(method, `/api/v1/${path}`, { key, json });
    expect(answer, answer.text).toMatchObject({ status: 200 });
  };
  return {
    ...inventory,
    tags: organization.tags,
    ids,
    succeed,
    send,
    /** Replaces the tags of a record, and returns the timestamp of the change. */
    async set(name: Collection, entity_type: string, tag_ids: readonly string[]) {
      await succeed("PUT", "tags/assign", { entity_type, entity_id: ids[name], tag_ids });
      return (await read(name, ids[name])).updated_at;
    },
    /**
     * The tags of a record at an instant, which must be the same in a page and in the complete
     * list.
     */
    async tagsAt(name: Collection, at: string) {
      const [page] = await list(name, { at, ids: ids[name] });
      const [whole] = await list(name, { at, ids: ids[name], limit: "0" });
      expect(whole).toEqual(page);
      return page?.tags;
    },
    /** True if filtering by a tag lists the record at an instant. */
    isFound: async (name: Collection, at: string, tag_ids: string) =>
      (await list(name, { at, tag_ids })).length === 1,
  };
}

describe.each(kinds)("the tags of %s", (name, entityType) => {
  test("can be read by a key limited to the record's network after the record was deleted", async () => {
    const { tags, ids, set, organization, network_id, succeed, api } = await open();
    const tagged = await set(name, entityType, [tags[0]]);
    await succeed("DELETE", `${name}/${ids[name]}`);
    const key = await mintKey(organization.id, { role: "Viewer" }, [network_id]);
    for (const filter of ["", `&tag_ids=${tags[0]}`]) {
      expect(
        await api.send("GET", `/api/v1/${name}?at=${tagged}${filter}`, { key }),
        filter,
      ).toMatchObject({ body: { data: [{ tags: [tags[0]] }] } });
    }
  });

  test("can be read at each timestamp, to the millisecond", async () => {
    const { tags, ids, set, tagsAt, isFound, read } = await open();
    const [a, b] = tags;
    const created = await read(name, ids[name]);
    const first = await set(name, entityType, [a]);
    const second = await set(name, entityType, [b]);
    const third = await set(name, entityType, []);
    const fourth = await set(name, entityType, [a]);
    for (const [at, expected] of [
      [created.valid_from, []],
      [shifted(first, -1), []],
      [first, [a]],
      [shifted(second, -1), [a]],
      [second, [b]],
      [shifted(third, -1), [b]],
      [third, []],
      [shifted(fourth, -1), []],
      [fourth, [a]],
      ["9999-01-01T00:00:00Z", [a]],
    ] as const) {
      expect(await tagsAt(name, at), at).toEqual(expected);
      expect([await isFound(name, at, a), await isFound(name, at, b)], at).toEqual(
        [a, b].map((tag) => expected.some((one) => one === tag)),
      );
    }
    // Tag changes do not start a version.
    expect((await read(name, ids[name])).valid_from).toBe(created.valid_from);
  });

  test("can be read at an instant before the tag was deleted", async () => {
    const { tags, ids, set, succeed, tagsAt, isFound, read } = await open();
    const [a, b] = tags;
    const at = await set(name, entityType, [a, b]);
    await succeed("DELETE", `tags/${a}`);
    const { tags: now, updated_at } = await read(name, ids[name]);
    expect(now).toEqual([b]);
    expect(await tagsAt(name, at)).toEqual([a, b].sort());
    expect(await isFound(name, at, a)).toBe(true);
    expect(await tagsAt(name, shifted(updated_at, -1))).toEqual([a, b].sort());
    expect(await tagsAt(name, updated_at)).toEqual([b]);
  });

  test("can be read at an instant before the record was deleted", async () => {
    const { tags, ids, set, remove, tagsAt, isFound, list } = await open();
    const at = await set(name, entityType, [tags[0]]);
    await remove(name, ids[name]);
    const [last] = await list(name, { at, ids: ids[name] });
    expect(last?.tags).toEqual([tags[0]]);
    expect(await tagsAt(name, shifted(last?.valid_to ?? "", -1))).toEqual([tags[0]]);
    expect(await isFound(name, last?.valid_to ?? "", tags[0])).toBe(false);
  });
});

test("keeps the history of a tag that is added to and removed from many records at once", async () => {
  const { tags, create, succeed, list, read } = await open();
  const hosts = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => await create("hosts", { name: `host ${at}` })),
  );
  const change = { entity_type: "Host", entity_ids: hosts.map(({ id }) => id), tag_id: tags[0] };
  await succeed("POST", "tags/assign/bulk-add", change);
  const at = (await read("hosts", hosts[0]?.id ?? "")).updated_at;
  await succeed("POST", "tags/assign/bulk-remove", change);
  expect(await list("hosts", { at, tag_ids: tags[0] })).toHaveLength(20);
  expect(await list("hosts", { tag_ids: tags[0] })).toHaveLength(0);
  expect(await list("hosts", { at: shifted(at, -1), tag_ids: tags[0] })).toHaveLength(0);
});

test("a consolidated host gets the tags of the other host, which keeps its history", async () => {
  const { tags, create, succeed, list, read } = await open();
  const [a, b] = tags;
  const own = await create("hosts", { name: "own", tags: [a] });
  const other = await create("hosts", { name: "other", tags: [b] });
  await succeed("PUT", `hosts/${own.id}/consolidate/${other.id}`);
  const { updated_at } = await read("hosts", own.id);
  const at = async (instant: string) =>
    (await list("hosts", { at: instant, ids: own.id })).map((host) => host.tags);
  expect(await at(shifted(updated_at, -5))).toEqual([[a]]);
  expect(await at("9999-01-01T00:00:00Z")).toEqual([[a, b].sort()]);
  const before = { at: other.valid_from, ids: other.id };
  expect(await list("hosts", before)).toMatchObject([{ tags: [b] }]);
});

test("a past host has services with the tags that they had at that time", async () => {
  const { tags, ids, set, list } = await open();
  const first = await set("services", "Service", [tags[0]]);
  await set("services", "Service", [tags[1]]);
  for (const limit of ["50", "0"]) {
    const [host] = await list("hosts", { at: first, ids: ids.hosts, limit });
    expect(host?.services).toMatchObject([{ tags: [tags[0]] }]);
  }
});
