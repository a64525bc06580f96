import { beforeEach, expect, inject, test } from "vitest";
import { enter, sql } from "../helpers/database.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

let inventory: Inventory;

beforeEach(async () => {
  inventory = await openInventory();
});

/** Adds the given number of versions to the counter for an hour in the past. */
const count = (versions: number, hoursAgo = 0, { id } = inventory.organization) => sql`
  insert into app.version_counters (organization_id, hour, versions)
  values (${id}, date_trunc('hour', now(), 'UTC') - make_interval(hours => ${hoursAgo}), ${versions})`;

const counted = async ({ id } = inventory.organization) => {
  const [row] = await sql`select app.counted_versions(${id})::int as versions`;
  return row?.["versions"];
};

const maximum = 1_000_000;

/** The error for a rejected change, with the time to wait. */
const refusal = {
  status: 429,
  body: {
    code: "rate_limit_exceeded",
    error: expect.stringMatching(/wait \d+ seconds? before the next change.*deletions still work/),
    params: { limit: "versions_of_organization", retry_after_seconds: expect.any(Number) },
  },
};

const host = (values: object = {}) => ({
  name: "web",
  network_id: inventory.network_id,
  ...values,
});

test("the daily maximum is one million versions", async () => {
  expect(await sql`select app.maximum_versions_of_day()::int as maximum`).toEqual([{ maximum }]);
});

test("rejects creations and changes beyond the daily maximum number of versions", async () => {
  const { organization, send, create } = inventory;
  const { id } = await create("hosts", host());
  const { id: known } = await create("hosts", host({ external_id: "known" }));
  const subnet = { name: "Office", cidr: "10.0.0.0/24", network_id: inventory.network_id };
  await count(maximum);
  await changingNothing(organization.id, async () => {
    for (const answer of [
      await send("PUT", `hosts/${id}`, host({ name: "other" })),
      await send("POST", "hosts", host()),
      await send("POST", "hosts/bulk", [host()]),
      await send("PUT", "hosts/by-external-id/new", host()),
      await send("PUT", "hosts/by-external-id/known", host({ name: "other" })),
      await send("PATCH", "hosts/bulk", [
        { id, hidden: true },
        { id: known, name: "other" },
      ]),
      await send("POST", "subnets", subnet),
      await send("POST", "ports", { host_id: id, number: 80, protocol: "Tcp" }),
      await send("POST", `networks/${inventory.network_id}/imports`, {
        hosts: [{ addresses: [{ ip_address: "10.0.0.1" }] }],
      }),
    ]) {
      expect(answer).toMatchObject(refusal);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(23 * 3600);
      expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(24 * 3600);
    }
  });
  expect(await counted()).toBeGreaterThanOrEqual(maximum);
});

test("accepts reads, deletions, tag removals and unchanged values beyond the daily maximum number of versions", async () => {
  const { api, organization, send, create, remove, list, network_id } = inventory;
  const [firstTag, secondTag] = organization.tags;
  const own = { tags: organization.tags, external_id: "kept" };
  const kept = await create("hosts", host(own));
  const subnet = await create("subnets", { name: "Office", cidr: "10.0.0.0/24", tags: [firstTag] });
  const gone = await create("hosts", host({ ip_addresses: [{ ip_address: "10.0.0.7" }] }));
  const port = await create("ports", { host_id: gone.id, number: 80, protocol: "Tcp" });
  await count(maximum);
  const assign = (tag_ids: readonly unknown[]) =>
    send("PUT", "tags/assign", { entity_type: "Host", entity_id: kept.id, tag_ids });
  const bulk = (way: "add" | "remove", tag_id: unknown) =>
    send("POST", `tags/assign/bulk-${way}`, { entity_type: "Host", entity_ids: [kept.id], tag_id });
  for (const asBefore of [
    await send("PUT", `hosts/${kept.id}`, host(own)),
    await send("PUT", "hosts/by-external-id/kept", host(own)),
    await send("PATCH", "hosts/bulk", [{ id: kept.id, ...own }]),
    await assign(organization.tags),
    await bulk("add", firstTag),
  ]) {
    expect(asBefore).toMatchObject({ status: 200 });
  }
  expect(await list("hosts", { ids: kept.id })).toMatchObject([
    { tags: organization.tags.toSorted() },
  ]);
  for (const takenOff of [
    await bulk("remove", firstTag),
    await assign([]),
    await api.send("DELETE", `/api/v1/tags/${firstTag}`, { key: organization.keys.admin }),
    await send("PUT", "tags/assign", {
      entity_type: "Network",
      entity_id: network_id,
      tag_ids: [secondTag],
    }),
  ]) {
    expect(takenOff).toMatchObject({ status: 200 });
  }
  expect(await list("hosts", { ids: kept.id })).toMatchObject([{ tags: [] }]);
  expect(await list("subnets")).toMatchObject([{ tags: [] }]);
  await remove("ports", port.id);
  await remove("subnets", subnet.id);
  await remove("hosts", gone.id);
  expect(await list("hosts")).toMatchObject([{ id: kept.id }]);
});

