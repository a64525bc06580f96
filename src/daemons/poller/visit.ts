import { sql } from "drizzle-orm";
import { discoverySessions } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import { traceOf } from "../../http/trace.ts";
import { cancel, codeOf, introduce, type Visit } from "./call/visit-calls.ts";
import { inVisit } from "./claim/lease.ts";
import type { Visited } from "./ingest.ts";
import { initiate } from "./initiate.ts";
import { takeReport, type VisitLine } from "./take-report.ts";
import { advance, moveSession } from "./work.ts";

const phasesAtWork: readonly string[] = ["Pending", "Starting", "Started", "Scanning"];

/**
 * What is done with a daemon that has responded: introduces the service, ingests and confirms the report,
 * and advances its scans. What fails here does not make the daemon unreachable, and is
 * tried again with the next cycle: a daemon keeps what is not confirmed.
 * @returns whether the daemon has now acknowledged who the service is
 */
export async function visitDaemon(settings: Settings, visit: Visit): Promise<boolean> {
  const line: VisitLine = {
    introduced: false,
    hosts: 0,
    subnets: 0,
    failed: 0,
    refused: 0,
    left_out: 0,
    with_bad_details: 0,
    bad_details: [],
    not_stored: [],
    confirmed: false,
    session_id: null,
    error: null,
  };
  try {
    await exchange(settings, visit, line);
  } catch (error) {
    line.error = codeOf(error);
    if (line.error === "internal" && error instanceof Error) {
      console.error(JSON.stringify({ event: "visit_failed", ...traceOf(error) }));
    }
  }
  const { hosts, subnets, failed, refused, session_id, error } = line;
  if (hosts + subnets + failed + refused > 0 || session_id !== null || error !== null) {
    console.log(JSON.stringify({ event: "visit", daemon_id: visit.id, ...line }));
  }
  return line.introduced;
}

async function exchange(settings: Settings, visit: Visit, line: VisitLine): Promise<void> {
  const introduceOnce = async () => {
    if (!line.introduced) {
      await introduce(settings, visit);
      line.introduced = true;
    }
  };
  if (!visit.is_introduced) {
    await introduceOnce();
  }
  const { progress, entities } = await takeReport(settings, visit, line);
  if (progress?.daemon_id && progress.daemon_id !== visit.id) {
    await introduceOnce();
  }
  if (!progress && !visit.has_work) {
    return;
  }
  const next = await advance(settings, visit, {
    progress: progress ?? null,
    hasMoved: entities === "confirmed",
    isIdle: visit.isReady && progress === null && entities === "exhausted",
  });
  if (!next) {
    return;
  }
  const { work, unsettled_id } = next;
  line.session_id = work?.id ?? unsettled_id;
  const isBusy =
    progress && progress.session_id !== work?.id && phasesAtWork.includes(progress.phase);
  if (isBusy) {
    // It works on a scan that has ended here, or that nobody asked for.
    await cancel(visit, progress.session_id);
  }
  if (unsettled_id !== null && entities === "exhausted") {
    await settle(settings, visit, unsettled_id);
  }
  if (work?.is_cancelled) {
    await cancel(visit, work.id);
    await moveSession(settings, visit, work.id, { phase: "Cancelled" });
  } else if (work?.phase === "Pending" && visit.isReady && !isBusy && entities === "exhausted") {
    // What the daemon reports from here on counts as seen by this scan.
    await introduceOnce();
    await initiate(settings, visit, work);
  }
}

/** Once a complete scan is fully processed, ends the bindings that it did not see. */
async function settle(settings: Settings, visit: Visited, sessionId: string): Promise<void> {
  const { organization_id, id } = visit;
  await inVisit(settings, visit, sql`select app.settle_scan(${sessionId})`, [
    sql`
      update ${discoverySessions} as session set settled_at = now()
      where session.organization_id = ${organization_id} and session.daemon_id = ${id}
        and session.id = ${sessionId} and session.settled_at is null`,
  ]);
}

/**
 * Fails the scan of a daemon to which nothing may be sent, so that nobody waits for it.
 * @param error why not
 */
export async function failWork(settings: Settings, visited: Visited, error: string): Promise<void> {
  const next = await advance(settings, visited, { progress: null, hasMoved: false, isIdle: false });
  if (next?.work) {
    await moveSession(settings, visited, next.work.id, { phase: "Failed", error });
  }
}
