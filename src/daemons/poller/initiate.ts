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
import { moveSession, ofDaemon, type Work } from "./work.ts";

/** Hands the daemon its next scan, with the credentials that it needs. */
export async function initiate(settings: Settings, visit: Visit, work: Work): Promise<void> {
  const fail = (error: string) => moveSession(settings, visit, work.id, { phase: "Failed", error });
  const { organization_id, id, poll_generation } = visit;
  const [
    { rows },
    {
      rows: [decided],
    },
  ] = await runAsPoller(
    settings,
    (database) => [
      // Remembers what it returns, and decides whether the scan is full.
      database.execute<ScanCredential>(sql`
        select * from app.scan_credentials(${organization_id}, ${id}, ${poll_generation}, ${work.id},
          ${credentialLimits.credentials + 1}, ${sql.param(unknownTypes(visit.version))}::text[])`),
      database.execute<{ is_full_scan: boolean | null }>(sql`
        select is_full_scan from ${discoverySessions} as session
        where ${ofDaemon(visit)} and session.id = ${work.id} and session.phase = 'Pending'`),
    ],
    visit.databaseTime,
  );
  if (typeof decided?.is_full_scan !== "boolean") {
    // The lease was lost meanwhile, or the scan has ended.
    return;
  }
  const addresses = rows.reduce((sum, { addresses }) => sum + addresses.length, 0);
  if (rows.length > credentialLimits.credentials || addresses > credentialLimits.addresses) {
    await fail("too_many_credentials");
    return;
  }
  const ring = keyRingOf(settings);
  const credential_mappings = await openCredentials(ring, organization_id, rows).catch(() => null);
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
        scan_settings: { is_full_scan: decided.is_full_scan },
      },
      credential_mappings,
    });
  } catch (error) {
    // A daemon that is busy (409), or did not respond, is asked again with the next cycle.
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
