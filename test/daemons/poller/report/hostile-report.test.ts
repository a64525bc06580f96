import { expect, test } from "vitest";
import { pollBatch } from "../../../../src/daemons/poller/batch.ts";
import { pollBounds } from "../../../../src/daemons/poller/ingest-poll.ts";
import { pollTimes } from "../../../../src/daemons/poller/poll.ts";
import { maximumEntities } from "../../../../src/daemons/poller/report/protocol.ts";
import { recordConsole } from "../../../helpers/console.ts";
import { daemonRow, leaseDaemon } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireProgress,
} from "../../../helpers/protocol.ts";
import { changingNothing } from "../../../helpers/rows.ts";
import { mintSession, sessionRow } from "../../../helpers/sessions.ts";

const discovered = async ({ organization }: Scanner) => {
  const [row] = await sql`select count(*)::int from hosts
    where organization_id = ${organization.id} and source = 'Discovery' and valid_to is null`;
  return row?.["count"];
};

/** Returns a poll response body of this many bytes, most of them spaces. */
function padded(scanner: Scanner, bytes: number): string {
  const of = (if_descr: string) =>
    JSON.stringify({
      success: true,
      data: {
        progress: null,
        entities: {
          hosts: [{ ...wireHost(scanner.networkId, "10.77.0.3"), interfaces: [{ if_descr }] }],
        },
      },
    });
  return of(" ".repeat(bytes - of("").length));
}

test("reads a response of 8 MiB, and rejects one that is a byte longer", async () => {
  const scanner = await raiseScanner();
  await scanner.behave({
    poll: { kind: "answer", body: padded(scanner, pollBounds.bytes + 1) },
  });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(0);
  expect(await daemonRow(scanner.id)).toMatchObject({ consecutive_failures: 0 });
  await scanner.behave({ poll: { kind: "answer", body: padded(scanner, pollBounds.bytes) } });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(1);
});

test("counts a million hosts before it parses them, and rejects them", async () => {
  const scanner = await raiseScanner();
  const body = `{"success":true,"data":{"progress":null,"entities":{"hosts":[${"{},".repeat(999_999)}{}],"subnets":[]}}}`;
  await scanner.behave({ poll: { kind: "answer", body } });
  const claimed = await leaseDaemon(scanner.id);
  await scanner.poller.poll(claimed);
  expect(await discovered(scanner)).toBe(0);
  expect(await scanner.got("discovery/entities-created")).toEqual([]);
});

const long = (length: number) => "x".repeat(length);

/** Values that make a host too large. */
type Excess = { host?: object; interfaces?: object[] };

test.each<[string, Excess]>([
  [
    "four long SNMP texts",
    {
      host: {
        sys_descr: long(65_535),
        sys_name: long(65_535),
        sys_location: long(65_535),
        sys_contact: long(65_535),
      },
    },
  ],
  ["10,001 interfaces", { interfaces: Array.from({ length: 10_001 }, () => ({})) }],
  ["a description with 300,000 characters", { host: { description: long(300_000) } }],
])(
  "a host with %s is rejected and confirmed, and the next host and the progress are still read",
  async (_, { host = {}, interfaces = [] }) => {
    const scanner = await raiseScanner();
    const { organization, networkId, id } = scanner;
    const session = await mintSession(organization.id, networkId, id, { is_full_scan: false });
    await scanner.report({});
    await scanner.visit();
    const good = wireHost(networkId, "10.77.0.3", [80]);
    const bad = { ...wireHost(networkId, "10.77.0.4", [80], host), interfaces };
    await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts: [bad, good] });
    const logs = recordConsole();
    await scanner.visit();
    expect(await discovered(scanner)).toBe(1);
    expect(logs()).toContain(`"not_stored":[{"id":"${bad.host.id}","reason":"too_large"}]`);
    expect(await sessionRow(session)).toMatchObject({ phase: "Scanning", progress: 50 });
    expect(await scanner.got("discovery/entities-created")).toMatchObject([
      { hosts: [[good.host.id, { name: "10.77.0.3" }]] },
      {
        hosts: [[bad.host.id, { id: bad.host.id, name: "10.77.0.4", ip_addresses: { length: 1 } }]],
      },
    ]);
  },
);

