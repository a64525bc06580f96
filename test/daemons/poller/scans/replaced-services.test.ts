import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { mintCredential, mintOrganization } from "../../../helpers/organization.ts";
import { raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";
import { assignCredential, scan } from "../../../helpers/scans.ts";

const ip = "10.77.0.3";
const full = { is_full_scan: true };

/** A host with open ports, each with a product. */
function running({ networkId }: Scanner, products: Readonly<Record<number, string>>) {
  const host = wireHost(networkId, ip, Object.keys(products).map(Number));
  const [unclaimed] = host.services;
  const services = host.ports.map(({ id, number }) => ({
    ...unclaimed,
    id: crypto.randomUUID(),
    service_definition: products[number],
    name: products[number],
    bindings: unclaimed?.bindings.filter(({ port_id }) => port_id === id) ?? [],
  }));
  return { ...host, services };
}

const finding = (scanner: Scanner, product: string, requested?: { is_full_scan: boolean }) =>
  scan(scanner, { hosts: [running(scanner, { 8080: product })] }, requested);

/** Returns all products that have ever been bound to the port, in order. */
async function products({ organization }: Scanner): Promise<string[]> {
  const rows = await sql`
    select service.service_definition as product from bindings as binding
    join services as service on service.organization_id = binding.organization_id
      and service.live_id = (
        select known.live_id from services as known where known.organization_id = binding.organization_id
          and known.id = binding.service_id)
      and service.valid_to is null
    where binding.organization_id = ${organization.id} order by binding.valid_from`;
  return rows.map(({ product }) => String(product));
}

test("a different service found on a port replaces the previous one, once", async () => {
  const scanner = await raiseScanner();
  for (const product of ["Plex", "Jellyfin", "Jellyfin"]) {
    await finding(scanner, product);
  }
  expect(await products(scanner)).toEqual(["Plex", "Jellyfin"]);
});

test("a light scan does not replace a service that a full scan found, but the next full scan does", async () => {
  const scanner = await raiseScanner();
  await finding(scanner, "Plex", full);
  for (const _ of [1, 2]) {
    await finding(scanner, "Jellyfin");
    expect(await products(scanner)).toEqual(["Plex"]);
  }
  await finding(scanner, "Jellyfin", full);
  expect(await products(scanner)).toEqual(["Plex", "Jellyfin"]);
});

test.each([
  ["does not replace a container", true, ["WeeWX"]],
  ["replaces a service on the host", false, ["WeeWX", "Jellyfin"]],
])(
  "a scan without a Docker credential %s that was found with the credential",
  async (_, isContainer, expected) => {
    const scanner = await raiseScanner();
    const docker = await mintCredential(scanner.organization.id);
    await assignCredential(scanner.organization.id, docker, { network_id: scanner.networkId });
    const host = running(scanner, { 8080: "WeeWX" });
    const virtualization = isContainer
      ? { type: "Docker", details: { container_name: "web" } }
      : null;
    const services = host.services.map((service) => ({ ...service, virtualization }));
    await scan(scanner, { hosts: [{ ...host, services }] });
    await sql`delete from credential_networks where credential_id = ${docker}`;
    await finding(scanner, "Jellyfin");
    await finding(scanner, "Jellyfin");
    expect(await products(scanner)).toEqual(expected);
  },
);

test("a daemon does not replace a service that another daemon found", async () => {
  const organization = await mintOrganization();
  const [one, other] = [await raiseScanner({}, organization), await raiseScanner({}, organization)];
  for (const _ of [1, 2]) {
    await finding(one, "Plex");
    await finding(other, "Jellyfin");
    await finding(other, "Jellyfin");
  }
  expect(await products(one)).toEqual(["Plex"]);
});

test("services that one scan finds in two polls do not replace each other", async () => {
  const scanner = await raiseScanner();
  for (const _ of [1, 2]) {
    await scan(scanner, {
      hosts: [running(scanner, { 8080: "Plex" })],
      last: [running(scanner, { 8080: "Jellyfin" })],
    });
  }
  expect(await products(scanner)).toEqual(["Plex"]);
});

test("a service recognized only by its protocol does not replace a product", async () => {
  const scanner = await raiseScanner();
  await finding(scanner, "Plex");
  await finding(scanner, "HTTP");
  expect(await products(scanner)).toEqual(["Plex"]);
});

test("services that swap ports are replaced once", async () => {
  const scanner = await raiseScanner();
  await scan(scanner, { hosts: [running(scanner, { 8080: "Plex", 8443: "Jellyfin" })] });
  for (const _ of [1, 2]) {
    await scan(scanner, { hosts: [running(scanner, { 8080: "Jellyfin", 8443: "Plex" })] });
    expect((await products(scanner)).toSorted()).toEqual(["Jellyfin", "Jellyfin", "Plex", "Plex"]);
  }
});
