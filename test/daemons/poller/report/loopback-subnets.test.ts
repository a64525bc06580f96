import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireSubnet,
} from "../../../helpers/protocol.ts";
import { recordIn } from "../../../helpers/records.ts";

const cidrsOf = async ({ organization, networkId }: Scanner) =>
  (
    await sql`select cidr::text from subnets where organization_id = ${organization.id}
      and network_id = ${networkId} and valid_to is null and first_discovery_id is not null order by cidr`
  ).map(({ cidr }) => cidr);

/** Reads the stored loopback addresses, with their subnets. */
const loopbackOf = ({ organization }: Scanner) =>
  sql`select host(address) as address, subnet_id from ip_addresses
    where organization_id = ${organization.id} and valid_to is null and first_discovery_id is not null
      and host(address) <> '10.77.0.3' order by address`;

const blocks = [
  "127.0.0.0/8",
  "127.0.0.1/32",
  "127.0.0.53/8",
  "127.255.0.0/16",
  "::1/128",
  "::ffff:127.0.0.0/104",
  "::ffff:127.0.0.1/128",
  "::ffff:7f00:0/104",
];

test.each(blocks)(
  "a host's loopback block %s does not become a subnet of the network",
  async (cidr) => {
    const scanner = await raiseScanner();
    const { networkId } = scanner;
    const [own, other] = [wireSubnet(networkId, cidr), wireSubnet(networkId, "10.77.0.0/24")];
    const host = wireHost(networkId, "10.77.0.3", [80]);
    await scanner.report({
      subnets: [own, other],
      hosts: [{ ...host, subnets: [wireSubnet(networkId, cidr)] }],
    });
    await scanner.visit();
    expect(await cidrsOf(scanner)).toEqual(["10.77.0.0/24"]);
    // The host is stored. The block is confirmed once, because the daemon does not scan until its
    // subnets are confirmed.
    const { hosts, subnets } = await scanner.confirmed();
    expect(hosts.map(([pending]) => pending)).toEqual([host.host.id]);
    expect(subnets).toEqual([
      [own.id, expect.objectContaining({ id: own.id, cidr })],
      [other.id, expect.objectContaining({ cidr: "10.77.0.0/24" })],
    ]);
  },
);

test("a report that contains only loopback blocks is confirmed, and the scan continues", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const own = wireSubnet(networkId, "127.0.0.0/8");
  await scanner.report({ subnets: [own] });
  await scanner.visit();
  expect(await cidrsOf(scanner)).toEqual([]);
  expect(await scanner.confirmed()).toMatchObject({ subnets: [[own.id, { id: own.id }]] });
});

test.each(["0.0.0.0/0", "126.0.0.0/7", "::/0", "128.0.0.0/8", "::ffff:0.0.0.0/96"])(
  "block %s, which is larger than loopback, becomes a subnet",
  async (cidr) => {
    const scanner = await raiseScanner();
    await scanner.report({ subnets: [wireSubnet(scanner.networkId, cidr)] });
    await scanner.visit();
    expect(await cidrsOf(scanner)).toHaveLength(1);
  },
);

test("loopback addresses do not belong to a subnet or identify a host, even as IPv4-mapped IPv6", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const loopback = ["127.0.0.1", "::1", "::ffff:127.0.0.1"];
  const withLoopback = (ip: string) => {
    const host = wireHost(networkId, ip);
    const more = loopback.map((ip_address) => ({ id: crypto.randomUUID(), ip_address }));
    return { ...host, ip_addresses: [...host.ip_addresses, ...more] };
  };
  const subnets = [wireSubnet(networkId, "0.0.0.0/0"), wireSubnet(networkId, "::/0")];
  await scanner.report({ subnets, hosts: [withLoopback("10.77.0.3"), withLoopback("10.77.0.4")] });
  await scanner.visit();
  const rows = await loopbackOf(scanner);
  expect(rows.filter(({ address }) => address !== "10.77.0.4")).toEqual(
    [...loopback, ...loopback].sort().map((address) => ({ address, subnet_id: null })),
  );
});

test("a report does not change an existing loopback subnet, and users may create one", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization, poller } = scanner;
  const created = recordIn(
    await poller.send("POST", "/api/v1/subnets", {
      key: organization.keys.member,
      json: {
        network_id: networkId,
        name: "lo",
        cidr: "127.0.0.0/8",
        subnet_type: "Loopback",
        tags: [],
      },
    }),
    201,
  );
  await scanner.report({ subnets: [wireSubnet(networkId, "127.0.0.0/8")] });
  await scanner.visit();
  const read = await poller.send("GET", `/api/v1/subnets/${created.id}`, {
    key: organization.keys.viewer,
  });
  expect(recordIn(read)).toEqual(created);
});

test("a daemon is never considered attached to a loopback subnet, even if the subnet exists", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization, poller, id } = scanner;
  const subnets: string[] = [];
  for (const cidr of ["127.0.0.0/8", "10.77.0.0/24"]) {
    const json = { network_id: networkId, name: cidr, cidr, subnet_type: "Unknown", tags: [] };
    const key = organization.keys.member;
    subnets.push(
      String(recordIn(await poller.send("POST", "/api/v1/subnets", { key, json }), 201).id),
    );
  }
  const interfaced_subnets = [...blocks, "10.77.0.2/24"].map((cidr) => ({ cidr }));
  await scanner.behave({ status: answered({ ready_for_work: true, interfaced_subnets }) });
  await scanner.visit();
  const read = await poller.send("GET", `/api/v1/daemons/${id}`, { key: organization.keys.viewer });
  expect(recordIn(read)).toMatchObject({ capabilities: { interfaced_subnet_ids: [subnets[1]] } });
});
