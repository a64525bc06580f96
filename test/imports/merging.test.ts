import { expect, test } from "vitest";
import { shifted } from "../helpers/inventory.ts";
import { at, everyPort, inventoryOf, open, openImports } from "./helpers.ts";

const long = (minutes: number) => shifted(new Date().toISOString(), -60_000 * minutes);

test("importing a report again does not change versions or entity tags", async () => {
  const imports = await openImports();
  const hosts = [
    { hostname: "a", addresses: [{ ip_address: "10.0.0.1", mac_address: "02:00:00:00:00:01" }] },
    at("10.0.0.2", { ports: open({ 22: "Ssh", 80: "Http" }), scanned_ports: everyPort }),
    at("10.0.0.3", { ports: [{ number: 53, protocol: "Udp" }] }),
  ];
  const observed_at = long(1);
  const { hosts: created } = await imports.take(hosts, { observed_at });
  const before = await inventoryOf(imports);
  const again = await imports.take(hosts, { observed_at });
  expect(again.counts).toEqual({ created: 0, changed: 0, unchanged: 3, failed: 0 });
  expect(again.hosts.map(({ host_id }) => host_id)).toEqual(created.map(({ host_id }) => host_id));
  expect(await inventoryOf(imports)).toEqual(before);
});

test("a new sighting updates the last discovery and the time of the last sighting, but not the entity tag", async () => {
  const { take, list, send } = await openImports();
  const host = at("10.0.0.1", { ports: open({ 22: "Ssh" }) });
  const first = await take([host], { observed_at: long(10) });
  const path = `hosts/${first.hosts[0]?.host_id}`;
  const etag = (await send("GET", path)).headers.get("etag");
  const observed_at = long(5);
  const second = await take([host], { observed_at });
  const [seen] = await list("hosts");
  const sighting = {
    first_discovery_id: first.discovery_id,
    last_discovery_id: second.discovery_id,
    last_seen_at: observed_at,
  };
  expect(seen).toMatchObject({
    ...sighting,
    ip_addresses: [sighting],
    ports: [sighting],
    services: [{ ...sighting }],
  });
  expect(await list("bindings")).toMatchObject([sighting]);
  expect((await send("GET", path)).headers.get("etag")).toBe(etag);
});

test("an old report does not move sightings back in time, and does not overwrite or end anything", async () => {
  const imports = await openImports();
  const { take, list } = imports;
  await take([at("10.0.0.1", { hostname: "new", ports: open({ 22: "Ssh" }) })]);
  const before = await inventoryOf(imports);
  const { hosts } = await take([at("10.0.0.1", { hostname: "old", scanned_ports: everyPort })], {
    observed_at: long(60),
  });
  expect(hosts).toMatchObject([{ outcome: "unchanged" }]);
  expect(await inventoryOf(imports)).toEqual(before);
  const filled = await take(
    [at("10.0.0.1", { addresses: [{ ip_address: "10.0.0.1", mac_address: "02:00:00:00:00:01" }] })],
    { observed_at: long(60) },
  );
  expect(filled.hosts).toMatchObject([{ outcome: "changed" }]);
  expect((await list("hosts"))[0]?.last_seen_at).toBe(before.hosts[0]?.last_seen_at);
});

test("discovery fills empty fields, and replaces its own values", async () => {
  const { take, list } = await openImports();
  await take([at("10.0.0.1")]);
  expect(await list("hosts")).toMatchObject([{ name: "10.0.0.1", hostname: null }]);
  await take([at("10.0.0.1", { hostname: "one.example.com" })]);
  expect(await list("hosts")).toMatchObject([
    { name: "one.example.com", hostname: "one.example.com" },
  ]);
  await take([at("10.0.0.1", { name: "One", hostname: "uno.example.com" })]);
  await take([at("10.0.0.1", { hostname: "eins.example.com" })]);
  await take([at("10.0.0.1")]);
  expect(await list("hosts")).toMatchObject([
    { name: "eins.example.com", hostname: "eins.example.com" },
  ]);
});

test("keeps a person's values, on hosts created by a person and by discovery", async () => {
  const { take, create, replace, list } = await openImports();
  const manual = await create("hosts", {
    name: "mine",
    ip_addresses: [{ ip_address: "10.0.0.1", mac_address: "02:00:00:00:00:AA" }],
  });
  const { hosts: created } = await take([
    at("10.0.0.2", { name: "scanned", hostname: "scanned.example.com" }),
  ]);
  const id = created[0]?.host_id ?? "";
  await replace("hosts", id, { name: "renamed", hostname: "scanned.example.com" });
  const report = (ip_address: string) => ({
    name: "again",
    hostname: "again.example.com",
    addresses: [{ ip_address, mac_address: `02:00:00:00:00:0${ip_address.at(-1)}` }],
  });
  const { hosts } = await take([report("10.0.0.1"), report("10.0.0.2")]);
  expect(hosts).toMatchObject([{ host_id: manual.id }, { host_id: id }]);
  const stored = new Map((await list("hosts")).map((host) => [host.id, host]));
  expect(stored.get(manual.id)).toMatchObject({
    name: "mine",
    hostname: "again.example.com",
    source: { type: "Manual" },
    ip_addresses: [{ mac_address: "02:00:00:00:00:AA" }],
  });
  expect(stored.get(id)).toMatchObject({
    name: "renamed",
    hostname: "again.example.com",
    source: { type: "Import" },
  });
});