test("ignores a field named __proto__ in a host", async () => {
  const scanner = await raiseScanner();
  const host = wireHost(scanner.networkId, "10.77.0.3");
  const body = JSON.stringify({
    success: true,
    data: { progress: null, entities: { hosts: [host], subnets: [] } },
  }).replace('"hostname":null', '"__proto__":{"hostname":"evil"}');
  expect(body).toContain("evil");
  await scanner.behave({ poll: { kind: "answer", body } });
  await scanner.visit();
  expect(
    await sql`select name, hostname from hosts
      where organization_id = ${scanner.organization.id} and valid_to is null and source = 'Discovery'`,
  ).toEqual([{ name: "10.77.0.3", hostname: null }]);
});

test("one poll stores at most a thousand hosts, and the next poll stores the rest", async () => {
  const scanner = await raiseScanner();
  const hosts = Array.from({ length: maximumEntities.hosts + 5 }, (_, number) =>
    wireHost(scanner.networkId, `10.${80 + (number >> 8)}.0.${number & 255}`),
  );
  await scanner.report({ hosts });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(maximumEntities.hosts);
  const { hosts: confirmed } = await scanner.confirmed();
  const known = new Set(confirmed.map(([id]) => id));
  await scanner.report({ hosts: hosts.filter(({ host }) => !known.has(host.id)) });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(hosts.length);
});

test.each([
  ["no JSON", { kind: "answer", body: "<html>" }],
  ["another envelope", answered(undefined)],
  ["hosts that are not a list", answered({ entities: { hosts: {} } })],
  ["a redirect", { kind: "answer", status: 307, headers: { Location: "http://127.0.0.1:1/" } }],
  ["an error", { kind: "answer", status: 500 }],
  ["a body that is cut off", { kind: "cut" }],
  ["an endless body", { kind: "flood" }],
] as const)(
  "a poll response with %s changes nothing, and the daemon stays reachable",
  async (_, poll) => {
    const scanner = await raiseScanner();
    await scanner.behave({ poll });
    await scanner.visit();
    expect(await discovered(scanner)).toBe(0);
    expect(await daemonRow(scanner.id)).toMatchObject({
      consecutive_failures: 0,
      last_error: null,
      lease_expires_at: null,
    });
  },
);

test("a response that arrives too slowly is abandoned at the end of the visit, and later daemons in the message are still visited", async () => {
  const scanner = await raiseScanner();
  await scanner.behave({ poll: { kind: "drip" } });
  const claimed = await leaseDaemon(scanner.id);
  const startedAt = Date.now();
  await pollBatch(scanner.poller.settings, { daemons: [claimed] }, { ...pollTimes, visit: 500 });
  expect(Date.now() - startedAt).toBeLessThan(5000);
  expect(await daemonRow(scanner.id)).toMatchObject({ is_slow: false, consecutive_failures: 0 });
});

test("a host that occurs twice in one report is stored once", async () => {
  const scanner = await raiseScanner();
  const host = wireHost(scanner.networkId, "10.77.0.3", [80]);
  await scanner.report({ hosts: [host, host] });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(1);
  expect((await scanner.confirmed()).hosts).toHaveLength(1);
});

test("a database failure before the commit changes nothing, and a retry after the commit duplicates nothing", async () => {
  const scanner = await raiseScanner();
  await scanner.report({ hosts: [wireHost(scanner.networkId, "10.77.0.3", [80])] });
  await scanner.poller.disturb({ faults: [{ kind: "refuse" }] });
  const claimed = await leaseDaemon(scanner.id);
  await scanner.poller.poll(claimed);
  expect(await discovered(scanner)).toBe(0);
  expect(await scanner.got("discovery/entities-created")).toEqual([]);

  await scanner.poller.disturb({ faults: [{ kind: "lost_answer" }] });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(1);
  expect(await scanner.got("discovery/entities-created")).toEqual([]);
  await scanner.poller.disturb({ faults: [] });
  await changingNothing(scanner.network.id, scanner.visit);
  expect(await discovered(scanner)).toBe(1);
  expect((await scanner.confirmed()).hosts).toHaveLength(1);
});
