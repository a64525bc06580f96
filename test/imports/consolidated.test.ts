import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { at, openImports } from "./helpers.ts";

/** Creates a network with two discovered hosts, only the second of which has the given details. */
async function openPair(other: Record<string, unknown>) {
  const imports = await openImports();
  const { hosts } = await imports.take([at("10.0.0.1"), at("10.0.0.2", other)]);
  const [ownId = "", otherId = ""] = hosts.map(({ host_id }) => host_id ?? "");
  const consolidate = async () =>
    expect(await imports.send("PUT", `hosts/${ownId}/consolidate/${otherId}`)).toMatchObject({
      status: 200,
    });
  const host = async () => (await imports.list("hosts"))[0];
  return { ...imports, ownId, otherId, consolidate, host };
}

test("discovery can change a field that a host took over from a host consolidated into it", async () => {
  const { consolidate, take, host } = await openPair({ operating_system: "Debian 12" });
  await consolidate();
  expect(await host()).toMatchObject({ operating_system: "Debian 12" });
  await take([at("10.0.0.2", { operating_system: "Debian 13" })]);
  expect(await host()).toMatchObject({ operating_system: "Debian 13" });
});

test("a value that a person set on the other host is still treated as set by a person", async () => {
  const { consolidate, take, host, replace, ownId, otherId } = await openPair({});
  // The host's `discovered` column still contains the same value, which discovery reported earlier.
  await take([at("10.0.0.1", { operating_system: "Debian 12" })]);
  await replace("hosts", ownId, { name: "own", operating_system: null });
  await replace("hosts", otherId, { name: "other", operating_system: "Debian 12" });
  await consolidate();
  expect(await host()).toMatchObject({ operating_system: "Debian 12" });
  await take([at("10.0.0.1", { operating_system: "Debian 13" })]);
  expect(await host()).toMatchObject({ operating_system: "Debian 12" });
});

test("a field keeps its evidence", async () => {
  const { consolidate, ownId, otherId } = await openPair({ operating_system: "Debian 12" });
  const evidenceOf = async (id: string) =>
    (await sql`select evidence from hosts where id = ${id} and valid_to is null`)[0]?.["evidence"];
  const evidence = Object(await evidenceOf(otherId)).operating_system;
  expect(evidence).toEqual({ rank: 1 });
  await consolidate();
  expect(await evidenceOf(ownId)).toMatchObject({ operating_system: evidence });
});

test("discovery can change a field that a merged service got from the other host's service", async () => {
  const { take, send, list } = await openImports();
  const web = (address: string, version?: string) =>
    at(address, { ports: [{ number: 80, protocol: "Tcp", service: { name: "Nginx", version } }] });
  const { hosts } = await take([web("10.0.0.1"), web("10.0.0.2", "1.22")]);
  const [ownId, otherId] = hosts.map(({ host_id }) => host_id);
  expect(await send("PUT", `hosts/${ownId}/consolidate/${otherId}`)).toMatchObject({ status: 200 });
  const services = async () => Object(await list("hosts"))[0].services;
  expect(await services()).toMatchObject([{ version: "1.22" }]);
  await take([web("10.0.0.1", "1.24")]);
  expect(await services()).toMatchObject([{ version: "1.24" }]);
});

test("even the first report that moves the other host's address away applies to the whole host", async () => {
  const imports = await openImports();
  const device = (ip_address: string, number: number, more: object = {}) => ({
    addresses: [{ ip_address, mac_address: `02:00:00:00:00:0${number}` }],
    ...more,
  });
  const interfaces = [{ if_index: 1, name: "eth0" }, { if_index: 2 }];
  const { hosts } = await imports.take([
    device("10.0.0.1", 1, { interfaces }),
    device("10.0.0.2", 2),
  ]);
  const [ownId, otherId] = hosts.map(({ host_id }) => host_id);
  const path = `hosts/${ownId}/consolidate/${otherId}`;
  expect(await imports.send("PUT", path)).toMatchObject({ status: 200 });
  // Another device now has the address, and the host is seen at its own address.
  const report = [
    device("10.0.0.2", 3),
    device("10.0.0.1", 1, {
      interfaces: [{ if_index: 1, name: "lan0" }],
      interfaces_complete: true,
    }),
  ];
  await imports.take(report);
  const own = (await imports.list("hosts")).find(({ id }) => id === ownId);
  expect(own?.interfaces).toMatchObject([{ if_index: 1, name: "lan0" }]);
  expect(await imports.take(report)).toMatchObject({
    counts: { unchanged: 2 },
  });
});