test("rejects every request that adds a tag to an inventory record beyond the daily maximum number of versions", async () => {
  const { organization, send, create, network_id } = inventory;
  const [tag] = organization.tags;
  const subnetValues = { name: "Office", cidr: "10.0.0.0/24", network_id };
  const subnet = await create("subnets", subnetValues);
  const { id: host_id } = await create("hosts", host());
  const serviceValues = { host_id, name: "web", service_definition: "HTTP" };
  const service = await create("services", serviceValues);
  await count(maximum);
  const tagged = { tags: [tag] };
  await changingNothing(organization.id, async () => {
    for (const answer of [
      await send("PUT", `hosts/${host_id}`, host(tagged)),
      await send("PUT", `subnets/${subnet.id}`, { ...subnetValues, ...tagged }),
      await send("PUT", `services/${service.id}`, { ...serviceValues, ...tagged }),
      await send(
        "PUT",
        `hosts/${host_id}`,
        host({ services: [{ id: service.id, ...serviceValues, ...tagged }] }),
      ),
    ]) {
      expect(answer).toMatchObject(refusal);
    }
    for (const [entity_type, entity_id] of [
      ["Host", host_id],
      ["Subnet", subnet.id],
      ["Service", service.id],
    ]) {
      expect(
        await send("PUT", "tags/assign", { entity_type, entity_id, tag_ids: [tag] }),
      ).toMatchObject(refusal);
      expect(
        await send("POST", "tags/assign/bulk-add", {
          entity_type,
          entity_ids: [entity_id],
          tag_id: tag,
        }),
      ).toMatchObject(refusal);
    }
  });
});

test("a tag counts when it is added to a record, but not when it is removed and kept in history", async () => {
  const { organization, send, create } = inventory;
  const { id: entity_id } = await create("hosts", host());
  const tags = await sql`insert into tags (organization_id, name)
    select ${organization.id}, number from generate_series(1, 1000) as number returning id`;
  const assign = async (tag_ids: unknown[]) =>
    expect(
      await send("PUT", "tags/assign", { entity_type: "Host", entity_id, tag_ids }),
    ).toMatchObject({ status: 200 });
  const before = Number(await counted());
  let ofTags = 0;
  for (let round = 0; round < 3; round++) {
    await assign(tags.map(({ id }) => id));
    ofTags = Number(await counted()) - before;
    await assign([]);
    expect(await counted()).toBe(before + ofTags);
  }
  expect(
    await sql`select count(*)::int from closed_host_tags where organization_id = ${organization.id}`,
  ).toEqual([{ count: 3000 }]);
  // With 3,000 tags, the probability of fewer than two samples is 1 in 100 billion, and more than
  // 80 samples are practically impossible.
  expect(ofTags % 100).toBe(0);
  expect(ofTags).toBeGreaterThanOrEqual(200);
  expect(ofTags).toBeLessThan(8000);
});

test("counts versions per organization", async () => {
  await count(maximum, 0, await mintOrganization());
  await inventory.create("hosts", host());
});

