import { expect, test } from "vitest";
import { maximumEntities } from "../../../../src/daemons/poller/report/protocol.ts";
import { sql } from "../../../helpers/database.ts";
import {
  answered,
  raiseScanner,
  type Scanner,
  wireHost,
  wireProgress,
} from "../../../helpers/protocol.ts";
import { bound, isSettled, scan } from "../../../helpers/scans.ts";
import { mintSession, sessionRow } from "../../../helpers/sessions.ts";

const ip = "10.77.0.3";
const light = { is_full_scan: false };
const full = { is_full_scan: true };

/** Creates a full scan that is running, and a light scan that is waiting for it to end. */
async function mintBoth(scanner: Scanner) {
  const { id, organization, networkId } = scanner;
  const mint = (values: Parameters<typeof mintSession>[3]) =>
    mintSession(organization.id, networkId, id, values);
  const running = await mint({ ...full, created_at: "2026-01-01T00:00:00.000Z" });
  const waiting = await mint({ ...light, created_at: "2026-01-02T00:00:00.000Z" });
  await scanner.report({});
  await scanner.visit();
  return { running, waiting };
}

const initiated = async (scanner: Scanner) =>
  (await scanner.got("discovery/initiate")).map((work) => Object(work).session_id);

const refuseConfirmations = (scanner: Scanner) =>
  scanner.behave({ "discovery/entities-created": { kind: "answer", status: 503 } });

const takeConfirmations = (scanner: Scanner) =>
  scanner.behave({ "discovery/entities-created": answered("ok") });

/**
 * Completes the light scan that was started, and then runs another light scan. Neither finds the
 * second port.
 */
async function finishScans(scanner: Scanner, waiting: string) {
  const seen = [wireHost(scanner.networkId, ip, [80])];
  await scanner.report({ progress: wireProgress(waiting, "Complete", 100), hosts: seen });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(waiting)).toBe(true);
  expect(await isSettled(await scan(scanner, { hosts: seen }))).toBe(true);
}

test("entities resent after the end of a full scan belong to it, and light scans do not end them", async () => {
  const scanner = await raiseScanner();
  const { running, waiting } = await mintBoth(scanner);
  const hosts = [wireHost(scanner.networkId, ip, [80, 1024])];
  await refuseConfirmations(scanner);
  await scanner.report({ progress: wireProgress(running, "Complete", 100), hosts });
  await scanner.visit();
  await takeConfirmations(scanner);
  await scanner.report({ hosts });
  await scanner.visit();
  expect(await initiated(scanner)).toEqual([running]);
  expect(await sessionRow(waiting)).toMatchObject({ phase: "Pending", initiated_at: null });
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(running)).toBe(true);
  expect(await initiated(scanner)).toEqual([running, waiting]);
  await finishScans(scanner, waiting);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 1024] });
});

test("entities deferred at the end of a full scan belong to it, and light scans do not end them", async () => {
  const scanner = await raiseScanner();
  const { running, waiting } = await mintBoth(scanner);
  const failing = Array.from({ length: maximumEntities.hosts }, () =>
    wireHost(scanner.networkId, "10.77.0.4"),
  );
  const late = wireHost(scanner.networkId, ip, [80, 1024]);
  await scanner.report({
    progress: wireProgress(running, "Complete", 100),
    hosts: [...failing, late],
  });
  await scanner.visit();
  await scanner.report({ hosts: [late] });
  await scanner.visit();
  await scanner.report({});
  await scanner.visit();
  expect(await isSettled(running)).toBe(true);
  await finishScans(scanner, waiting);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 1024] });
});

test("entities from a cancelled scan belong to it, even if they arrive after its end", async () => {
  const scanner = await raiseScanner();
  const { running, waiting } = await mintBoth(scanner);
  const hosts = [wireHost(scanner.networkId, ip, [80, 1024])];
  await refuseConfirmations(scanner);
  await scanner.report({ progress: wireProgress(running, "Cancelled", 50), hosts });
  await scanner.visit();
  await takeConfirmations(scanner);
  await scanner.visit();
  expect(await initiated(scanner)).toEqual([running]);
  await scanner.report({});
  await scanner.visit();
  expect(await initiated(scanner)).toEqual([running, waiting]);
  await finishScans(scanner, waiting);
  expect(await bound(scanner)).toEqual({ [ip]: [80, 1024] });
});

test("a daemon that is busy with an unknown scan receives its next scan once the unknown scan has ended", async () => {
  const scanner = await raiseScanner();
  const work = await mintSession(scanner.organization.id, scanner.networkId, scanner.id, light);
  const former = crypto.randomUUID();
  await scanner.report({ progress: wireProgress(former, "Scanning", 60) });
  await scanner.visit();
  expect(await scanner.got("discovery/cancel")).toEqual([former]);
  expect(await initiated(scanner)).toEqual([]);
  await scanner.report({ progress: wireProgress(former, "Cancelled", 60) });
  await scanner.visit();
  expect(await initiated(scanner)).toEqual([work]);
});

test("a scan fails after waiting five minutes for a daemon that does not accept confirmations", async () => {
  const scanner = await raiseScanner();
  const { running, waiting } = await mintBoth(scanner);
  await refuseConfirmations(scanner);
  const hosts = [wireHost(scanner.networkId, ip, [80])];
  await scanner.report({ progress: wireProgress(running, "Complete", 100), hosts });
  await scanner.visit();
  await sql`update discovery_sessions set moved_at = now() - interval '301 seconds' where id = ${waiting}`;
  await scanner.visit();
  expect(await sessionRow(waiting)).toMatchObject({ phase: "Failed", error: "stalled" });
  expect(await initiated(scanner)).toEqual([running]);
});
