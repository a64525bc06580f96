import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  type SearchResult,
  searchedKinds,
  searchResultSchema,
} from "../../../src/inventory/search/model.ts";
import { openApi } from "../../helpers/api.ts";
import { mintEmptyNetwork, openInventory } from "../../helpers/inventory.ts";
import {
  mintCredential,
  mintDaemon,
  mintKey,
  mintOrganization,
} from "../../helpers/organization.ts";

const results = z.object({ data: z.array(searchResultSchema) });

/** Sends a search, and returns what it finds. */
async function searched(
  key: string,
  q: string,
  more: Record<string, string> = {},
): Promise<SearchResult[]> {
  const parameters = new URLSearchParams({ q, ...more });
  const answer = await openApi().send("GET", `/api/v1/search?${parameters}`, { key });
  expect(answer).toMatchObject({ status: 200 });
  return results.parse(answer.body).data;
}

/** A host whose services are bound to its ports, in the same order. */
const host = (name: string, address: string, listens: readonly [string, number][] = []) => {
  const ports = listens.map(([, number]) => ({ id: crypto.randomUUID(), number, protocol: "Tcp" }));
  return {
    name,
    ip_addresses: [{ ip_address: address }],
    ports,
    services: listens.map(([service], index) => ({
      name: service,
      bindings: [{ type: "Port", port_id: ports[index]?.id }],
    })),
  };
};

describe("the parameters of a search", () => {
  test.each([
    ["q=", "q"],
    ["q=%20", "q"],
    ["", "q"],
    [`q=${"x".repeat(201)}`, "q"],
    ["q=1+2+3+4+5+6+7+8+9+10+11", "q"],
    ["q=a&q=b", "q"],
    ["q=a&limit=0", "limit"],
    ["q=a&limit=51", "limit"],
    ["q=a&kinds=Binding", "kinds[0]"],
    ["q=a&network_id=1", "network_id"],
    ["q=a&offset=1", "offset"],
  ])("%s is rejected", async (query, field) => {
    const { keys } = await mintOrganization();
    expect(
      await openApi().send("GET", `/api/v1/search?${query}`, { key: keys.viewer }),
    ).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        params: { issues: [{ path: `query.${field}` }] },
      },
    });
  });

  test.each([
    "q=x",
    `q=${"x".repeat(200)}`,
    // Not only digits: the tags of the organization are named by random UUIDs.
    "q=x1+x2+x3+x4+x5+x6+x7+x8+x9+x10+x1",
    "q=x&limit=50",
    "q=x&kinds=Host&kinds=Tag",
  ])("%s is accepted", async (query) => {
    const { keys } = await mintOrganization();
    expect(
      await openApi().send("GET", `/api/v1/search?${query}`, { key: keys.viewer }),
    ).toMatchObject({ status: 200, body: { data: [] } });
  });
});

test("two words find records that match both, in the record or on its host", async () => {
  const { create, organization } = await openInventory();
  const station = await create(
    "hosts",
    host("garden", "192.0.2.1", [
      ["WeeWX", 8080],
      ["SSH", 22],
    ]),
  );
  await create("hosts", host("kitchen", "192.0.2.2", [["WeeWX", 80]]));
  await create("hosts", host("cellar", "192.0.2.3", [["Nginx", 8080]]));
  const found = await searched(organization.keys.viewer, "weewx 8080");
  expect(found).toEqual([
    {
      entity: "Service",
      id: station.services.find(({ name }) => name === "WeeWX")?.id,
      label: "WeeWX",
      host_id: station.id,
      matched: ["name", "host.ports.number"],
      score: 0.75,
    },
    {
      entity: "Port",
      id: station.ports.find(({ number }) => number === 8080)?.id,
      label: "8080/Tcp",
      host_id: station.id,
      matched: ["host.services.name", "number"],
      score: 0.75,
    },
    {
      entity: "Host",
      id: station.id,
      label: "garden",
      host_id: station.id,
      matched: ["services.name", "ports.number"],
      score: 0.5,
    },
  ]);
  expect(await searched(organization.keys.viewer, "8080 weewx absent")).toEqual([]);
});

