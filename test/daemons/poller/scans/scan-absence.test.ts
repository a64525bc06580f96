import { expect, test } from "vitest";
import { maximumEntities } from "../../../../src/daemons/poller/report/protocol.ts";
import { recordConsole } from "../../../helpers/console.ts";
import { sql } from "../../../helpers/database.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireSubnet,
} from "../../../helpers/protocol.ts";
import { bound, isSettled, scan } from "../../../helpers/scans.ts";

/** Returns the confirmed ids, each with the id of the stored record. */
const allConfirmed = async (scanner: Scanner) =>
  (await scanner.got("discovery/entities-created")).flatMap((body) => {
    const { hosts, subnets } = Object(body);
    return [...hosts, ...subnets].map(([id, { id: stored }]: [string, { id: string }]) => [
      id,
      stored,
    ]);
  });

type WireHost = ReturnType<typeof wireHost>;

const tooManyPorts = Array.from({ length: 1001 }, (_, number) => number + 1);

test("bindings of a host that cannot be stored are kept, and bindings of other hosts end", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3", [80]), wireHost(networkId, "10.77.0.4", [80, 8080])],
  });
  const refused = wireHost(networkId, "10.77.0.3", tooManyPorts);
  const session = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3"), wireHost(networkId, "10.77.0.4", [80])],
    // The host is resent with every poll.
    last: [refused],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80], "10.77.0.4": [80] });
});

test("bindings of a host that could not be stored at some point during a scan are kept as well", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const session = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3"), wireHost(networkId, "10.77.0.3", tooManyPorts)],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
  // In the next scan the host can be stored, and the port is closed.
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [443])] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [443] });
});

test("a service that a user bound to a whole address keeps that binding, however often its port is found", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization } = scanner;
  const scanAgain = () => scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  await scanAgain();
  await sql`update bindings set type = 'IPAddress', port_id = null, ip_address_id = (
      select id from ip_addresses as known
      where known.organization_id = ${organization.id} and known.live_host_id = bindings.live_host_id)
    where organization_id = ${organization.id} and first_discovery_id is not null`;
  const bindings = () =>
    sql`select id, type, valid_to from bindings
      where organization_id = ${organization.id} and first_discovery_id is not null order by valid_from`;
  const before = await bindings();
  expect(before.at(-1)).toMatchObject({ type: "IPAddress", valid_to: null });
  for (let scans = 0; scans < 2; scans++) {
    await scanAgain();
    expect(await bindings()).toEqual(before);
  }
});

test("bindings of a host that is too large to be read are kept, since its address identifies it", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3", [80]), wireHost(networkId, "10.77.0.4", [80, 8080])],
  });
  const session = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3"), wireHost(networkId, "10.77.0.4", [80])],
    last: [wireHost(networkId, "10.77.0.3", [80], { description: "x".repeat(300_000) })],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80], "10.77.0.4": [80] });
});

const manyFields = Object.fromEntries(Array.from({ length: 10_001 }, (_, field) => [field, 1]));

test.each([
  [
    "whose id cannot be read",
    (host: WireHost) => ({ ...host, host: { ...manyFields, ...host.host } }),
  ],
  ["with more lists than the limit", (host: WireHost) => ({ ...manyFields, ...host })],
  [
    "with an unreadable address",
    (host: WireHost) => ({
      ...host,
      ip_addresses: host.ip_addresses.map((address) => ({ ...address, name: "x".repeat(300_000) })),
    }),
  ],
  [
    "with more addresses than the limit",
    (host: WireHost) => ({ ...host, ip_addresses: Array.from({ length: 10_001 }, () => 0) }),
  ],
])("a scan that found a host %s does not end anything", async (_, spoil) => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const session = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3")],
    last: [spoil(wireHost(networkId, "10.77.0.3", [80]))],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
  // The next scan, in which the host is found without the port, ends the binding.
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3")] });
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [] });
});

test("bindings of a rejected host are also kept if only its id matches a stored host", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const [[, id] = []] = await allConfirmed(scanner);
  const moved = wireHost(networkId, "10.77.0.9", tooManyPorts, { id });
  const session = await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3"), moved] });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
});

test("contradictory hosts do not prevent a scan from being settled, and their bindings are kept", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  const twins = [443, 8443].map((port) => wireHost(networkId, "10.77.0.3", [port]));
  const session = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.3")],
    last: twins,
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.3": [80] });
  // Both were confirmed unchanged, so neither is resent.
  const confirmed = await allConfirmed(scanner);
  for (const { host } of twins) {
    expect(confirmed).toContainEqual([host.id, host.id]);
  }
});

test("entities that can never be stored are confirmed unchanged, after the stored entities", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const good = wireHost(networkId, "10.77.0.3", [80]);
  const refused = wireHost(networkId, "10.77.0.4", tooManyPorts);
  const foreign = wireSubnet(crypto.randomUUID(), "10.99.0.0/24");
  await scanner.report({ hosts: [refused, good], subnets: [foreign, { cidr: 1 }] });
  await scanner.visit();
  const calls = await scanner.got("discovery/entities-created");
  expect(calls).toMatchObject([
    { hosts: [[good.host.id, { name: "10.77.0.3" }]], subnets: [] },
    {
      hosts: [[refused.host.id, { id: refused.host.id, ports: { length: 1001 } }]],
      subnets: [[foreign.id, { id: foreign.id, cidr: "10.99.0.0/24" }]],
    },
  ]);
});

