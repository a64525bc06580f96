import { expect, test } from "vitest";
import { daemonRow } from "../../helpers/daemons.ts";
import { sql } from "../../helpers/database.ts";
import { mintCredential } from "../../helpers/organization.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireProgress,
} from "../../helpers/protocol.ts";
import { assignCredential, bound, isSettled, scan } from "../../helpers/scans.ts";
import { inPhase, mintSession, sessionRow } from "../../helpers/sessions.ts";

/**
 * The maximum number of database calls per visit. This does not include the call that records the
 * poll, which is shared with other daemons.
 */
const maximumCalls = 4;

/**
 * Returns the number of database calls that a visit makes, not counting the one that records the
 * poll.
 */
async function callsOfVisit(scanner: Scanner): Promise<number> {
  const before = await scanner.poller.calls();
  await scanner.visit();
  return (await scanner.poller.calls()) - before - 1;
}

const mint = (
  { id, organization, networkId }: Scanner,
  values: Parameters<typeof mintSession>[3],
) => mintSession(organization.id, networkId, id, values);

const gapsOf = ({ organization }: Scanner) => sql`
  select session_id, host_ids, is_unbounded, array(
    select host(address) from unnest(addresses) as address order by address) as addresses
  from app.scan_gaps where organization_id = ${organization.id}`;

/**
 * Creates a daemon whose next poll ends a scan that did not find one of the ports again, while
 * another scan is waiting.
 */
async function arrange() {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  const credential = await mintCredential(organization.id);
  await assignCredential(organization.id, credential, { network_id: networkId });
  await scan(scanner, { hosts: [wireHost(networkId, "10.77.0.3", [80, 8080])] });
  const light = { is_full_scan: false };
  const ending = await mint(scanner, { ...light, created_at: "2026-01-01T00:00:00.000Z" });
  const next = await mint(scanner, { ...light, created_at: "2026-01-02T00:00:00.000Z" });
  await scanner.report({});
  await scanner.visit();
  await scanner.report({
    progress: wireProgress(ending, "Scanning", 50),
    hosts: [wireHost(networkId, "10.77.0.3", [80])],
  });
  await scanner.visit();
  // Two hosts with the same address contradict each other, so neither is stored, and both leave
  // gaps.
  await scanner.report({
    progress: wireProgress(ending, "Complete", 100),
    hosts: [wireHost(networkId, "10.77.0.4"), wireHost(networkId, "10.77.0.4")],
  });
  return { scanner, ending, next };
}

/** The scans most recently sent to the daemon, and the stored state. */
async function stateOf({ scanner, ending, next }: Awaited<ReturnType<typeof arrange>>) {
  const sent = (await scanner.got("discovery/initiate")).slice(2);
  return {
    ending: (await sessionRow(ending)).phase,
    isSettled: await isSettled(ending),
    next: (await sessionRow(next)).phase,
    bound: await bound(scanner),
    sent: [...new Set(sent.map((work) => Object(work).session_id))],
  };
}

const completed = (next: string) => ({
  ending: "Complete",
  isSettled: true,
  next: "Starting",
  bound: { "10.77.0.3": [80] },
  sent: [next],
});

test("a visit that ends one scan and starts the next makes four database calls", async () => {
  const arranged = await arrange();
  const { scanner, next } = arranged;
  expect(await callsOfVisit(scanner)).toBe(maximumCalls);
  expect(await stateOf(arranged)).toEqual(completed(next));
  expect((await scanner.got("discovery/initiate")).at(-1)).toMatchObject({
    credential_mappings: [{ default_credential: { type: "DockerSocket" } }],
  });
});

test.each(
  Array.from({ length: maximumCalls }, (_, call) => call + 1).flatMap((call) => [
    { call, kind: "refuse" as const },
    { call, kind: "lost_answer" as const },
  ]),
)("the next visit completes a visit whose database call $call fails with $kind", async (fault) => {
  const arranged = await arrange();
  const { scanner, next } = arranged;
  const { call, kind } = fault;
  const faults = Array.from({ length: call - 1 }, () => ({ kind: "none" as const }));
  await scanner.poller.disturb({ faults: [...faults, { kind }] });
  await scanner.visit();
  await scanner.poller.disturb({ faults: [] });
  await scanner.visit();
  expect(await stateOf(arranged)).toEqual(completed(next));
});

