import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { openApi } from "../helpers/api.ts";
import { becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import { foldAll, foldOnce } from "../helpers/fold.ts";
import { type Inventory, inventoryCollections, openInventory } from "../helpers/inventory.ts";
import { mintKey, mintNetwork, mintOrganization } from "../helpers/organization.ts";
import { miscounted, recountRecords } from "../helpers/record-counts.ts";

const api = openApi();

const pageSchema = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ pagination: z.object({ total_count: z.int() }) }),
});

/** The `total_count` of every list, and the number of records in it. */
async function totals(key: string, query = "") {
  const pages = inventoryCollections.map(async (name) => {
    const { body } = await api.send("GET", `/api/v1/${name}?limit=1000${query}`, { key });
    const { data, meta } = pageSchema.parse(body);
    return { name, listed: data.length, total: meta.pagination.total_count };
  });
  return await Promise.all(pages);
}

const deltasOf = (organization_id: string) => sql`
  select kind, network_id, change, is_folded from count_deltas
  where organization_id = ${organization_id} order by kind, network_id, change`;

/**
 * The totals must equal the lengths of the lists, and the sums must equal the numbers of live rows.
 */
async function expectExact({ organization }: Inventory, query = "") {
  for (const { name, listed, total } of await totals(organization.keys.viewer, query)) {
    expect({ name, total }).toEqual({ name, total: listed });
  }
  expect(await sql.query(miscounted, [organization.id])).toEqual([]);
}

const host = (address: number, ports = [22, 443]) => ({
  name: `host ${address}`,
  ip_addresses: [{ ip_address: `192.0.2.${address}` }],
  ports: ports.map((number) => ({ number, protocol: "Tcp" })),
});

let inventory: Inventory;

beforeEach(async () => {
  inventory = await openInventory();
});

test("total_count is exact after every write", async () => {
  const { create, remove, replace, send, organization, network_id } = inventory;
  const step = async (write: () => Promise<unknown>, query?: string) => {
    await write();
    await expectExact(inventory, query);
  };
  const ofNetwork = `&network_id=${network_id}`;
  const [first, second] = [await create("hosts", host(1)), await create("hosts", host(2, [80]))];
  await step(() => replace("hosts", first.id, host(1, [22])), ofNetwork);
  await step(() => create("subnets", { name: "Subnet", cidr: "192.0.2.0/24" }));
  await step(async () => {
    const report = {
      hosts: [1, 9].map((address) => ({
        addresses: [{ ip_address: `192.0.2.${address}` }],
        ports: [{ number: 8080, protocol: "Tcp" }],
      })),
    };
    const answer = await send("POST", `networks/${network_id}/imports`, report);
    expect(answer, answer.text).toMatchObject({ status: 200 });
  }, ofNetwork);
  const { id: service_id } = await create("services", {
    host_id: first.id,
    name: "Web",
    service_definition: "HTTP",
  });
  const [address] = (await inventory.read("hosts", first.id)).ip_addresses;
  await step(() =>
    create("bindings", { type: "IPAddress", service_id, ip_address_id: address?.id }),
  );
  await step(async () => {
    const answer = await send("PUT", `hosts/${first.id}/consolidate/${second.id}`);
    expect(answer, answer.text).toMatchObject({ status: 200 });
  });
  await step(() => remove("hosts", first.id), ofNetwork);
  await step(async () => {
    const key = organization.keys.owner;
    const answer = await api.send("DELETE", `/api/v1/networks/${network_id}?cascade=true`, { key });
    expect(answer).toMatchObject({ status: 200 });
  });
});

test("a failed request does not change the counts", async () => {
  const { create, send, organization } = inventory;
  await create("hosts", host(1));
  const before = await deltasOf(organization.id);
  expect(await send("POST", "hosts/bulk", [host(2), host(3, [22, 22])])).toMatchObject({
    status: 400,
  });
  expect(await deltasOf(organization.id)).toEqual(before);
});

test("an update that does not move a record does not write a row", async () => {
  const { create, send, organization } = inventory;
  const { id } = await create("hosts", host(1));
  const before = await deltasOf(organization.id);
  expect(await send("PATCH", `hosts/${id}`, { name: "renamed" })).toMatchObject({ status: 200 });
  expect(await deltasOf(organization.id)).toEqual(before);
});

test("a record that the owner moves to another network is counted there", async () => {
  const { id, networks } = await mintOrganization();
  const [from, to] = networks;
  await sql`update ports set host_id = ${to.host_id}, network_id = ${to.id}, number = 8443
    where id = ${from.port_id}`;
  const sums = await sql`
    select network_id, sum(change)::int as sum from count_deltas
    where organization_id = ${id} and kind = 'ports' group by network_id`;
  expect(new Map(sums.map(({ network_id, sum }) => [network_id, sum]))).toEqual(
    new Map([
      [from.id, 0],
      [to.id, 2],
    ]),
  );
  expect(await sql.query(miscounted, [id])).toEqual([]);
});

