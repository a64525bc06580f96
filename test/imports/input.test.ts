import { expect, test } from "vitest";
import { reportLimits } from "../../src/discovery/report.ts";
import { importBounds, maximumSkew } from "../../src/imports/create.ts";
import { importBody } from "../../src/imports/input.ts";
import { mintKey } from "../helpers/organization.ts";
import { at, openImports } from "./helpers.ts";

test.each([
  ["an invalid address", at("10.0.0.256"), "hosts[1].addresses[0].ip_address"],
  ["no address", { addresses: [] }, "hosts[1].addresses"],
  ["addresses that are not a list", { addresses: "10.0.0.2" }, "hosts[1].addresses"],
  ["an unknown field", at("10.0.0.2", { adress: "x" }), "hosts[1].adress"],
  [
    "an unknown field in a port",
    at("10.0.0.2", { ports: [{ number: 1, protocol: "Tcp", state: "open" }] }),
    "hosts[1].ports[0].state",
  ],
  ["a string instead of an object", "10.0.0.2", "hosts[1]"],
  ["null instead of an object", null, "hosts[1]"],
])("only the host with %s fails", async (_, host, path) => {
  const { take, list } = await openImports();
  const { counts, hosts } = await take([at("10.0.0.1"), host, at("10.0.0.3")]);
  expect(counts).toEqual({ created: 2, changed: 0, unchanged: 0, failed: 1 });
  expect(hosts[1]).toMatchObject({
    index: 1,
    outcome: "failed",
    host_id: null,
    issues: [{ path }],
  });
  expect(await list("hosts")).toHaveLength(2);
});

test("treats __proto__ as an unknown field, without prototype pollution", async () => {
  const { send, network_id } = await openImports();
  const host = JSON.parse(
    '{"addresses": [{"ip_address": "10.0.0.1"}], "__proto__": {"name": "x"}}',
  );
  const answer = await send("POST", `networks/${network_id}/imports`, { hosts: [host] });
  expect(answer).toMatchObject({ status: 200 });
  expect(Object.hasOwn(Object.prototype, "name")).toBe(false);
});

test.each([
  ["no hosts", { hosts: [] }, "body.hosts"],
  ["too many hosts", { hosts: Array(reportLimits.hosts + 1).fill(0) }, "body.hosts"],
  ["an object instead of a list", { hosts: {} }, "body.hosts"],
  ["an unknown field", { hosts: [at("10.0.0.1")], host: 1 }, "body.host"],
  ["a source without a name", { hosts: [at("10.0.0.1")], source: {} }, "body.source.name"],
  ["an invalid time", { hosts: [at("10.0.0.1")], observed_at: "now" }, "body.observed_at"],
  [
    "a time in the future",
    { hosts: [at("10.0.0.1")], observed_at: new Date(Date.now() + 10 * maximumSkew).toISOString() },
    "body.observed_at",
  ],
])("rejects a report with %s as a whole", async (_, body, path) => {
  const { post, list } = await openImports();
  expect(await post(body)).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path }] } },
  });
  expect(await list("hosts")).toEqual([]);
});

test("replaces a time from a clock that is slightly ahead with the current time", async () => {
  const { take, list } = await openImports();
  await take([at("10.0.0.1")], {
    observed_at: new Date(Date.now() + maximumSkew / 2).toISOString(),
  });
  expect(Date.parse((await list("hosts"))[0]?.last_seen_at ?? "")).toBeLessThanOrEqual(
    Date.now() + 1000,
  );
});

test("accepts a host with the maximum number of addresses, ports or interfaces, and rejects one more", {
  timeout: 20_000,
}, async () => {
  const { take, list } = await openImports();
  const addresses = (count: number, block: number) =>
    Array.from({ length: count }, (_, i) => ({ ip_address: `10.${block}.${i >> 8}.${i & 255}` }));
  const ports = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ number: i + 1, protocol: "Tcp" as const }));
  const interfaces = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ if_index: i + 1 }));
  const { addressesPerHost, portsPerHost, interfacesPerHost } = reportLimits;
  const largest = {
    addresses: addresses(addressesPerHost, 1),
    ports: ports(portsPerHost),
    interfaces: interfaces(interfacesPerHost),
  };
  const { hosts } = await take([
    largest,
    { addresses: addresses(addressesPerHost + 1, 2) },
    { addresses: addresses(1, 3), ports: ports(portsPerHost + 1) },
    { addresses: addresses(1, 4), interfaces: interfaces(interfacesPerHost + 1) },
  ]);
  expect(hosts.map(({ outcome, issues }) => [outcome, ...issues.map(({ path }) => path)])).toEqual([
    ["created"],
    ["failed", "hosts[1].addresses"],
    ["failed", "hosts[2].ports"],
    ["failed", "hosts[3].interfaces"],
  ]);
  const [host] = await list("hosts");
  expect(host?.ip_addresses).toHaveLength(addressesPerHost);
  expect(host?.ports).toHaveLength(portsPerHost);
  expect(host?.interfaces).toHaveLength(interfacesPerHost);
  expect((await take([largest])).counts).toMatchObject({ unchanged: 1 });
});

test("accepts a report with the maximum number of records, and rejects one more", () => {
  const ports = Array.from({ length: 999 }, (_, i) => ({
    number: i + 1,
    protocol: "Tcp" as const,
  }));
  const host = (_: unknown, number: number) => at(`10.0.0.${number}`, { ports });
  // Hosts with 2,998 records each, and one host whose interfaces make up the rest.
  const hosts = Array.from({ length: Math.floor(reportLimits.rows / 2998) }, host);
  const rest = reportLimits.rows - hosts.length * 2998;
  const last = (more: number) =>
    at("10.0.1.1", {
      ports: ports.slice(0, 100),
      interfaces: Array.from({ length: rest - 301 + more }, (_, i) => ({ if_index: i + 1 })),
    });
  expect(importBody.safeParse({ hosts: [...hosts, last(0)] })).toMatchObject({ success: true });
  expect(importBody.safeParse({ hosts: [...hosts, last(1)] })).toMatchObject({
    error: { issues: [{ path: ["hosts"] }] },
  });
});

test("accepts a body of 8 MiB, and rejects one more byte", async () => {
  const { api, organization, network_id } = await openImports();
  const text = JSON.stringify({ hosts: [at("10.0.0.1")] });
  const send = (body: string) =>
    api.send("POST", `/api/v1/networks/${network_id}/imports`, {
      key: organization.keys.member,
      headers: { "Content-Type": "application/json" },
      body,
    });
  expect(await send(text.padEnd(importBounds.bytes))).toMatchObject({ status: 200 });
  expect(await send(text.padEnd(importBounds.bytes + 1))).toMatchObject({
    status: 413,
    body: { params: { max_bytes: importBounds.bytes } },
  });
});

test("returns 404 for a network that is not in the key's list or belongs to another organization", async () => {
  const { organization, network_id, api } = await openImports();
  const other = await openImports();
  const key = await mintKey(organization.id, { role: "Member" }, [organization.networks[0].id]);
  for (const id of [network_id, other.network_id, crypto.randomUUID()]) {
    const answer = await api.send("POST", `/api/v1/networks/${id}/imports`, {
      key,
      json: { hosts: [at("10.0.0.1")] },
    });
    expect(answer).toMatchObject({
      status: 404,
      body: { code: "entity_not_found", params: { entity: "Network", id } },
    });
  }
  const own = `/api/v1/networks/${organization.networks[0].id}/imports`;
  expect(await api.send("POST", own, { key, json: { hosts: [at("10.0.0.1")] } })).toMatchObject({
    status: 200,
  });
});
