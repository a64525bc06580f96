import { expect, test } from "vitest";
import { importResult } from "../../src/imports/model.ts";
import { at, type Imports, open, openImports } from "./helpers.ts";

interface Port {
  number: number;
  /** The product that a probe found. If omitted, nmap names the service after the port number. */
  product?: string;
  version?: string;
  /** The protocol's name in nmap. */
  protocol?: string;
  isInTls?: boolean;
}

const element = ({ number, product, version, protocol = "http", isInTls = false }: Port) => `
  <port protocol="tcp" portid="${number}"><state state="open" reason="syn-ack"/>${
    product === undefined
      ? `<service name="http" method="table" conf="3"/>`
      : `<service name="${protocol}" ${isInTls ? `tunnel="ssl"` : ""} product="${product}" ${
          version === undefined ? "" : `version="${version}"`
        } method="probed" conf="10"/>`
  }</port>`;

/** nmap's output for one host, with the current time rounded up to whole seconds. */
const nmap = (ports: readonly Port[], os = "") => `<?xml version="1.0"?>
<nmaprun scanner="nmap" version="7.94" start="1700000000">
<scaninfo type="syn" protocol="tcp" services="1-65535"/>
<host><status state="up" reason="syn-ack"/><address addr="10.0.0.1" addrtype="ipv4"/>
<ports>${ports.map(element).join("")}</ports>${os}</host>
<runstats><finished time="${Math.ceil(Date.now() / 1000)}" exit="success"/></runstats>
</nmaprun>`;

/** Imports an nmap file, and returns the outcome for its only host. */
async function scan(imports: Imports, ports: readonly Port[], os?: string) {
  const { api, organization, network_id } = imports;
  const answer = await api.send("POST", `/api/v1/networks/${network_id}/imports`, {
    key: organization.keys.member,
    headers: { "Content-Type": "application/xml" },
    body: nmap(ports, os),
  });
  expect(answer).toMatchObject({ status: 200 });
  const { outcome, issues } = importResult.parse(Object(answer.body).data).hosts[0] ?? {};
  return { outcome, issues };
}

/** The only host's services, by the ports that they are bound to. */
async function services({ list }: Imports) {
  const [host] = await list("hosts");
  const numbers = new Map(host?.ports.map(({ id, number }) => [id, number]));
  return Object.fromEntries(
    (host?.services ?? []).map(({ bindings, name, service_definition, version }) => [
      bindings
        .map(({ port_id }) => numbers.get(port_id ?? "") ?? 0)
        .sort((one, other) => one - other)
        .join(),
      { name, service_definition, version },
    ]),
  );
}

const nginx = { number: 8080, product: "nginx", version: "1.24.0" };

test("a probe replaces a guess, but keeps the service and binding", async () => {
  const imports = await openImports();
  await scan(imports, [{ number: 80 }]);
  const [guessed] = await imports.list("bindings");
  await scan(imports, [{ ...nginx, number: 80 }]);
  const [probed] = await imports.list("bindings");
  expect(probed).toMatchObject({ id: guessed?.id, service_id: guessed?.service_id });
  expect(await services(imports)).toMatchObject({
    80: { service_definition: "nginx", version: "nginx 1.24.0" },
  });
});

test("a guess does not change a probed service, and is not a conflict", async () => {
  const imports = await openImports();
  await scan(imports, [{ ...nginx, number: 80 }, nginx]);
  const before = await services(imports);
  const versions = await imports.list("services");
  expect(await scan(imports, [{ number: 80 }, { number: 8080 }])).toMatchObject({ issues: [] });
  expect(await services(imports)).toEqual(before);
  expect((await imports.list("services")).map(({ valid_from }) => valid_from)).toEqual(
    versions.map(({ valid_from }) => valid_from),
  );
});

test("two ports with the same product are two services, because nmap does not group ports", async () => {
  const imports = await openImports();
  for (const _ of [1, 2]) {
    await scan(imports, [{ ...nginx, number: 443 }, nginx]);
    expect(Object.keys(await services(imports))).toEqual(["443", "8080"]);
  }
});

test("a port that closes and opens again belongs to the same service", async () => {
  const imports = await openImports();
  await scan(imports, [{ ...nginx, number: 443 }, nginx]);
  const before = (await imports.list("services")).map(({ id }) => id);
  await scan(imports, [nginx]);
  await scan(imports, [{ ...nginx, number: 443 }, nginx]);
  expect((await imports.list("services")).map(({ id }) => id)).toEqual(before);
  expect(Object.keys(await services(imports))).toEqual(["443", "8080"]);
});

const apache = { ...nginx, product: "Apache httpd", version: "2.4.62" };

