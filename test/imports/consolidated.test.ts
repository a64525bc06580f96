import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { at, openImports } from "./helpers.ts";

/** A network with two discovered hosts, of which only the other one says what is sent of it. */
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

test("what a host has from one that was consolidated into it stays discovery's to change", async () => {
  const { consolidate, take, host } = await openPair({ operating_system: "Debian 12" });
  await consolidate();
  expect(await host()).toMatchObject({ operating_system: "Debian 12" });
  await take([at("10.0.0.2", { operating_system: "Debian 13" })]);
  expect(await host()).toMatchObject({ operating_system: "Debian 13" });
});

test("what a person wrote of the other host stays a person's", async () => {
  const { consolidate, take, host, replace, ownId, otherId } = await openPair({});
  // The host's own record goes on to note that discovery found the same once.
  await take([at("10.0.0.1", { operating_system: "Debian 12" })]);
  await replace("hosts", ownId, { name: "own", operating_system: null });
  await replace("hosts", otherId, { name: "other", operating_system: "Debian 12" });
  await consolidate();
  expect(await host()).toMatchObject({ operating_system: "Debian 12" });
  await take([at("10.0.0.1", { operating_system: "Debian 13" })]);
  expect(await host()).toMatchObject({ operating_system: "Debian 12" });
});

test("how sure a field was comes with it", async () => {
  const { consolidate, ownId, otherId } = await openPair({ operating_system: "Debian 12" });
  const evidenceOf = async (id: string) =>
    (await sql`select evidence from hosts where id = ${id} and valid_to is null`)[0]?.["evidence"];
  const known = Object(await evidenceOf(otherId)).operating_system;
  expect(known).toEqual({ rank: 1 });
  await consolidate();
  expect(await evidenceOf(ownId)).toMatchObject({ operating_system: known });
});

test("what a merged service has from the other host's stays discovery's to change", async () => {
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
