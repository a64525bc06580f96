import { describe, expect, test } from "vitest";
import { maximumOfHost } from "../../src/discovery/ingest/result.ts";
import { sql } from "../helpers/database.ts";
import { shifted } from "../helpers/inventory.ts";
import { at, type Imports, openImports } from "./helpers.ts";

const uplink = {
  if_index: 1,
  name: "ge-0/0/0",
  description: "Uplink",
  type: 6,
  speed_bps: 400_000_000_000,
  mac_address: "02005e000001",
  admin_status: "Up",
  oper_status: "LowerLayerDown",
  alias: "to the attic",
  native_vlan: 7,
  tagged_vlans: [20, 4094],
  ip_addresses: ["10.0.0.1"],
};

const numbers = async ({ list }: Imports) =>
  (await list("interfaces", { order_by: "if_index" })).map(({ if_index }) => if_index);

/** Creates a host with two imported interfaces. */
async function openSeen() {
  const imports = await openImports();
  const see = (interfaces: readonly object[], more: object = {}) =>
    imports.take([at("10.0.0.1", { interfaces, ...more })]);
  await see([uplink, { if_index: 2 }]);
  const [host] = await imports.list("hosts");
  if (!host) {
    throw new Error("the import has made no host");
  }
  return { ...imports, see, host };
}

test("an import stores a host's interfaces with their addresses", async () => {
  const { host, list } = await openSeen();
  const [address] = host.ip_addresses;
  const { ip_addresses: _, ...own } = uplink;
  const first_discovery_id = host.first_discovery_id;
  expect(first_discovery_id).not.toBeNull();
  expect(host.interfaces).toMatchObject([
    {
      ...own,
      mac_address: "02:00:5E:00:00:01",
      ip_address_ids: [address?.id],
      first_discovery_id,
    },
    { if_index: 2, name: null, speed_bps: null, oper_status: null, ip_address_ids: [] },
  ]);
  expect(await list("interfaces", { order_by: "if_index" })).toEqual(host.interfaces);
});

test("an import replaces imported VLANs, keeps those that it omits, and drops invalid ones", async () => {
  const { see, list } = await openSeen();
  const vlans = async () => {
    const [one] = await list("interfaces", { if_index: "1" });
    return [one?.native_vlan, one?.tagged_vlans];
  };
  await see([{ ...uplink, tagged_vlans: [30, 20] }]);
  expect(await vlans()).toEqual([7, [20, 30]]);
  await see([{ if_index: 1 }]);
  expect(await vlans()).toEqual([7, [20, 30]]);
  const { hosts } = await see([{ if_index: 1, native_vlan: 4095, tagged_vlans: [40, 0] }]);
  expect(hosts[0]?.issues).toHaveLength(2);
  expect(await vlans()).toEqual([7, [40]]);
  await see([{ if_index: 1, tagged_vlans: [] }]);
  expect(await vlans()).toEqual([7, []]);
});