test("the scan of a daemon that rejects first contact still ends, and the daemon receives the next scan later", async () => {
  const arranged = await arrange();
  const { scanner, next } = arranged;
  await scanner.behave({ "first-contact": { kind: "answer", status: 500 } });
  await scanner.visit();
  expect(await stateOf(arranged)).toEqual({ ...completed(next), next: "Pending", sent: [] });
  await scanner.behave({ "first-contact": answered({}) });
  await scanner.visit();
  expect(await stateOf(arranged)).toEqual(completed(next));
});

test("a visit that stores hosts, gaps and the daemon's own host and cancels a scan makes three database calls", async () => {
  const scanner = await raiseScanner();
  const { networkId, id } = scanner;
  const session = await mint(scanner, {
    ...inPhase("Scanning"),
    cancel_requested_at: "2026-01-02T03:04:06.000Z",
  });
  const wrongPort = { id: crypto.randomUUID(), number: 70_000, protocol: "Tcp" };
  const contradictory = [wireHost(networkId, "10.77.0.4"), wireHost(networkId, "10.77.0.4")];
  const partlyStored = { ...wireHost(networkId, "10.77.0.5"), ports: [wrongPort] };
  const refused = { host: { id: "none", name: 1 }, ip_addresses: [] };
  await scanner.report({
    progress: wireProgress(session, "Scanning", 50),
    hosts: [wireHost(networkId, "10.77.0.2", [22], { id }), ...contradictory, partlyStored],
  });
  await scanner.behave({ "discovery/cancel": { kind: "answer", status: 500 } });
  expect(await callsOfVisit(scanner)).toBe(2);
  expect(await daemonRow(id)).toMatchObject({ host_id: expect.any(String) });
  const [gaps, ...others] = await gapsOf(scanner);
  expect(others).toEqual([]);
  expect(gaps).toMatchObject({
    session_id: session,
    addresses: ["10.77.0.4", "10.77.0.5"],
    is_unbounded: false,
  });
  expect([...Object(gaps).host_ids].sort()).toEqual(
    [...contradictory, partlyStored].map(({ host }) => host.id).sort(),
  );
  // A host without a valid id could be any host.
  await scanner.report({ progress: wireProgress(session, "Scanning", 60), hosts: [refused] });
  expect(await callsOfVisit(scanner)).toBe(2);
  expect(await gapsOf(scanner)).toMatchObject([{ is_unbounded: true }]);
  await scanner.behave({ "discovery/cancel": answered({}) });
  expect(await callsOfVisit(scanner)).toBe(3);
  expect(await sessionRow(session)).toMatchObject({ phase: "Cancelled" });
});

test("a visit whose report cannot be stored makes at most four database calls", async () => {
  const scanner = await raiseScanner();
  const { networkId, poller } = scanner;
  const session = await mint(scanner, {
    ...inPhase("Scanning"),
    cancel_requested_at: "2026-01-02T03:04:06.000Z",
  });
  await scanner.report({
    progress: wireProgress(session, "Scanning", 50),
    hosts: [wireHost(networkId, "10.77.0.3", [80])],
  });
  await scanner.behave({ "discovery/cancel": { kind: "answer", status: 500 } });
  await poller.disturb({ faults: [{ kind: "refuse" }] });
  expect(await callsOfVisit(scanner)).toBe(3);
  expect(await gapsOf(scanner)).toMatchObject([{ addresses: ["10.77.0.3"] }]);
  await scanner.behave({ "discovery/cancel": answered({}) });
  await poller.disturb({ faults: [{ kind: "refuse" }] });
  expect(await callsOfVisit(scanner)).toBe(maximumCalls);
  expect(await sessionRow(session)).toMatchObject({ phase: "Cancelled" });
});