test("total_count covers only the networks of a limited key", async () => {
  const { id, networks } = await mintOrganization();
  const [first] = networks;
  const key = await mintKey(id, {}, [first.id]);
  const ports = async (query: string) =>
    (await totals(key, query)).find(({ name }) => name === "ports");
  expect(await ports("")).toMatchObject({ listed: 1, total: 1 });
  expect(await ports(`&network_id=${networks[1].id}`)).toMatchObject({ listed: 0, total: 0 });
});

test("a key sees only the rows of its organization and its networks", async () => {
  const [own, other] = [await mintOrganization(), await mintOrganization()];
  const visible = async (key: string) => {
    const [, rows] = await sql.transaction([
      enter(key),
      sql`select distinct organization_id, network_id from count_deltas`,
    ]);
    return new Set(
      rows?.map(({ organization_id, network_id }) => `${organization_id} ${network_id}`),
    );
  };
  const all = own.networks.map((network) => `${own.id} ${network.id}`);
  expect(await visible(own.keys.owner)).toEqual(new Set(all));
  expect(await visible(await mintKey(own.id, {}, [own.networks[0].id]))).toEqual(
    new Set(all.slice(0, 1)),
  );
  expect(await visible(await mintKey(own.id, {}, []))).toEqual(new Set());
  expect(await deltasOf(other.id)).not.toEqual([]);
});

test.each(["inventory_api", "inventory_poller", "inventory_ingest"])(
  "%s cannot write counts",
  async (role) => {
    for (const write of [
      "insert into count_deltas (organization_id, kind, network_id, change) select gen_random_uuid(), 'hosts', gen_random_uuid(), 1",
      "update count_deltas set change = 1",
      "delete from count_deltas",
      "truncate count_deltas",
    ]) {
      const refused = sql.transaction([sql.query(`set local role ${role}`), sql.query(write)]);
      expect(await refusalOf(refused)).toMatchObject({ code: "42501" });
    }
  },
);

test("callers cannot fold counts", async () => {
  const refused = sql.transaction([becomeApi(), sql`select app.fold_count_deltas(1)`]);
  expect(await refusalOf(refused)).toMatchObject({ code: "42501" });
});

test("deleting an organization deletes its counts", async () => {
  const { id } = await mintOrganization();
  expect(await deltasOf(id)).not.toEqual([]);
  await sql`delete from organizations where id = ${id}`;
  expect(await deltasOf(id)).toEqual([]);
});

test("folding leaves one row for each kind and network with records", async () => {
  const { organization, network_id, create, remove } = inventory;
  await foldAll();
  const { id } = await create("hosts", host(1));
  await create("hosts", host(2));
  await foldAll();
  const folded = { network_id, is_folded: true };
  const ofNetwork = async () =>
    (await deltasOf(organization.id)).filter((row) => row["network_id"] === network_id);
  expect(await ofNetwork()).toEqual([
    { kind: "hosts", change: 2, ...folded },
    { kind: "ip_addresses", change: 2, ...folded },
    { kind: "ports", change: 4, ...folded },
  ]);
  await expectExact(inventory);
  await remove("hosts", id);
  await foldAll();
  expect(await ofNetwork()).toEqual([
    { kind: "hosts", change: 1, ...folded },
    { kind: "ip_addresses", change: 1, ...folded },
    { kind: "ports", change: 2, ...folded },
  ]);
  await expectExact(inventory);
});

test("folding does not keep sums of zero", async () => {
  const { organization, network_id, create, remove } = inventory;
  const { id } = await create("hosts", host(1));
  await foldAll();
  await remove("hosts", id);
  await foldAll();
  const rows = await deltasOf(organization.id);
  expect(rows.filter((row) => row["network_id"] === network_id)).toEqual([]);
});

test("one call folds at most the given number of rows", async () => {
  await foldAll();
  const { id } = await mintOrganization();
  const unfolded = async () =>
    (await deltasOf(id)).filter((row) => row["is_folded"] === false).length;
  const count = await unfolded();
  expect(count).toBeGreaterThan(3);
  expect(await foldOnce(3)).toBe(3);
  expect(await unfolded()).toBe(count - 3);
  await mintNetwork(id);
  await foldAll();
  expect(await unfolded()).toBe(0);
  expect(await sql.query(miscounted, [id])).toEqual([]);
});

test("counting all records again yields the same sums", async () => {
  const { organization, create } = inventory;
  await create("hosts", host(1));
  await sql.query(recountRecords, [organization.id]);
  await expectExact(inventory);
});