test("ends a product's binding if another product has replaced it on its port, and keeps the binding in history", async () => {
  const imports = await openImports();
  await scan(imports, [nginx]);
  const before = await imports.list("bindings");
  expect(await scan(imports, [apache])).toEqual({ outcome: "changed", issues: [] });
  expect(await services(imports)).toMatchObject({ 8080: { service_definition: "Apache httpd" } });
  const [binding, ...others] = await imports.list("bindings");
  expect(others).toEqual([]);
  expect(binding?.service_id).not.toBe(before[0]?.service_id);
  const then = new Date(Date.parse(binding?.valid_from ?? "") - 1).toISOString();
  expect(await imports.list("bindings", { at: then })).toMatchObject([
    { lineage_id: binding?.id, service_id: before[0]?.service_id },
  ]);
  expect(await scan(imports, [apache])).toEqual({ outcome: "unchanged", issues: [] });
});

test("keeps a service that a person renamed, but binds its port to the new product", async () => {
  const imports = await openImports();
  await scan(imports, [nginx]);
  const [service] = await imports.list("services");
  await imports.replace("services", service?.id ?? "", { ...service, name: "Intranet" });
  expect(await scan(imports, [apache])).toEqual({ outcome: "changed", issues: [] });
  expect(await services(imports)).toMatchObject({
    "": { name: "Intranet", service_definition: "nginx" },
    8080: { service_definition: "Apache httpd" },
  });
});

test.each(["http", "something"])(
  "a protocol without a product (%s) does not replace the product on its port",
  async (protocol) => {
    const imports = await openImports();
    await scan(imports, [nginx]);
    const conflict = { outcome: "unchanged", issues: [{ code: "binding_conflict" }] };
    expect(await scan(imports, [{ number: 8080, product: "", protocol }])).toMatchObject(conflict);
    expect(await services(imports)).toMatchObject({ 8080: { service_definition: "nginx" } });
  },
);

test("an import without scanned ports does not replace a service", async () => {
  const imports = await openImports();
  await scan(imports, [nginx]);
  const { hosts } = await imports.take([at("10.0.0.1", { ports: open({ 8080: "Apache" }) })]);
  expect(hosts).toMatchObject([{ issues: [{ code: "binding_conflict" }] }]);
  expect(await services(imports)).toMatchObject({ 8080: { service_definition: "nginx" } });
});

test("a changed product version starts a new version of the service", async () => {
  const imports = await openImports();
  await scan(imports, [nginx]);
  await scan(imports, [{ ...nginx, version: "1.26.2" }]);
  const [service] = await imports.list("services");
  expect(service?.version).toBe("nginx 1.26.2");
  const then = new Date(Date.parse(service?.valid_from ?? "") - 1).toISOString();
  expect(await imports.list("services", { at: then })).toMatchObject([{ version: "nginx 1.24.0" }]);
  expect(await imports.list("services", { q: "1.26.2" })).toHaveLength(1);
});

test("nmap's best match is the operating system until a report states one explicitly", async () => {
  const imports = await openImports();
  const os = `<os><osmatch name="Linux 5.0" accuracy="91"/><osmatch name="Linux 6.1" accuracy="97"/></os>`;
  await scan(imports, [nginx], os);
  expect(await imports.list("hosts", { q: "linux 6" })).toMatchObject([
    { operating_system: "Linux 6.1" },
  ]);
  await imports.take([{ addresses: [{ ip_address: "10.0.0.1" }], operating_system: "Debian 13" }]);
  expect(await imports.list("hosts")).toMatchObject([{ operating_system: "Debian 13" }]);
  await scan(imports, [nginx], os);
  expect(await imports.list("hosts")).toMatchObject([{ operating_system: "Debian 13" }]);
});