/** Records of every kind, with the same word in each of them. */
async function openMarked() {
  const inventory = await openInventory();
  const { create, organization, network_id } = inventory;
  const { id: host_id } = await create("hosts", {
    ...host("marked host", "192.0.2.77", [["marked service", 7777]]),
    interfaces: [{ if_index: 1, name: "marked" }],
  });
  await create("subnets", { cidr: "192.0.2.0/24", name: "marked subnet" });
  const [listed] = await inventory.list("interfaces");
  await create("neighbors", {
    interface_id: listed?.id,
    protocol: "Lldp",
    chassis_id: { subtype: "MacAddress", value: "02:00:00:00:77:77" },
    system_name: "marked",
  });
  await create("ip-addresses", { host_id, ip_address: "192.0.2.78", name: "marked address" });
  for (const [path, json] of [
    ["tags", { name: "marked tag" }],
    ["networks", { name: "marked network" }],
  ] as const) {
    expect(
      await openApi().send("POST", `/api/v1/${path}`, { key: organization.keys.owner, json }),
    ).toMatchObject({ status: 201 });
  }
  await mintCredential(organization.id, { name: "marked credential" });
  await mintDaemon(organization.id, network_id, { name: "marked daemon" });
  return inventory;
}

const kindsOf = (found: SearchResult[]) => [...new Set(found.map(({ entity }) => entity))].sort();

/** The kinds whose records belong to one network. */
const kindsInNetwork = [
  "Daemon",
  "Host",
  "IPAddress",
  "Interface",
  "Neighbor",
  "Port",
  "Service",
  "Subnet",
];

/** Finds the records of {@link openMarked}, also by what they have besides the word. */
const questions = ["marked", "7777", "192.0.2.77", "02:00:00:00:77:77", "marked 7777"];

test("a search finds records of every kind", async () => {
  const { organization, network_id } = await openMarked();
  const all = await Promise.all(questions.map((q) => searched(organization.keys.viewer, q)));
  expect(kindsOf(all.flat())).toEqual([...searchedKinds].sort());
  const here = await Promise.all(
    questions.map((q) => searched(organization.keys.viewer, q, { network_id })),
  );
  expect(kindsOf(here.flat())).toEqual(kindsInNetwork);
});

test("a search finds nothing of another organization", async () => {
  const { network_id, organization } = await openMarked();
  const { keys } = await mintOrganization();
  const [one] = await searched(organization.keys.viewer, "marked", { kinds: "Host" });
  for (const q of [...questions, String(one?.id)]) {
    expect(await searched(keys.owner, q), q).toEqual([]);
    expect(await searched(keys.owner, q, { network_id }), q).toEqual([]);
  }
});

test("a search with a key that is limited to networks finds nothing in others", async () => {
  const { organization, network_id, create } = await openMarked();
  const other = await mintEmptyNetwork(organization.id);
  const key = await mintKey(organization.id, { role: "Owner" }, [other]);
  const found = async (more = {}) =>
    (await Promise.all(questions.map((q) => searched(key, q, more)))).flat();
  expect(kindsOf(await found())).toEqual(["Credential", "Tag"]);
  expect(await found({ network_id })).toEqual([]);
  const own = await create("hosts", { ...host("marked here", "192.0.2.77"), network_id: other });
  expect((await searched(key, "marked", { kinds: "Host" })).map(({ id }) => id)).toEqual([own.id]);
  expect((await searched(key, "192.0.2.77")).map(({ host_id }) => host_id)).toEqual([
    own.id,
    own.id,
  ]);
});

test("a search returns only records of the given kinds, but still looks at the others", async () => {
  const { organization } = await openMarked();
  const found = await searched(organization.keys.viewer, "host 7777", { kinds: "Port" });
  expect(found.map(({ label, matched }) => [label, matched])).toEqual([
    ["7777/Tcp", ["host.name", "number"]],
  ]);
  expect(await searched(organization.keys.viewer, "marked", { limit: "1" })).toHaveLength(1);
});

test("a search finds a record by its id", async () => {
  const { organization } = await openMarked();
  for (const kind of searchedKinds) {
    const q = kind === "Port" ? "7777" : "marked";
    const [one] = await searched(organization.keys.viewer, q, { kinds: kind });
    expect(await searched(organization.keys.viewer, String(one?.id).toUpperCase()), kind).toEqual([
      { ...one, matched: ["id"], score: 0.9 },
    ]);
  }
});

