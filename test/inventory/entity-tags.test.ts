import { expect, test } from "vitest";
import type { InventoryCollection } from "../helpers/inventory.ts";
import { at, everyPort, type Imports, open, openImports } from "../imports/helpers.ts";

const path = (name: InventoryCollection, id: string) => `${name}/${id}`;

/** Reads a record as a client does. */
async function look({ send }: Imports, name: InventoryCollection, id: string) {
  const { body, headers } = await send("GET", path(name, id));
  const { data } = body as { data: Record<string, unknown> };
  return { etag: headers.get("ETag") ?? "", updated_at: String(data["updated_at"]), data };
}

const mac = (last: number) => `02:00:00:00:00:0${last}`;
const address = (ip_address: string, mac_address?: string) => ({
  ip_address,
  ...(mac_address && { mac_address }),
});

const first = {
  addresses: [address("10.0.0.1", mac(1))],
  ports: open({ 80: "Nginx", 443: "Nginx" }),
  interfaces: [{ if_index: 1, name: "eth0" }],
  scanned_ports: everyPort,
};

/** The differences between a second report of the same host and the first. */
const differences: [what: string, host: object][] = [
  [
    "an additional address",
    { ...first, addresses: [...first.addresses, address("10.0.0.9", mac(2))] },
  ],
  ["another MAC address", { ...first, addresses: [address("10.0.0.1", mac(3))] }],
  ["an unclaimed port", { ...first, ports: [...first.ports, { number: 9000, protocol: "Tcp" }] }],
  ["an additional service", { ...first, ports: [...first.ports, ...open({ 22: "SSH" })] }],
  [
    "a service on an additional port",
    { ...first, ports: open({ 80: "Nginx", 443: "Nginx", 8080: "Nginx" }) },
  ],
  ["a missing port", { ...first, ports: open({ 80: "Nginx" }) }],
  ["an additional interface", { ...first, interfaces: [...first.interfaces, { if_index: 2 }] }],
  ["another interface name", { ...first, interfaces: [{ if_index: 1, name: "eth1" }] }],
  ["a missing interface", { ...first, interfaces: [{ if_index: 2 }], interfaces_complete: true }],
];

test.each(differences)(
  "an import with %s changes the host's entity tag and time",
  async (_, host) => {
    const imports = await openImports();
    const { take, list, send } = imports;
    await take([first]);
    const [{ id } = { id: "" }] = await list("hosts");
    const before = await look(imports, "hosts", id);
    await take([host]);
    const after = await look(imports, "hosts", id);
    expect(after.etag).not.toBe(before.etag);
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(
      (await send("GET", path("hosts", id), undefined, { "If-None-Match": before.etag })).status,
    ).toBe(200);
    const lost = await send("PUT", path("hosts", id), before.data, { "If-Match": before.etag });
    expect(lost).toMatchObject({ status: 412, body: { params: { etag: after.etag } } });
    expect((await look(imports, "hosts", id)).data).toEqual(after.data);
  },
);

test("an import that binds a service to an additional port changes its entity tag", async () => {
  const imports = await openImports();
  const { take, list } = imports;
  await take([{ ...first, ports: open({ 80: "Nginx" }) }]);
  const [{ id } = { id: "" }] = await list("services");
  const before = await look(imports, "services", id);
  await take([first]);
  const after = await look(imports, "services", id);
  expect(after.etag).not.toBe(before.etag);
  expect(after.updated_at > before.updated_at).toBe(true);
});

test("the entity tags of both services change when one takes over the other's binding", async () => {
  const imports = await openImports();
  const { take, list } = imports;
  const unclaimed = [80, 81].map((number) => ({ number, protocol: "Tcp" }));
  await take([at("10.0.0.1", { ports: unclaimed })]);
  const [{ id } = { id: "" }] = await list("services");
  const before = await look(imports, "services", id);
  await take([at("10.0.0.1", { ports: open({ 80: "Nginx" }) })]);
  const services = await list("services");
  expect(services).toHaveLength(2);
  const other = services.find((service) => service.id !== id)?.id ?? "";
  const otherBefore = await look(imports, "services", other);
  await take([at("10.0.0.1", { ports: open({ 81: "Nginx" }) })]);
  const otherAfter = await look(imports, "services", other);
  expect(otherAfter.data["bindings"]).toHaveLength(2);
  expect(otherAfter.etag).not.toBe(otherBefore.etag);
  const after = await look(imports, "services", id);
  expect(after.data["bindings"]).toHaveLength(0);
  expect(after.etag).not.toBe(before.etag);
  expect(after.updated_at > before.updated_at).toBe(true);
});

test.each(["the same report", "a part of the report"])(
  "a second import of %s does not change entity tags or times",
  async (what) => {
    const imports = await openImports();
    const { take, list, send } = imports;
    await take([first]);
    const names = ["hosts", "ip-addresses", "ports", "interfaces", "services", "bindings"] as const;
    const all = async () => {
      const records = [];
      for (const name of names) {
        for (const { id } of await list(name)) {
          const { etag, updated_at, data } = await look(imports, name, id);
          records.push({ name, id, etag, updated_at, seen: data["last_seen_at"] });
        }
      }
      return records;
    };
    const before = await all();
    // "a part of the report" omits the host's other details and its other children.
    await take([
      what === "the same report"
        ? first
        : { addresses: first.addresses, ports: open({ 80: "Nginx" }) },
    ]);
    const after = await all();
    expect(after.map(({ seen: _, ...rest }) => rest)).toEqual(
      before.map(({ seen: _, ...rest }) => rest),
    );
    expect(after).not.toEqual(before);
    for (const { name, id, etag } of before) {
      expect((await send("GET", path(name, id), undefined, { "If-None-Match": etag })).status).toBe(
        304,
      );
    }
  },
);

test("an older report that sees a host's child again does not change the host's entity tag or time", async () => {
  const imports = await openImports();
  const { take, list } = imports;
  const past = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await take([first], { observed_at: past(3) });
  const { scanned_ports: _, ports: __, ...hostAlone } = first;
  await take([hostAlone], { observed_at: past(1) });
  const [{ id } = { id: "" }] = await list("hosts");
  const seen = async () => (await list("ports")).map(({ last_seen_at }) => last_seen_at);
  const [before, seenBefore] = [await look(imports, "hosts", id), await seen()];
  await take([first], { observed_at: past(2) });
  const { etag, updated_at } = await look(imports, "hosts", id);
  expect(await seen()).not.toEqual(seenBefore);
  expect({ etag, updated_at }).toEqual({ etag: before.etag, updated_at: before.updated_at });
});