test("an hour counts until 24 hours after its start, and Retry-After waits until enough hours have expired", async () => {
  const { send } = inventory;
  await count(maximum, 24);
  expect(await send("POST", "hosts", host())).toMatchObject({ status: 201 });
  await count(1000, 23);
  await count(maximum, 3);
  const answer = await send("POST", "hosts", host());
  expect(answer).toMatchObject(refusal);
  // The expiry of the first hour alone is not enough.
  const seconds = Number(answer.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(20 * 3600);
  expect(seconds).toBeLessThanOrEqual(21 * 3600);
});

test("samples one in a hundred versions from every writer except the database owner, and does not count closed versions", async () => {
  const { organization, send, network_id, list } = inventory;
  expect(await counted()).toBe(0);
  const hosts = Array.from({ length: 500 }, (_, number) => ({
    name: `host ${number}`,
    addresses: [{ ip_address: `10.${number >> 8}.${number & 255}.1` }],
    ports: [{ number: 80, protocol: "Tcp", service: { name: "web" } }],
  }));
  expect(await send("POST", `networks/${network_id}/imports`, { hosts })).toMatchObject({
    status: 200,
  });
  // With 2,500 versions, the probability of fewer than two samples is 1 in a billion, and more than
  // 80 samples are practically impossible.
  const ofImport = Number(await counted());
  expect(ofImport % 100).toBe(0);
  expect(ofImport).toBeGreaterThanOrEqual(200);
  expect(ofImport).toBeLessThan(8000);
  await sql`update hosts set description = 'of the owner' where organization_id = ${organization.id}`;
  expect(
    await send(
      "POST",
      "hosts/bulk-delete",
      (await list("hosts", { limit: "1000" })).map(({ id }) => id),
    ),
  ).toMatchObject({ status: 200 });
  expect(await counted()).toBe(ofImport);
});

test("SQL statements cannot influence which versions are counted", async () => {
  const { organization, create } = inventory;
  const hosts = [];
  for (const name of ["a", "b", "c"]) {
    hosts.push((await create("hosts", host({ name }))).id);
  }
  await sql`insert into tags (organization_id, name)
    select ${organization.id}, number from generate_series(1, 1000) as number`;
  const before = Number(await counted());
  // With the same seed each time, random() would return the same number for all of them.
  await sql.transaction([
    enter(organization.keys.owner),
    sql`insert into host_tags (organization_id, host_id, tag_id)
      select ${organization.id}, seeded.host_id, seeded.id
      from (
        select tags.id, tagged.host_id, setseed(0.5)::text as seed
        from tags, unnest(${hosts}::uuid[]) as tagged (host_id)) as seeded
      where seeded.seed = ''`,
  ]);
  expect(Number(await counted()) - before).toBeGreaterThanOrEqual(200);
});

test("counts each address that a changed subnet loses, but no addresses of a deleted subnet", async () => {
  const { create, send, remove } = inventory;
  const subnet = await create("subnets", { name: "Office", cidr: "10.0.0.0/24" });
  const ip_addresses = Array.from({ length: 30 }, (_, number) => ({
    ip_address: `10.0.0.${number}`,
    subnet_id: subnet.id,
  }));
  await create("hosts", host({ ip_addresses }));
  const moved = { name: "Office", network_id: inventory.network_id, cidr: "10.0.1.0/24" };
  await count(maximum - 20);
  expect(await send("PUT", `subnets/${subnet.id}`, moved)).toMatchObject(refusal);
  await remove("subnets", subnet.id);
});

test.runIf(inject("isRealPostgres"))(
  "concurrent writers of one organization do not wait for each other's counters",
  async () => {
    const { id } = inventory.organization;
    const startedAt = Date.now();
    const holding = sql.transaction([
      sql`select app.count_versions(${id}, 100)`,
      sql`select pg_sleep(6)`,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await sql`select app.count_versions(${id}, 100)`;
    await sql`select app.count_versions(${id}, 100)`;
    await inventory.create("hosts", host());
    expect(Date.now() - startedAt).toBeLessThan(6000);
    await holding;
    const counters = await sql`select versions::int from app.version_counters
      where organization_id = ${id} order by versions`;
    expect(counters).toHaveLength(2);
  },
);