test("a search finds only live records", async () => {
  const { create, remove, organization } = await openInventory();
  const { id } = await create("hosts", host("short-lived", "192.0.2.9", [["Fleeting", 9999]]));
  expect(await searched(organization.keys.viewer, "fleeting")).toHaveLength(2);
  await remove("hosts", id);
  for (const q of ["short-lived", "fleeting", "9999", "192.0.2.9", id]) {
    expect(await searched(organization.keys.viewer, q), q).toEqual([]);
  }
});

test("a closed port or service is found itself, but does not find its host", async () => {
  const { create, organization } = await openInventory();
  await create("hosts", {
    name: "quiet",
    ports: [{ number: 9999, protocol: "Udp" }],
    services: [{ name: "Dormant" }],
  });
  for (const [q, entity] of [
    ["9999", "Port"],
    ["dormant", "Service"],
  ] as const) {
    expect((await searched(organization.keys.viewer, q)).map((one) => one.entity)).toEqual([
      entity,
    ]);
  }
});

test("a part of a host is found only if a word matches the part itself", async () => {
  const { create, organization } = await openInventory();
  await create("hosts", host("lighthouse", "192.0.2.5", [["SSH", 22]]));
  const kinds = async (q: string) => kindsOf(await searched(organization.keys.viewer, q));
  expect(await kinds("lighthouse")).toEqual(["Host"]);
  expect(await kinds("lighthouse ssh")).toEqual(["Host", "Service"]);
  expect(await kinds("lighthouse 192.0.2.5 ssh")).toEqual(["Host", "IPAddress", "Service"]);
});

test("an interface or a neighbor is found alone by a complete name, and next to its host by a part of it", async () => {
  const { create, list, organization } = await openInventory();
  await create("hosts", {
    name: "core-switch",
    interfaces: [{ if_index: 7, name: "GigabitEthernet0/7", description: "to the attic" }],
  });
  const [one] = await list("interfaces");
  await create("neighbors", {
    interface_id: one?.id,
    protocol: "Lldp",
    chassis_id: { subtype: "LocallyAssigned", value: "attic-switch" },
    system_name: "attic-switch.example",
  });
  const found = async (q: string) =>
    (await searched(organization.keys.viewer, q)).map(({ entity }) => entity).sort();
  expect(await found("GigabitEthernet0/7")).toEqual(["Interface"]);
  expect(await found("attic-switch.example")).toEqual(["Neighbor"]);
  expect(await found("Gigabit")).toEqual([]);
  expect(await found("core-switch gigabit")).toEqual(["Interface"]);
  expect(await found("core-switch attic")).toEqual(["Interface", "Neighbor"]);
});

test("a complete name is found first, even among more records than a search looks at", async () => {
  const { create, send, network_id, organization } = await openInventory();
  for (const hundred of [0, 1, 2]) {
    const hosts = Array.from({ length: 100 }, (_, number) => ({
      network_id,
      name: `sensor-${100 * hundred + number}`,
    }));
    expect(await send("POST", "hosts/bulk", hosts)).toMatchObject({ status: 201 });
  }
  await create("hosts", { name: "Sensor" });
  const found = await searched(organization.keys.viewer, "sensor", { limit: "50" });
  expect(found).toHaveLength(50);
  expect(found[0]).toMatchObject({ label: "Sensor", score: 1 });
  const [one, ...others] = await searched(organization.keys.viewer, "sensor 299");
  expect([one?.label, others]).toEqual(["sensor-299", []]);
});

test("the answer to a search does not depend on the order or the case of its words", async () => {
  const { organization } = await openMarked();
  const sorted = async (q: string) =>
    (await searched(organization.keys.viewer, q)).map(({ id, score }) => [id, score]);
  const found = await sorted("marked 7777");
  expect(found.length).toBeGreaterThan(0);
  for (const q of ["7777 MARKED", " Marked  7777 marked ", "marked\t7777"]) {
    expect(await sorted(q), q).toEqual(found);
  }
});