test("absence does not end a person's bindings, or bindings of a host that was not reported", async () => {
  const { take, create, list } = await openImports();
  const [port_id, ip_address_id] = [crypto.randomUUID(), crypto.randomUUID()];
  await create("hosts", {
    name: "mine",
    ip_addresses: [{ id: ip_address_id, ip_address: "10.0.0.1" }],
    ports: [{ id: port_id, number: 80, protocol: "Tcp" }],
    services: [{ name: "web", bindings: [{ type: "Port", port_id, ip_address_id }] }],
  });
  await take([
    at("10.0.0.1", { ports: open({ 22: "Ssh" }) }),
    at("10.0.0.2", { ports: open({ 22: "Ssh" }) }),
  ]);
  expect(await list("bindings")).toHaveLength(3);
  await take([at("10.0.0.1", { scanned_ports: everyPort })]);
  const left = await list("bindings");
  expect(left).toHaveLength(2);
  expect(left).toContainEqual(expect.objectContaining({ port_id, first_discovery_id: null }));
});

test("a service keeps its port if a report names it differently; the different name is reported as an issue, but the sighting is recorded", async () => {
  const { take, list } = await openImports();
  await take([at("10.0.0.1", { ports: open({ 80: "Nginx" }) })], { observed_at: long(10) });
  const observed_at = long(1);
  const { hosts } = await take([at("10.0.0.1", { ports: open({ 80: "http" }) })], { observed_at });
  expect(hosts).toMatchObject([
    {
      outcome: "unchanged",
      issues: [{ path: "hosts[0].ports[0].service", code: "binding_conflict" }],
    },
  ]);
  expect(await list("services")).toMatchObject([{ name: "Nginx", last_seen_at: observed_at }]);
  expect(await list("bindings")).toMatchObject([{ last_seen_at: observed_at }]);
  expect(
    (await take([at("10.0.0.1", { ports: [{ number: 80, protocol: "Tcp" }] })])).hosts,
  ).toMatchObject([{ outcome: "unchanged", issues: [] }]);
});

test("a service takes over an unclaimed port with the same binding", async () => {
  const { take, list } = await openImports();
  await take([
    at("10.0.0.1", {
      ports: [
        { number: 80, protocol: "Tcp" },
        { number: 81, protocol: "Tcp" },
      ],
    }),
  ]);
  const before = await list("bindings");
  const { hosts } = await take([at("10.0.0.1", { ports: open({ 80: "Nginx" }) })]);
  expect(hosts).toMatchObject([{ outcome: "changed", issues: [] }]);
  const after = await list("bindings");
  expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
  const nginx = (await list("services")).find(({ name }) => name === "Nginx");
  expect(after.filter(({ service_id }) => service_id === nginx?.id)).toHaveLength(1);
  const instant = before[0]?.valid_from ?? "";
  expect((await list("bindings", { at: instant })).map(({ service_id }) => service_id)).toEqual(
    before.map(({ service_id }) => service_id),
  );
});

test("services with the same definition become one service on the host", async () => {
  const { take, list } = await openImports();
  const service = (name: string) => ({ name, definition: "Nginx" });
  await take([
    at("10.0.0.1", {
      ports: [
        { number: 80, protocol: "Tcp", service: service("web") },
        { number: 443, protocol: "Tcp", service: service("tls") },
      ],
    }),
  ]);
  await take([
    at("10.0.0.1", { ports: [{ number: 8080, protocol: "Tcp", service: service("x") }] }),
  ]);
  const services = await list("services");
  expect(services).toHaveLength(1);
  expect(services[0]?.bindings).toHaveLength(3);
});

test("a dry run changes nothing and returns the outcome for every host", async () => {
  const imports = await openImports();
  const { take } = imports;
  await take([at("10.0.0.1", { ports: open({ 22: "Ssh" }) }), at("10.0.0.2")]);
  const before = await inventoryOf(imports);
  const report = [
    at("10.0.0.1", { scanned_ports: everyPort }),
    at("10.0.0.2"),
    at("10.0.0.3"),
    at("nowhere"),
  ];
  const dry = await take(report, { query: "?dry_run=true" });
  expect(dry).toMatchObject({
    dry_run: true,
    discovery_id: null,
    counts: { created: 1, changed: 1, unchanged: 1, failed: 1 },
  });
  expect(await inventoryOf(imports)).toEqual(before);
  const real = await take(report);
  expect(real.counts).toEqual(dry.counts);
  expect(dry.hosts).toEqual(
    real.hosts.map((host) => (host.outcome === "created" ? { ...host, host_id: null } : host)),
  );
});

test("an import reaches each discovery milestone once", async () => {
  const { take, send } = await openImports();
  await take([at("10.0.0.1")]);
  await take([at("10.0.0.2")]);
  const { body } = await send("GET", "organizations");
  expect(body).toMatchObject({
    data: {
      onboarding: ["SecondNetworkCreated", "FirstHostDiscovered", "FirstDiscoveryCompleted"],
    },
  });
});