test("a service on two ports with separate guesses replaces both guesses", async () => {
  const imports = await openImports();
  await scan(imports, [{ number: 80 }, { number: 443 }, { number: 22 }]);
  const before = await imports.list("bindings");
  await imports.take([
    {
      addresses: [{ ip_address: "10.0.0.1" }],
      ports: [80, 443].map((number) => ({ number, protocol: "Tcp", service: { name: "Caddy" } })),
    },
  ]);
  expect(Object.keys(await services(imports)).sort()).toEqual(["22", "80,443"]);
  expect((await imports.list("bindings")).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});

test.each([
  ["with one version", "1.24.0"],
  ["with two versions", "1.26.0"],
])("one service on two ports that nmap lists separately, %s, changes once", async (_, version) => {
  const imports = await openImports();
  await imports.take([at("10.0.0.1", { ports: open({ 443: "nginx", 80: "nginx" }) })]);
  const seen = [
    { ...nginx, number: 80 },
    { ...nginx, number: 443, version, isInTls: true },
  ];
  expect(await scan(imports, seen)).toEqual({ outcome: "changed", issues: [] });
  const before = await imports.list("services");
  // The fields on which the two ports disagree are not changed again.
  expect(before).toMatchObject([{ name: "nginx", version: "nginx 1.24.0" }]);
  for (const again of [seen, seen.toReversed()]) {
    expect(await scan(imports, again)).toEqual({ outcome: "unchanged", issues: [] });
  }
  expect(await imports.list("services")).toMatchObject([{ valid_from: before[0]?.valid_from }]);
});

test("a version changes a service if one port reports it, or if all of them do", async () => {
  const imports = await openImports();
  await imports.take([at("10.0.0.1", { ports: open({ 443: "nginx", 80: "nginx" }) })]);
  const both = (version: string) => [80, 443].map((number) => ({ ...nginx, number, version }));
  for (const version of ["1.24.0", "1.26.0"]) {
    await scan(imports, both(version));
    expect(await imports.list("services")).toMatchObject([{ version: `nginx ${version}` }]);
  }
  await scan(imports, [{ ...nginx, number: 443, version: "1.28.0" }]);
  expect(await imports.list("services")).toMatchObject([{ version: "nginx 1.28.0" }]);
});

test("ignores a service whose only port is bound to another service", async () => {
  const imports = await openImports();
  const old = { number: 8080, product: "Apache", version: "2.2" };
  await scan(imports, [old]);
  // A user's binding is kept.
  const [host] = await imports.list("hosts");
  const place = { host_id: host?.id, network_id: imports.network_id };
  const port = await imports.create("ports", { ...place, number: 80, protocol: "Tcp" });
  const bindings = [{ type: "Port", port_id: port.id, ip_address_id: null }];
  await imports.create("services", {
    ...place,
    name: "nginx",
    service_definition: "nginx",
    bindings,
  });
  const taken = [{ ...old, number: 80, version: "2.4" }];
  // The first scan closes the service's own port.
  for (const outcome of ["changed", "unchanged", "unchanged"]) {
    expect(await scan(imports, taken)).toMatchObject({
      outcome,
      issues: [{ code: "binding_conflict" }],
    });
    const services = await imports.list("services");
    expect(services.map(({ name, version }) => version ?? name).sort()).toEqual([
      "Apache 2.2",
      "nginx",
    ]);
  }
});

test("adds the product and version that nmap finds to the well-known service on the port", async () => {
  const imports = await openImports();
  await imports.take([at("10.0.0.1", { ports: open({ 22: "SSH" }) })]);
  const ssh = { number: 22, product: "OpenSSH", version: "9.2p1", protocol: "ssh" };
  for (const outcome of ["changed", "unchanged"]) {
    expect(await scan(imports, [ssh])).toEqual({ outcome, issues: [] });
  }
  expect(await imports.list("services")).toMatchObject([
    { name: "SSH", service_definition: "SSH", version: "OpenSSH 9.2p1" },
  ]);
  expect(await scan(imports, [{ ...ssh, version: "9.7p1" }])).toMatchObject({ issues: [] });
  expect(await imports.list("services")).toMatchObject([{ version: "OpenSSH 9.7p1" }]);
});

test("a guess that a person renamed gets the probed product, and keeps its name", async () => {
  const imports = await openImports();
  await scan(imports, [{ number: 80 }]);
  const [guessed] = await imports.list("services");
  await imports.replace("services", guessed?.id ?? "", { ...guessed, name: "Intranet" });
  for (const outcome of ["changed", "unchanged"]) {
    expect(await scan(imports, [{ ...nginx, number: 80 }])).toEqual({ outcome, issues: [] });
  }
  expect(await imports.list("services")).toMatchObject([
    { id: guessed?.id, name: "Intranet", service_definition: "nginx", version: "nginx 1.24.0" },
  ]);
});

test("keeps a guess that a person renamed when its port moves to another service of the host", async () => {
  const imports = await openImports();
  await imports.take([at("10.0.0.1", { ports: open({ 443: "Caddy" }) })]);
  await scan(imports, [{ number: 80 }, { number: 443 }]);
  const guessed = (await imports.list("services")).find(({ name }) => name === "HTTP");
  await imports.replace("services", guessed?.id ?? "", { ...guessed, name: "Intranet" });
  await imports.take([at("10.0.0.1", { ports: open({ 80: "Caddy", 443: "Caddy" }) })]);
  expect(Object.keys(await services(imports)).sort()).toEqual(["", "80,443"]);
});
