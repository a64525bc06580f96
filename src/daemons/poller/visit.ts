import { runAsPoller } from "../../database/poller.ts";
import type { Settings } from "../../env.ts";
import { traceOf } from "../../http/trace.ts";
import { signalChange } from "../../outbound/change-signal.ts";
import { cancel, introduce, type Visit } from "./call/visit-calls.ts";
import type { VisitLease } from "./claim/lease.ts";
import { failureCode } from "./failure-code.ts";
import { ingestPoll, type VisitLine } from "./ingest-poll.ts";
import { initiate, prepareScan } from "./initiate.ts";
import { advance, moveSession, settle } from "./work.ts";

const phasesAtWork: readonly string[] = ["Pending", "Starting", "Started", "Scanning"];

/**
 * Visits a daemon that has responded: introduces the service, ingests and confirms the report, and
 * advances its scans, in at most four database calls (see README.md). A failure does not make the
 * daemon unreachable; the next cycle tries again, and the daemon repeats everything that was not
 * confirmed.
 * @returns true if the daemon has acknowledged the service in this visit
 */
export async function visitDaemon(settings: Settings, visit: Visit): Promise<boolean> {
  const line: VisitLine = {
    introduced: false,
    hosts: 0,
    subnets: 0,
    failed: 0,
    refused: 0,
    ignored: 0,
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
    line.error = failureCode(error);
    if (line.error === "internal" && error instanceof Error) {
      console.error(JSON.stringify({ event: "visit_failed", ...traceOf(error) }));
    }
  }
  const { hosts, subnets, failed, refused, ignored, session_id, error } = line;
  if (hosts + subnets + failed + refused + ignored > 0 || session_id !== null || error !== null) {
    console.log(JSON.stringify({ event: "visit", daemon_id: visit.id, ...line }));
    await signalChange(settings, visit.organization_id);
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
  const { progress, entities } = await ingestPoll(settings, visit, line);
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
    // The daemon is running a scan that the service has already ended, or never requested.
    await cancel(visit, progress.session_id);
  }
  const isExhausted = entities === "exhausted";
  const unsettledId = isExhausted ? unsettled_id : null;
  const isWaiting = work?.phase === "Pending" && !work.is_cancelled;
  if (isWaiting && isExhausted && visit.isReady && !isBusy) {
    // From here on, the daemon's reports are attributed to this scan.
    const scan = await prepareScan(settings, visit, work, unsettledId);
    if (scan) {
      await introduceOnce();
      await initiate(settings, visit, scan);
    }
    return;
  }
  if (unsettledId !== null) {
    await runAsPoller(
      settings,
      (database) => settle(database, visit, unsettledId),
      visit.databaseTime,
    );
  }
  if (work?.is_cancelled) {
    await cancel(visit, work.id);
    await moveSession(settings, visit, work.id, { phase: "Cancelled" });
  }
}

/**
 * Fails the scan of a daemon that must not be contacted.
 * @param error the error of the scan
 */
export async function failWork(
  settings: Settings,
  lease: VisitLease,
  error: string,
): Promise<void> {
  const next = await advance(settings, lease, { progress: null, hasMoved: false, isIdle: false });
  if (next?.work) {
    await moveSession(settings, lease, next.work.id, { phase: "Failed", error });
  }
}
