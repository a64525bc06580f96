import { expect, test } from "vitest";
import { importResult } from "../../src/imports/model.ts";
import { type Imports, openImports } from "./helpers.ts";
import { hostOf, report, reportOf } from "./nmap/reading.ts";

/** Imports XML twice, and checks that the second import changes nothing. */
async function takeTwice(network: Imports, body: string) {
  const send = async () => {
    const answer = await network.api.send(
      "POST",
      `/api/v1/networks/${network.network_id}/imports`,
      {
        key: network.organization.keys.member,
        headers: { "Content-Type": "application/xml" },
        body,
      },
    );
    expect(answer).toMatchObject({ status: 200 });
    return importResult.parse(Object(answer.body).data).counts;
  };
  const first = await send();
  const again = await send();
  expect(again).toMatchObject({ created: 0, changed: 0, failed: 0 });
  return first;
}

const open = (port: number) =>
  `<ports><port protocol="tcp" portid="${port}"><state state="open"/></port></ports>`;
const mac = (number: number) => `<address addr="02:00:00:00:00:0${number}" addrtype="mac"/>`;

test.each([
  ["with zones and MAC addresses", report("two-links")],
  [
    "with zones only",
    reportOf(hostOf("fe80::1%eth0", open(22)) + hostOf("fe80::1%eth1", open(80))),
  ],
  [
    "with MAC addresses only",
    reportOf(hostOf("fe80::1", mac(1) + open(22)) + hostOf("fe80::1", mac(2) + open(80))),
  ],
  [
    "with IPv4 and MAC addresses",
    reportOf(hostOf("169.254.1.1", mac(1) + open(22)) + hostOf("169.254.1.1", mac(2) + open(80))),
  ],
])(
  "one link-local address on two links, %s, results in two hosts, which a second import keeps",
  async (_, text) => {
    const network = await openImports();
    expect(await takeTwice(network, text)).toMatchObject({ created: 2, failed: 0 });
    expect(await network.list("hosts")).toHaveLength(2);
    expect(await network.list("bindings")).toHaveLength(2);
  },
);

test("a link-local address on a new link belongs to another host", async () => {
  const network = await openImports();
  await takeTwice(network, reportOf(hostOf("fe80::1%eth0")));
  expect(await takeTwice(network, reportOf(hostOf("fe80::1%eth1")))).toMatchObject({ created: 1 });
  expect(await takeTwice(network, reportOf(hostOf("fe80::1%eth0")))).toMatchObject({
    unchanged: 1,
  });
});

test("a link-local address with another MAC address belongs to another host", async () => {
  const network = await openImports();
  await takeTwice(network, reportOf(hostOf("fe80::1", mac(1))));
  expect(await takeTwice(network, reportOf(hostOf("fe80::1", mac(2))))).toMatchObject({
    created: 1,
  });
  // A MAC address takes precedence over a zone.
  const zoned = reportOf(hostOf("fe80::1%en0", mac(1)) + hostOf("fe80::1%en1", mac(2)));
  expect(await takeTwice(network, zoned)).toMatchObject({ unchanged: 2 });
});

test("routers that share a link-local address but also have their own addresses stay separate", async () => {
  const { take, list } = await openImports();
  const router = (number: number) => ({
    addresses: [
      { ip_address: `192.168.${number}.1` },
      { ip_address: "fe80::1%vlan10" },
      { ip_address: "fe80::1%vlan20" },
    ],
    interfaces: [{ if_index: 1, ip_addresses: ["fe80::1%vlan10"] }],
  });
  const hosts = [router(1), router(2)];
  expect((await take(hosts)).counts).toMatchObject({ created: 2, failed: 0 });
  expect((await take(hosts)).counts).toMatchObject({ unchanged: 2, failed: 0 });
  expect((await take([router(3)])).counts).toMatchObject({ created: 1 });
  // Hosts that are created within one tick of the database's clock may be listed in any order.
  const addresses = (await list("hosts")).map(({ ip_addresses }) =>
    ip_addresses.map(({ ip_address }) => ip_address).sort(),
  );
  expect(addresses.sort()).toEqual([
    ["192.168.1.1", "fe80::1"],
    ["192.168.2.1", "fe80::1"],
    ["192.168.3.1", "fe80::1"],
  ]);
});

test("hosts stay separate in a subnet of link-local addresses", async () => {
  const network = await openImports();
  await network.create("subnets", {
    network_id: network.network_id,
    name: "links",
    cidr: "fe80::/64",
  });
  expect(await takeTwice(network, report("two-links"))).toMatchObject({ created: 2, failed: 0 });
  expect(await network.list("hosts")).toHaveLength(2);
});

test("the same link-local address on two indistinguishable hosts is a contradiction", async () => {
  const { take } = await openImports();
  const host = (zone: string, mac_address: string | null) => ({
    addresses: [{ ip_address: `fe80::1${zone}`, mac_address }],
  });
  const codesOf = async (...hosts: object[]) =>
    (await take(hosts)).hosts.map(({ issues }) => issues.map(({ code }) => code));
  const contradiction = [["same_address"], ["same_address"]];
  expect(await codesOf(host("", null), host("", null))).toEqual(contradiction);
  expect(await codesOf(host("%a", null), host("%a", "02:00:00:00:00:01"))).toEqual(contradiction);
  const same = "02:00:00:00:00:02";
  expect(await codesOf(host("%a", same), host("%a", same))).toEqual(contradiction);
});
