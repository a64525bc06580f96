import { expect, test } from "vitest";
import { pollBatch } from "../../src/daemons/poller/batch.ts";
import { pollTimes } from "../../src/daemons/poller/poll.ts";
import { maximumEntities } from "../../src/daemons/poller/report.ts";
import { pollBounds } from "../../src/daemons/poller/take-report.ts";
import { daemonRow, leaseDaemon } from "../helpers/daemons.ts";
import { sql } from "../helpers/database.ts";
import { answered, raiseScanner, type Scanner, wireHost } from "../helpers/protocol.ts";
import { changingNothing } from "../helpers/rows.ts";

const discovered = async ({ organization }: Scanner) => {
  const [row] = await sql`select count(*)::int from hosts
    where organization_id = ${organization.id} and source = 'Discovery' and valid_to is null`;
  return row?.["count"];
};

/** The body of a poll with so many bytes, most of which say nothing. */
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

test("a poll of 8 MiB is read, and one of a byte more is not", async () => {
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

test("a million hosts are counted before they are parsed, and refused", async () => {
  const scanner = await raiseScanner();
  const body = `{"success":true,"data":{"progress":null,"entities":{"hosts":[${"{},".repeat(999_999)}{}],"subnets":[]}}}`;
  await scanner.behave({ poll: { kind: "answer", body } });
  const claimed = await leaseDaemon(scanner.id);
  await scanner.poller.poll(claimed);
  expect(await discovered(scanner)).toBe(0);
  expect(await scanner.got("discovery/entities-created")).toEqual([]);
});

test("of many hosts a poll takes over a thousand, and the rest with the next", async () => {
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
  ["hosts that are no list", answered({ entities: { hosts: {} } })],
  ["a redirect", { kind: "answer", status: 307, headers: { Location: "http://127.0.0.1:1/" } }],
  ["an error", { kind: "answer", status: 500 }],
  ["a body that breaks off", { kind: "cut" }],
  ["a body without end", { kind: "flood" }],
] as const)(
  "a poll that is %s changes nothing, and the daemon stays reachable",
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

test("a poll that drips ends with the visit, and other daemons of the message are not lost", async () => {
  const scanner = await raiseScanner();
  await scanner.behave({ poll: { kind: "drip" } });
  const claimed = await leaseDaemon(scanner.id);
  const startedAt = Date.now();
  await pollBatch(scanner.poller.settings, { daemons: [claimed] }, { ...pollTimes, visit: 500 });
  expect(Date.now() - startedAt).toBeLessThan(5000);
  expect(await daemonRow(scanner.id)).toMatchObject({ is_slow: false, consecutive_failures: 0 });
});

test("the same entities twice in one report are one host", async () => {
  const scanner = await raiseScanner();
  const host = wireHost(scanner.networkId, "10.77.0.3", [80]);
  await scanner.report({ hosts: [host, host] });
  await scanner.visit();
  expect(await discovered(scanner)).toBe(1);
  expect((await scanner.confirmed()).hosts).toHaveLength(1);
});

test("a database that fails before the commit leaves no trace, and after it nothing is doubled", async () => {
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