test("an address that a report no longer lists on an interface leaves it", async () => {
  const { list, take } = await openImports();
  const see = (ip_addresses: readonly string[]) =>
    take([
      {
        addresses: [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.2" }],
        interfaces: [{ if_index: 1, ip_addresses }],
      },
    ]);
  await see(["10.0.0.1", "10.0.0.2"]);
  await see(["10.0.0.2"]);
  const [one] = await list("interfaces");
  const [address] = await list("ip-addresses", { ip: "10.0.0.2" });
  expect(one?.ip_address_ids).toEqual([address?.id]);
});

test("a repeated import changes nothing, even in another notation", async () => {
  const { host, see, list } = await openSeen();
  const spelled = { ...uplink, mac_address: "02-00-5E-00-00-01" };
  expect((await see([{ if_index: 2 }, spelled])).counts).toMatchObject({ unchanged: 1 });
  const [again] = await list("hosts");
  const seen = ({ interfaces }: typeof host) =>
    interfaces.map(({ last_seen_at: _, last_discovery_id: __, ...one }) => one);
  expect(again && seen(again)).toEqual(seen(host));
  expect(again?.updated_at).toBe(host.updated_at);
});

test("stores an address only once on the interface, even if it is listed twice", async () => {
  const { take, list } = await openImports();
  const ip_addresses = ["2001:db8::1", "2001:0db8:0:0::1"];
  const interfaces = [{ if_index: 1, ip_addresses }];
  expect((await take([at("2001:db8::1", { interfaces })])).counts).toMatchObject({ created: 1 });
  expect((await list("interfaces"))[0]?.ip_address_ids).toHaveLength(1);
});

test("skips an interface's address that its host does not have, and a repeated interface", async () => {
  const { take } = await openImports();
  const interfaces = [{ if_index: 1, ip_addresses: ["10.0.0.1", "10.0.0.2"] }];
  const { hosts } = await take([
    at("10.0.0.1", { interfaces }),
    at("10.0.0.2"),
    at("10.0.0.3", { interfaces: [{ if_index: 1 }, { if_index: 1 }] }),
  ]);
  expect(hosts).toMatchObject([
    {
      outcome: "created",
      issues: [
        {
          path: "hosts[0].interfaces[0].ip_addresses[1]",
          message: "is not an address of this host: add it to addresses",
        },
      ],
    },
    { outcome: "created" },
    { outcome: "created", issues: [{ path: "hosts[2].interfaces[1].if_index" }] },
  ]);
});

test("keeps the values that a person set on an interface; its other values follow the reports", async () => {
  const { host, see, send, read } = await openSeen();
  const [own] = host.interfaces;
  await send("PATCH", `interfaces/${own?.id}`, { description: "To the attic" });
  await see([{ ...uplink, description: "Port 1", oper_status: "Up", type: null }]);
  expect(await read("interfaces", own?.id ?? "")).toMatchObject({
    description: "To the attic",
    oper_status: "Up",
    type: 6,
  });
});

test("a dry run reports that an interface would change the host, and changes nothing", async () => {
  const { take, list } = await openSeen();
  const before = await list("hosts");
  for (const more of [
    { interfaces: [{ ...uplink, oper_status: "Down" }] },
    { interfaces: [{ if_index: 3 }] },
    { interfaces: [uplink], interfaces_complete: true },
  ]) {
    const { counts } = await take([at("10.0.0.1", more)], { query: "?dry_run=true" });
    expect(counts).toMatchObject({ changed: 1 });
  }
  expect(await list("hosts")).toEqual(before);
});

describe("an interface that is not reported", () => {
  test("is kept, unless the report is complete", async () => {
    const imports = await openSeen();
    await imports.see([uplink]);
    await imports.see([]);
    await imports.see([], { interfaces_complete: true });
    expect(await numbers(imports)).toEqual([1, 2]);
    const { counts } = await imports.see([uplink], { interfaces_complete: true });
    expect(counts).toMatchObject({ changed: 1 });
    expect(await numbers(imports)).toEqual([1]);
    const past = await imports.list("hosts", { at: imports.host.updated_at });
    expect(past[0]?.interfaces).toHaveLength(2);
  });

  test("is kept if a person created it", async () => {
    const imports = await openSeen();
    await imports.create("interfaces", { host_id: imports.host.id, if_index: 7 });
    await imports.see([uplink], { interfaces_complete: true });
    expect(await numbers(imports)).toEqual([1, 7]);
  });

  test("is kept if it was seen after the report", async () => {
    const imports = await openSeen();
    await imports.take(
      [at("10.0.0.1", { interfaces: [{ if_index: 3 }], interfaces_complete: true })],
      { observed_at: shifted(imports.host.last_seen_at, -60_000) },
    );
    expect(await numbers(imports)).toEqual([1, 2, 3]);
  });

  test("is kept if another entry in the report contradicts its host", async () => {
    const imports = await openSeen();
    const whole = { interfaces: [uplink], interfaces_complete: true };
    const { hosts } = await imports.take([
      { id: imports.host.id, ...at("10.0.0.1", whole) },
      { id: imports.host.id, ...at("10.0.0.9") },
    ]);
    expect(hosts.map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
    expect(await numbers(imports)).toEqual([1, 2]);
  });

  test("is kept on a host that a person consolidated, and known values do not change", async () => {
    const imports = await openSeen();
    const { take, send, host } = imports;
    const { hosts } = await take([at("10.0.0.2", { interfaces: [{ if_index: 9 }] })]);
    await send("PUT", `hosts/${host.id}/consolidate/${hosts[0]?.host_id}`);
    const whole = (interfaces: readonly object[]) => ({ interfaces, interfaces_complete: true });
    await take([at("10.0.0.1", whole([{ ...uplink, description: "Another" }]))]);
    await take([at("10.0.0.2", whole([{ if_index: 9, name: "filled" }]))]);
    const found = await imports.list("interfaces", { order_by: "if_index" });
    expect(found).toMatchObject([
      { if_index: 1, description: "Uplink" },
      { if_index: 2 },
      { if_index: 9, name: "filled" },
    ]);
  });
});

test("an address that moves to another host leaves its interface, and can be on an interface of the new host", async () => {
  const { take, list } = await openImports();
  const on = (ip_address: string, last: number, more: object) => ({
    addresses: [
      { ip_address, mac_address: `02:00:5e:00:00:0${last}` },
      { ip_address: `10.0.1.${last}`, mac_address: `02:00:5e:00:00:0${last}` },
    ],
    ...more,
  });
  const first = [{ if_index: 1, ip_addresses: ["10.0.0.1"] }];
  await take([on("10.0.0.1", 1, { interfaces: first }), on("10.0.0.2", 2, {})]);
  await take([
    on("10.0.0.3", 1, {}),
    on("10.0.0.1", 2, { interfaces: [{ if_index: 5, ip_addresses: ["10.0.0.1"] }] }),
  ]);
  expect(await list("interfaces", { order_by: "if_index" })).toMatchObject([
    { if_index: 1, ip_address_ids: [] },
    { if_index: 5, ip_address_ids: [expect.any(String)] },
  ]);
});

test("skips interfaces beyond a host's maximum, and reports an issue", {
  timeout: 60_000,
}, async () => {
  const imports = await openSeen();
  const { organization, host, see } = imports;
  await sql`insert into interfaces (organization_id, host_id, if_index)
    select ${organization.id}, ${host.id}, number + 10 from generate_series(1, ${maximumOfHost - 3}) as number`;
  const { hosts } = await see([uplink, { if_index: 6001 }, { if_index: 6002 }]);
  expect(hosts).toMatchObject([
    {
      outcome: "changed",
      issues: [
        {
          code: "too_many",
          message:
            "would exceed the maximum of 5,000 interfaces of one host (omitted: 1): remove some first",
        },
      ],
    },
  ]);
});

test("interfaces that the import ends do not count toward a host's maximum", {
  timeout: 60_000,
}, async () => {
  const imports = await openSeen();
  const { organization, host, see } = imports;
  await sql`insert into interfaces (organization_id, host_id, if_index, first_discovery_id)
    select ${organization.id}, ${host.id}, number + 10, ${crypto.randomUUID()}
    from generate_series(1, ${maximumOfHost - 2}) as number`;
  const { hosts } = await see([uplink, { if_index: 6001 }], { interfaces_complete: true });
  expect(hosts).toMatchObject([{ outcome: "changed", issues: [] }]);
  expect(await numbers(imports)).toEqual([1, 6001]);
});

test("adds the reported addresses to an interface whose only address is moved away by the same import", async () => {
  const imports = await openImports();
  const own = { mac_address: "02:00:00:00:00:01" };
  const [first, second] = ["10.0.0.1", "10.0.0.2"];
  await imports.take([
    {
      addresses: [
        { ip_address: first, ...own },
        { ip_address: second, ...own },
      ],
    },
  ]);
  const [host] = await imports.list("hosts");
  const idOf = (address: string) =>
    host?.ip_addresses.find(({ ip_address }) => ip_address === address)?.id;
  await imports.create("interfaces", {
    host_id: host?.id,
    if_index: 1,
    ip_address_ids: [idOf(second)],
  });
  const report = [
    { addresses: [{ ip_address: second, mac_address: "02:00:00:00:00:03" }] },
    {
      addresses: [{ ip_address: first, ...own }],
      interfaces: [{ if_index: 1, ip_addresses: [first] }],
    },
  ];
  await imports.take(report);
  expect(await imports.list("interfaces")).toMatchObject([{ ip_address_ids: [idOf(first)] }]);
  expect(await imports.take(report)).toMatchObject({ counts: { unchanged: 2 } });
});
