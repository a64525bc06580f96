import { beforeAll, describe, expect, test } from "vitest";
import {
  type Summary,
  summaryBounds,
  summarySchema,
} from "../../../src/inventory/summary/model.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import {
  type Inventory,
  inventoryCollections,
  mintEmptyNetwork,
  openInventory,
} from "../../helpers/inventory.ts";
import { mintKey } from "../../helpers/organization.ts";

/** A host with a service for each of its ports. */
const host = (
  name: string,
  last: number,
  numbers: readonly number[],
  services: readonly string[],
) => {
  const ports = numbers.map((number) => ({ id: crypto.randomUUID(), number, protocol: "Tcp" }));
  return {
    name,
    ip_addresses: [{ ip_address: `192.0.2.${last}` }],
    ports,
    interfaces: [{ if_index: 1 }],
    services: services.map((one, index) => ({
      name: one,
      bindings: [{ type: "Port", port_id: ports[index]?.id }],
    })),
  };
};

let inventory: Inventory;
let elsewhere: string;

const summary = async (query = "", key = inventory.organization.keys.viewer): Promise<Summary> => {
  const answer = await openApi().send("GET", `/api/v1/summary${query}`, { key });
  expect(answer).toMatchObject({ status: 200 });
  return summarySchema.parse((answer.body as { data: unknown }).data);
};

beforeAll(async () => {
  inventory = await openInventory();
  const { create, organization } = inventory;
  elsewhere = await mintEmptyNetwork(organization.id);
  await create("subnets", { cidr: "192.0.2.0/24", name: "Lab" });
  await create("hosts", host("one", 1, [22, 443], ["SSH", "Nginx"]));
  await create("hosts", host("two", 2, [22], ["SSH"]));
  await create("hosts", { ...host("three", 3, [22], ["SSH"]), network_id: elsewhere });
});

describe("a summary", () => {
  test("has the same counts as the lists, for one network and for all", async () => {
    for (const query of ["", `?network_id=${inventory.network_id}`, `?network_id=${elsewhere}`]) {
      const { counts } = await summary(query);
      for (const name of inventoryCollections) {
        const path = `${name}${query === "" ? "?" : `${query}&`}limit=1`;
        const { body } = await inventory.send("GET", path);
        const { total_count } = (body as { meta: { pagination: { total_count: number } } }).meta
          .pagination;
        expect([name, counts[name === "ip-addresses" ? "ip_addresses" : name]]).toEqual([
          name,
          total_count,
        ]);
      }
    }
  });

  test("lists the most frequent values first", async () => {
    expect(await summary(`?network_id=${inventory.network_id}`)).toMatchObject({
      network_id: inventory.network_id,
      hosts_seen: { last_day: 2, last_week: 2, last_month: 2, stale: 0 },
      services: [
        { service_definition: "SSH", count: 2 },
        { service_definition: "Nginx", count: 1 },
      ],
      subnets: [{ name: "Lab", cidr: "192.0.2.0/24", hosts: 2, ip_addresses: 2 }],
      open_ports: [
        { number: 22, protocol: "Tcp", type: "Ssh", hosts: 2 },
        { number: 443, protocol: "Tcp", type: "Https", hosts: 1 },
      ],
    });
  });

  test("takes one call", async () => {
    const api = openApi();
    await api.send("GET", "/api/v1/summary", { key: inventory.organization.keys.viewer });
    expect(await api.calls()).toBe(1);
  });

  test("can be read at a past instant, but without the times at which hosts were seen", async () => {
    const { create, remove } = inventory;
    const added = await create("hosts", host("brief", 9, [9100], ["Exporter"]));
    const at = added.created_at;
    const { counts } = await summary(`?network_id=${inventory.network_id}`);
    await remove("hosts", added.id);
    const past = await summary(`?network_id=${inventory.network_id}&at=${at}`);
    expect(past).toMatchObject({ at, counts, hosts_seen: null });
    expect(past.open_ports).toContainEqual({
      number: 9100,
      protocol: "Tcp",
      type: "JetDirect",
      hosts: 1,
    });
    expect((await summary()).open_ports.map(({ number }) => number)).not.toContain(9100);
    expect((await summary("?at=2001-01-01T00:00:00Z")).counts.hosts).toBe(0);
  });

  test("counts only the networks of a limited key", async () => {
    const key = await mintKey(inventory.organization.id, { role: "Viewer" }, [elsewhere]);
    const { counts, services, open_ports, subnets } = await summary("", key);
    expect(counts).toMatchObject({ hosts: 1, ip_addresses: 1, ports: 1, services: 1, subnets: 0 });
    expect({ services, subnets, ports: open_ports.map(({ number }) => number) }).toEqual({
      services: [{ service_definition: "SSH", count: 1 }],
      subnets: [],
      ports: [22],
    });
    expect((await summary(`?network_id=${inventory.network_id}`, key)).counts.hosts).toBe(0);
  });

  test("lists at most the maximum number of values", async () => {
    const other = await openInventory();
    const numbers = Array.from({ length: 25 }, (_, index) => index + 1);
    await other.create(
      "hosts",
      host(
        "many",
        1,
        numbers,
        numbers.map((number) => `Service ${number}`),
      ),
    );
    const large = await summary(`?network_id=${other.network_id}`, other.organization.keys.viewer);
    expect(large.services).toHaveLength(summaryBounds.services);
    expect(large.open_ports).toHaveLength(summaryBounds.ports);
    expect(large.open_ports[0]).toMatchObject({ number: 1 });
  });

  test("rejects other parameters", async () => {
    const { keys } = inventory.organization;
    const answer = await openApi().send("GET", "/api/v1/summary?network=1", { key: keys.viewer });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  });
});

