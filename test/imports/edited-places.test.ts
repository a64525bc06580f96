import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { raiseScanner, wireHost, wireSubnet } from "../helpers/protocol.ts";
import { at, type Imports, openImports } from "./helpers.ts";

const report = [at("10.0.0.1", { name: "printer" })];

/** Creates a subnet with a host that an import discovered. */
async function openFound() {
  const imports = await openImports();
  const subnet = await imports.create("subnets", { cidr: "10.0.0.0/24", name: "office" });
  await imports.take(report);
  const [host] = await imports.list("hosts");
  const [address] = host?.ip_addresses ?? [];
  if (host === undefined || address === undefined) {
    throw new Error("The import has found no host with an address.");
  }
  expect(address.subnet_id).toBe(subnet.id);
  return { ...imports, subnet, host, address };
}

type Found = Awaited<ReturnType<typeof openFound>>;

const edits: [string, (found: Found) => Promise<unknown>][] = [
  [
    "a subnet's name",
    ({ replace, subnet }) => replace("subnets", subnet.id, { ...subnet, name: "new" }),
  ],
  [
    "a subnet's description",
    ({ replace, subnet }) => replace("subnets", subnet.id, { ...subnet, description: "new" }),
  ],
  [
    "a subnet's block, which becomes larger",
    ({ replace, subnet }) => replace("subnets", subnet.id, { ...subnet, cidr: "10.0.0.0/23" }),
  ],
];

test.each(edits)(
  "accepts the same report and a report with more hosts after a change to %s",
  async (_, edit) => {
    const found: Found = await openFound();
    await edit(found);
    const { take } = found as Imports;
    expect((await take(report)).counts).toMatchObject({ unchanged: 1, failed: 0 });
    const more = await take([...report, at("10.0.0.2", { name: "scanner" })]);
    expect(more.counts).toMatchObject({ created: 1, unchanged: 1, failed: 0 });
  },
);

test("after a change to a subnet, the position of an address can be changed", async () => {
  const { replace, subnet, host, address } = await openFound();
  await replace("subnets", subnet.id, { ...subnet, name: "new" });
  const moved = await replace("ip-addresses", address.id, { ...address, position: 3 });
  expect(moved).toMatchObject({ position: 3, valid_from: address.valid_from });
  const sent = { ...host, ip_addresses: [{ ...address, position: 5 }] };
  expect(await replace("hosts", host.id, sent)).toMatchObject({
    ip_addresses: [{ position: 5, valid_from: address.valid_from }],
  });
});

test("after a change to a subnet, accepts a daemon's report as before", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const subnets = [wireSubnet(networkId, "10.77.0.0/24")];
  const seen = async () => {
    const rows = await sql`
      select address.last_seen_at::text as at from ip_addresses as address
      join subnets as subnet on subnet.id = address.live_subnet_id
      where address.organization_id = ${organization.id} and host(address.address) = '10.77.0.3'`;
    return rows.map((row) => String(row["at"]));
  };
  const visit = async () => {
    await scanner.report({ subnets, hosts: [wireHost(networkId, "10.77.0.3", [80])] });
    await scanner.visit();
  };
  await visit();
  const [before] = await seen();
  await sql`update subnets set name = 'new' where organization_id = ${organization.id}
    and valid_to is null and cidr = '10.77.0.0/24'`;
  await visit();
  const [after] = await seen();
  expect(before).toBeDefined();
  expect(String(after) > String(before)).toBe(true);
});

test("keeps an address in the subnet that a person chose", async () => {
  const { create, replace, take, list, address, subnet } = await openFound();
  const wide = await create("subnets", { cidr: "10.0.0.0/16" });
  await replace("ip-addresses", address.id, { ...address, subnet_id: wide.id });
  expect((await take(report)).counts).toMatchObject({ unchanged: 1 });
  expect(await list("ip-addresses")).toMatchObject([{ subnet_id: wide.id }]);
  // If the address has no subnet, discovery may choose one.
  await replace("ip-addresses", address.id, { ...address, subnet_id: null });
  expect((await take(report)).counts).toMatchObject({ changed: 1 });
  expect(await list("ip-addresses")).toMatchObject([{ subnet_id: subnet.id }]);
});

test("discovery may still move an address after its subnet's block has changed", async () => {
  const { create, replace, take, list, subnet } = await openFound();
  await create("subnets", { cidr: "10.0.0.0/16" });
  await replace("subnets", subnet.id, { ...subnet, cidr: "192.0.2.0/24" });
  await take(report);
  const narrow = await create("subnets", { cidr: "10.0.0.0/28" });
  await take(report);
  expect(await list("ip-addresses")).toMatchObject([{ subnet_id: narrow.id }]);
});
