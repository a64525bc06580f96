import { sql } from "drizzle-orm";
import { runAsPoller } from "../../database/poller.ts";
import { keyRingOf } from "../../database/sealing.ts";
import { discoverySessions } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import { CallFailure } from "./call/call-failure.ts";
import { call, type Visit } from "./call/visit-calls.ts";
import {
  credentialLimits,
  openCredentials,
  type ScanCredential,
  unknownTypes,
} from "./credentials.ts";
import { moveSession, ofDaemon, settle, type Work } from "./work.ts";

/** A scan that is ready to be sent, with its credentials still sealed. */
interface PreparedScan {
  work: Work;
  isFullScan: boolean;
  credentials: ScanCredential[];
  /** The subnets that the scan names, in the format of the daemon protocol. */
  subnets: unknown[];
}

/**
 * Settles the previous scan, then reads the subnets and the credentials of the next one, and
 * records the credentials, in one database call and one transaction.
 * @param unsettledId the complete scan to settle; null if there is none
 * @returns null if the next scan has ended in the meantime
 * @throws {ApiError} 404 if the lease is lost, 409 or 503
 */
export async function prepareScan(
  settings: Settings,
  visit: Visit,
  work: Work,
  unsettledId: string | null,
): Promise<PreparedScan | null> {
  const { organization_id, id, poll_generation } = visit;
  const [, , , , { rows: named }, { rows: credentials }, { rows: decisions }] = await runAsPoller(
    settings,
    (database) => [
      ...settle(database, visit, unsettledId),
      database.execute<{ subnets: unknown[] }>(sql`
        select app.scanned_subnets(${organization_id}, ${id}, ${poll_generation}, ${work.id}) as subnets`),
      // Also records the credentials that it returns, and decides whether the scan is a full scan.
      database.execute<ScanCredential>(sql`
        select * from app.scan_credentials(${organization_id}, ${id}, ${poll_generation}, ${work.id},
          ${credentialLimits.credentials + 1}, ${sql.param(unknownTypes(visit.version))}::text[])`),
      database.execute<{ is_full_scan: boolean | null }>(sql`
        select is_full_scan from ${discoverySessions} as session
        where ${ofDaemon(visit)} and session.id = ${work.id} and session.phase = 'Pending'`),
    ],
    visit.databaseTime,
  );
  const isFullScan = decisions[0]?.is_full_scan ?? null;
  const subnets = named[0]?.subnets ?? [];
  return isFullScan === null ? null : { work, isFullScan, credentials, subnets };
}

/** Sends the daemon its next scan, with the credentials that it needs. */
export async function initiate(
  settings: Settings,
  visit: Visit,
  { work, isFullScan, credentials, subnets }: PreparedScan,
): Promise<void> {
  const fail = (error: string) => moveSession(settings, visit, work.id, { phase: "Failed", error });
  const { organization_id, id } = visit;
  const addresses = credentials.reduce((sum, { addresses }) => sum + addresses.length, 0);
  if (credentials.length > credentialLimits.credentials || addresses > credentialLimits.addresses) {
    await fail("too_many_credentials");
    return;
  }
  const ring = keyRingOf(settings);
  const credential_mappings = await openCredentials(ring, organization_id, credentials).catch(
    () => null,
  );
  if (!credential_mappings) {
    await fail("credential_unreadable");
    return;
  }
  try {
    await call(visit, "discovery/initiate", {
      session_id: work.id,
      discovery_id: work.id,
      discovery_type: {
        type: "Unified",
        host_id: work.host_id ?? id,
        subnet_ids: work.subnet_ids,
        host_naming_fallback: "BestService",
        scan_settings: { is_full_scan: isFullScan },
      },
      credential_mappings,
      ...(work.subnet_ids !== null && { subnets }),
    });
  } catch (error) {
    // If the daemon is busy (409) or does not respond, the next cycle sends it the scan again.
    if (error instanceof CallFailure && isRefusal(error)) {
      await fail("work_refused");
      return;
    }
    throw error;
  }
  await moveSession(settings, visit, work.id, { phase: "Starting" });
}

const isRefusal = ({ httpStatus }: CallFailure) =>
  httpStatus !== null &&
  httpStatus >= 400 &&
  httpStatus < 500 &&
  ![408, 409, 429].includes(httpStatus);