describe("the entity tag of a summary", () => {
  const ask = (query: string, tag?: string) =>
    inventory.send(
      "GET",
      `summary${query}`,
      undefined,
      tag === undefined ? {} : { "If-None-Match": tag },
    );
  const tagOf = async (query: string) => (await ask(query)).headers.get("etag") ?? "";

  test("is weak without `at`, since it does not include the time of the request", async () => {
    const tag = await tagOf("");
    expect(tag).toMatch(/^W\/"[\da-f]{64}"$/);
    await new Promise((resolve) => setTimeout(resolve, 2));
    const again = await ask("", tag);
    expect(again).toMatchObject({ status: 304, text: "" });
    expect(again.headers.get("etag")).toBe(tag);
    expect(again.headers.get("cache-control")).toBe("private, no-cache");
    expect(await ask(`?network_id=${elsewhere}`, tag)).toMatchObject({ status: 200 });
  });

  test("changes with a number, a name and a sighting", async () => {
    const { create, replace, network_id } = inventory;
    let tag = await tagOf("");
    const subnet = await create("subnets", { cidr: "198.51.100.0/24", name: "Before" });
    expect(await ask("", tag)).toMatchObject({ status: 200 });
    const one = await create("hosts", host("four", 4, [22], ["SSH"]));
    await create("ip-addresses", { host_id: one.id, ip_address: "198.51.100.1" });
    tag = await tagOf("");
    await replace("subnets", subnet.id, { cidr: "198.51.100.0/24", name: "After", network_id });
    expect(await ask("", tag)).toMatchObject({ status: 200 });
    tag = await tagOf("");
    await sql`update hosts set last_seen_at = now() - interval '25 hours' where id = ${one.id}`;
    expect(await ask("", tag)).toMatchObject({ status: 200 });
  });

  test("is strong with `at`, and stays the same", async () => {
    const at = (await summary()).at;
    await inventory.create("hosts", host("five", 5, [22], ["SSH"]));
    const tag = await tagOf(`?at=${at}`);
    expect(tag).toMatch(/^"[\da-f]{64}"$/);
    await inventory.create("hosts", host("six", 6, [22], ["SSH"]));
    expect(await ask(`?at=${at}`, tag)).toMatchObject({ status: 304, text: "" });
  });
});
