import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { raiseScanner, wireHost, wireProgress } from "../../../helpers/protocol.ts";
import { bound, isSettled, scan } from "../../../helpers/scans.ts";
import { mintSession, sessionRow } from "../../../helpers/sessions.ts";

const ip = "10.77.0.3";
const other = "10.77.0.4";

/**
 * Runs a scan that finds two hosts with two ports each. Then starts a scan that, before its last
 * poll, has found only the first host's address and one port of the other host.
 */
async function arrange() {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const id = crypto.randomUUID();
  const host = (ports: number[]) => wireHost(networkId, ip, ports, { id });
  await scan(scanner, { hosts: [host([22, 80]), wireHost(networkId, other, [80, 8080])] });
  const session = await mintSession(organization.id, networkId, scanner.id, {
    is_full_scan: false,
  });
  await scanner.report({});
  await scanner.visit();
  await scanner.report({
    progress: wireProgress(session, "Scanning", 50),
    hosts: [host([]), wireHost(networkId, other, [80])],
  });
  await scanner.visit();
  return { scanner, session, host };
}

type Arranged = Awaited<ReturnType<typeof arrange>>;

/** The scan's last poll, which reports that the scan is complete. */
async function complete({ scanner, session }: Arranged, hosts: unknown[]): Promise<void> {
  await scanner.report({ progress: wireProgress(session, "Complete", 100), hosts });
  await scanner.visit();
}

/** The daemon restarts and loses its pending report. */
async function restart({ scanner }: Arranged): Promise<void> {
  await scanner.report({});
  await scanner.visit();
}

const useUpVersions = ({ organization }: Arranged["scanner"]) =>
  sql`insert into app.version_counters (organization_id, hour, versions)
    values (${organization.id}, date_trunc('hour', now(), 'UTC'), 1000000)`;

test("does not end entities that were deferred and then lost by the daemon", async () => {
  const arranged = await arrange();
  const { scanner, session, host } = arranged;
  await useUpVersions(scanner);
  await complete(arranged, [host([22, 80, 443])]);
  expect(await isSettled(session)).toBe(false);
  await restart(arranged);
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ [ip]: [22, 80], [other]: [80] });
});

test("entities in a poll that could not be stored are not ended either", async () => {
  const arranged = await arrange();
  const { scanner, session, host } = arranged;
  await scanner.poller.disturb({ faults: [{ kind: "refuse" }] });
  await complete(arranged, [host([22, 80, 443])]);
  await scanner.poller.disturb({ faults: [] });
  expect(await sessionRow(session)).toMatchObject({ phase: "Complete" });
  await restart(arranged);
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ [ip]: [22, 80], [other]: [80] });
});

test("a scan is not marked as complete if its deferred entities could not be recorded", async () => {
  const arranged = await arrange();
  const { scanner, session, host } = arranged;
  await scanner.poller.disturb({ faults: [{ kind: "refuse" }, { kind: "refuse" }] });
  await complete(arranged, [host([22, 80, 443])]);
  await scanner.poller.disturb({ faults: [] });
  expect(await sessionRow(session)).toMatchObject({ phase: "Scanning" });
  await restart(arranged);
  expect(await isSettled(session)).toBe(false);
  expect(await bound(scanner)).toEqual({ [ip]: [22, 80], [other]: [80, 8080] });
});

test("a scan with a deferred poll ends records of other hosts, and the next scan ends the rest", async () => {
  const arranged = await arrange();
  const { scanner, session, host } = arranged;
  await scanner.poller.disturb({ faults: [{ kind: "refuse" }] });
  await complete(arranged, [host([80])]);
  await scanner.poller.disturb({ faults: [] });
  // The daemon resends the host, which is now stored.
  await scanner.report({ hosts: [host([80])] });
  await scanner.visit();
  await restart(arranged);
  expect(await isSettled(session)).toBe(true);
  expect(await bound(scanner)).toEqual({ [ip]: [22, 80], [other]: [80] });
  await scan(scanner, { hosts: [host([80])] });
  await restart(arranged);
  expect(await bound(scanner)).toEqual({ [ip]: [80], [other]: [80] });
});