test("the log names the first twenty entities that are not stored, with the reason for each", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const twins = [443, 8443].map((port) => wireHost(networkId, "10.77.0.3", [port]));
  const refused = Array.from({ length: 20 }, () => wireSubnet(crypto.randomUUID(), "10.99.0.0/24"));
  await scanner.report({ hosts: [null, ...twins], subnets: refused });
  const logged = recordConsole();
  await scanner.visit();
  const [line] = logged()
    .split("\n")
    .filter((line) => line.includes('"event":"visit"'));
  const visit = JSON.parse(line ?? "null");
  expect(visit).toMatchObject({ hosts: 0, failed: 2, refused: 21 });
  expect(visit.not_stored).toHaveLength(20);
  expect(visit.not_stored.slice(0, 4)).toEqual([
    { id: null, reason: "wrong_shape" },
    ...twins.map(({ host }) => ({ id: host.id, reason: "same_address" })),
    { id: refused[0]?.id, reason: "other_network" },
  ]);
});

test("an entity without an id, or with the id of a stored entity, is not confirmed unchanged", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const found = wireHost(networkId, "10.77.0.3");
  const nameless = wireHost(networkId, "10.77.0.4", tooManyPorts, {
    id: "00000000-0000-0000-0000-000000000000",
  });
  const scanned = wireHost(networkId, "10.77.0.3", tooManyPorts, { id: found.host.id });
  await scanner.report({ hosts: [found, scanned, nameless, { host: { id: "1" } }, null] });
  await scanner.visit();
  expect(await scanner.got("discovery/entities-created")).toHaveLength(1);
  const [[id, stored] = []] = await allConfirmed(scanner);
  expect(id).toBe(found.host.id);
  expect(stored).not.toBe(id);
});

test("if a daemon rejects the confirmation of unstored entities, other entities are not affected", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.4", [80, 8080])] });
  await scanner.behave({ "discovery/entities-created": { kind: "answer", status: 422 } });
  const session = await scan(scanner, {
    hosts: [wireHost(networkId, "10.77.0.4", [80])],
    last: [wireHost(networkId, "10.77.0.3", tooManyPorts)],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ "10.77.0.4": [80] });
});

test("a thousand invalid hosts do not prevent the next hosts from being stored", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const failing = Array.from({ length: maximumEntities.hosts }, () =>
    wireHost(networkId, "10.77.0.3"),
  );
  const good = wireHost(networkId, "10.77.0.4", [80]);
  const hosts = [...failing, good];
  await scanner.report({ hosts });
  await scanner.visit();
  expect(await bound(scanner)).toEqual({});
  const confirmed = new Set((await allConfirmed(scanner)).map(([id]) => id));
  await scanner.report({ hosts: hosts.filter(({ host }) => !confirmed.has(host.id)) });
  await scanner.visit();
  expect(await bound(scanner)).toEqual({ "10.77.0.4": [80] });
});

test("a scan is not settled while hosts are deferred", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const failing = Array.from({ length: maximumEntities.hosts }, () =>
    wireHost(networkId, "10.77.0.3"),
  );
  const waiting = wireHost(networkId, "10.77.0.4", [80]);
  const session = await scan(scanner, { hosts: [], last: [...failing, waiting] });
  expect(await isSettled(session)).toBe(false);
  await scanner.report({ hosts: [waiting] });
  await scanner.visit();
  expect(await isSettled(session)).toBe(false);
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(session)).toBe(true);
});

test.each([
  [10_000, [80]],
  [10_001, [80, 8080]],
])(
  "after a scan that could not store %i addresses, the ports bound to other addresses are %j",
  async (count, expected) => {
    const scanner = await raiseScanner();
    const { networkId } = scanner;
    await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])] });
    const ip_addresses = Array.from({ length: count }, (_, number) => ({
      id: crypto.randomUUID(),
      ip_address: `10.1.${number >> 8}.${number & 255}`,
    }));
    const half = count >> 1;
    const refused = [ip_addresses.slice(0, half), ip_addresses.slice(half)].map((addresses) => ({
      ...wireHost(networkId, "10.1.0.0", [70_000]),
      ip_addresses: addresses,
    }));
    const session = await scan(scanner, {
      hosts: [wireHost(networkId, "10.77.0.3", [80]), ...refused],
    });
    expect(await isSettled(session)).toBe(true);
    expect(await bound(scanner)).toEqual({ "10.77.0.3": expected });
  },
);

test("loopback addresses and addresses of hosts on another network do not protect bindings", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const withLoopback = (openPorts: number[]) => {
    const host = wireHost(networkId, "10.77.0.3", openPorts);
    const loopback = { id: crypto.randomUUID(), ip_address: "127.0.0.1" };
    return { ...host, ip_addresses: [...host.ip_addresses, loopback] };
  };
  await scan(scanner, { hosts: [withLoopback([80, 8080])] });
  const session = await scan(scanner, {
    hosts: [withLoopback([80])],
    last: [
      wireHost(networkId, "127.0.0.1", tooManyPorts),
      wireHost(crypto.randomUUID(), "10.77.0.3"),
    ],
  });
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toMatchObject({ "10.77.0.3": [80] });
});

test("a scan is settled only after its entities have been confirmed", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  await scanner.behave({ "discovery/entities-created": { kind: "answer", status: 503 } });
  const host = wireHost(networkId, "10.77.0.3", [80]);
  const session = await scan(scanner, { hosts: [host], last: [host] });
  expect(await isSettled(session)).toBe(false);
  await scanner.behave({ "discovery/entities-created": answered("ok") });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(session)).toBe(true);
});
