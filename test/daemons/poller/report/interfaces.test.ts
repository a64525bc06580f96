import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { mintCredential } from "../../../helpers/organization.ts";
import { raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";
import { assignCredential, scan } from "../../../helpers/scans.ts";

const ip = "10.77.0.3";

const one = (if_index: number, more: object = {}) => ({
  if_index,
  if_descr: `Ethernet ${if_index}`,
  if_type: 6,
  admin_status: "Up",
  oper_status: "Up",
  ...more,
});

/** The host as the daemon reports it, with these interfaces. They have the host's address. */
const seen = (
  { networkId }: Pick<Scanner, "networkId">,
  interfaces: readonly object[],
  more: object = {},
) => {
  const host = wireHost(networkId, ip);
  const [address] = host.ip_addresses;
  return {
    ...host,
    interfaces: interfaces.map((sent) => ({ ip_address_id: address?.id, ...sent })),
    ...more,
  };
};

/** Runs a scan that finds one host with these interfaces. */
const see = (
  scanner: Scanner,
  interfaces: readonly object[],
  more: object = {},
  requested?: { is_full_scan: boolean },
) => scan(scanner, { hosts: [seen(scanner, interfaces, more)] }, requested);

const storedOf = ({ organization }: Pick<Scanner, "organization">) =>
  sql`select if_index, description, oper_status, cardinality(ip_address_ids) as addresses, revision::int
    from interfaces where organization_id = ${organization.id} and valid_to is null order by if_index`;

const numbers = async (scanner: Scanner) =>
  (await storedOf(scanner)).map(({ if_index }) => if_index);

test("reported interfaces are stored, and end once a complete table no longer contains them", async () => {
  const scanner = await raiseScanner();
  await see(scanner, [one(1), one(2)]);
  const both = await storedOf(scanner);
  expect(both).toMatchObject([
    { if_index: 1, description: "Ethernet 1", oper_status: "Up", addresses: 1 },
    { if_index: 2, addresses: 1 },
  ]);
  // None of these tables ends an interface: a complete table with both interfaces, an incomplete
  // table, a table with an invalid entry, and an empty table.
  await see(scanner, [one(1), one(2)]);
  await see(scanner, [one(1)], { interfaces_complete: false });
  await see(scanner, [one(1), { if_index: 0 }]);
  await see(scanner, []);
  expect(await storedOf(scanner)).toEqual(both);
  await see(scanner, [one(2, { oper_status: "Down" })]);
  expect(await storedOf(scanner)).toMatchObject([{ if_index: 2, oper_status: "Down" }]);
});

test("a daemon reports the alias of an interface, but not its VLANs", async () => {
  const scanner = await raiseScanner();
  const sent = { if_alias: "to the attic", native_vlan_id: crypto.randomUUID() };
  await see(scanner, [one(1, sent)]);
  const aliasOf = () => sql`
    select alias, native_vlan, tagged_vlans from interfaces
    where organization_id = ${scanner.organization.id} and valid_to is null`;
  expect(await aliasOf()).toEqual([
    { alias: "to the attic", native_vlan: null, tagged_vlans: null },
  ]);
  await see(scanner, [one(1)]);
  expect(await aliasOf()).toMatchObject([{ alias: "to the attic" }]);
  await see(scanner, [one(1, { if_alias: "to the cellar" })]);
  expect(await aliasOf()).toMatchObject([{ alias: "to the cellar" }]);
});

test("keeps a description that a user wrote, and interfaces that a user created", async () => {
  const scanner = await raiseScanner();
  const { id } = scanner.organization;
  await see(scanner, [one(1)]);
  await sql`update interfaces set description = 'Uplink' where organization_id = ${id}`;
  await sql`insert into interfaces (organization_id, host_id, if_index)
    select organization_id, live_host_id, 7 from interfaces
    where organization_id = ${id} and valid_to is null`;
  await see(scanner, [one(1, { if_descr: "Another", oper_status: "Down" })]);
  expect(await storedOf(scanner)).toMatchObject([
    { if_index: 1, description: "Uplink", oper_status: "Down" },
    { if_index: 7, description: null },
  ]);
});

test("a scan does not end interfaces that it has found itself", async () => {
  const scanner = await raiseScanner();
  await scan(scanner, { hosts: [seen(scanner, [one(1)])], last: [seen(scanner, [one(2)])] });
  expect(await numbers(scanner)).toEqual([1, 2]);
});

test("a light scan does not end interfaces that were last found by a full scan", async () => {
  const scanner = await raiseScanner();
  await see(scanner, [one(1), one(2)], {}, { is_full_scan: true });
  await see(scanner, [one(1)], {}, { is_full_scan: false });
  expect(await numbers(scanner)).toEqual([1, 2]);
  await see(scanner, [one(1)], {}, { is_full_scan: true });
  expect(await numbers(scanner)).toEqual([1]);
});

test("a scan without a credential does not end interfaces that were found with it", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const snmp = await mintCredential(organization.id, {
    settings: { type: "SnmpV2c", community: { mode: "FilePath", path: "/run/community" } },
  });
  await assignCredential(organization.id, snmp, { network_id: networkId });
  await see(scanner, [one(1), one(2)]);
  await sql`delete from credential_networks where credential_id = ${snmp}`;
  await see(scanner, [one(1)]);
  expect(await numbers(scanner)).toEqual([1, 2]);
  await assignCredential(organization.id, snmp, { network_id: networkId });
  await see(scanner, [one(1)]);
  expect(await numbers(scanner)).toEqual([1]);
});

test("a scan without a Docker credential ends interfaces that were found with it", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const docker = await mintCredential(organization.id, { settings: { type: "DockerSocket" } });
  await assignCredential(organization.id, docker, { network_id: networkId });
  await see(scanner, [one(1), one(2)]);
  await sql`delete from credentials where id = ${docker}`;
  await see(scanner, [one(1)]);
  expect(await numbers(scanner)).toEqual([1]);
});

test("a daemon does not end interfaces that were last found by another daemon", async () => {
  const scanner = await raiseScanner();
  const other = await raiseScanner({}, scanner.organization);
  await see(scanner, [one(1), one(2)]);
  await see(other, [one(1)]);
  expect(await numbers(scanner)).toEqual([1, 2]);
  await see(scanner, [one(1)]);
  expect(await numbers(scanner)).toEqual([1]);
});
