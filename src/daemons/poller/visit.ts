import { sql } from "drizzle-orm";
import { runAsPoller } from "../../database/poller.ts";
import { keyRingOf } from "../../database/sealing.ts";
import { discoverySessions } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors.ts";
import { traceOf } from "../../http/trace.ts";
import { oldestVersion } from "../version-status.ts";
import { CallFailure, callDaemon, type DaemonAccess } from "./call.ts";
import { credentialLimits, openCredentials, type ScanCredential } from "./credentials.ts";
import { ingestReport, type Visited } from "./ingest.ts";
import { takeLargePoll } from "./large-polls.ts";
import { type Progress, pollSchema, successSchema } from "./protocol.ts";
import { convertReport } from "./report.ts";
import { advance, moveWork, type Work } from "./work.ts";

/** A daemon that has responded, and what is known of it. */
export interface Visit extends Visited {
  access: DaemonAccess;
  version: string | null;
  isReady: boolean;
  is_introduced: boolean;
  has_work: boolean;
  /** How long one request of the visit may take, in milliseconds. */
  deadlineMs: number;
  /** Ends the visit. */
  signal: AbortSignal;
}

/** What is read of a poll: some thousand hosts. */
export const pollBounds = { bytes: 8 * 1024 * 1024, members: 250_000 } as const;

const phasesAtWork: readonly string[] = ["Pending", "Starting", "Started", "Scanning"];

/** What a visit did, for its line in the log. */
interface VisitLine {
  introduced: boolean;
  hosts: number;
  subnets: number;
  /** Hosts that failed, and entities that were not believed. */
  failed: number;
  refused: number;
  confirmed: boolean;
  session_id: string | null;
  /** Why it ended early. */
  error: string | null;
}

/**
 * What is done with a daemon that has responded: says who the service is, takes over what it reports,
 * confirms that, and moves its scans on. What fails here does not make the daemon unreachable, and is
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
  const { hosts, subnets, refused, session_id, error } = line;
  if (hosts + subnets + refused > 0 || session_id !== null || error !== null) {
    console.log(JSON.stringify({ event: "visit", daemon_id: visit.id, ...line }));
  }
  return line.introduced;
}

/** What may be said of a failure: never a message, which can hold SQL. */
function codeOf(error: unknown): string {
  if (error instanceof CallFailure) {
    return error.reason;
  }
  return error instanceof ApiError ? "database" : "internal";
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
  const { progress, hasMoved, isEmpty } = await takeReport(settings, visit, line);
  if (progress?.daemon_id && progress.daemon_id !== visit.id) {
    await introduceOnce();
  }
  if (progress === null && !visit.has_work) {
    return;
  }
  const next = await advance(settings, visit, progress, hasMoved);
  if (!next) {
    return;
  }
  const { work, unsettled_id } = next;
  line.session_id = work?.id ?? unsettled_id;
  if (progress && progress.session_id !== work?.id && phasesAtWork.includes(progress.phase)) {
    // It works on what has ended here, or was never asked for.
    await cancel(visit, progress.session_id);
  }
  if (unsettled_id !== null && isEmpty) {
    await settle(settings, visit, unsettled_id);
  }
  if (work?.is_cancelled) {
    await cancel(visit, work.id);
    await move(settings, visit, work.id, { phase: "Cancelled" });
  } else if (work?.phase === "Pending" && visit.isReady) {
    await introduceOnce();
    await initiate(settings, visit, work);
  }
}

const call = async (visit: Visit, path: string, body?: unknown) => {
  const json = await callDaemon(visit.access, {
    path,
    body,
    signal: AbortSignal.any([visit.signal, AbortSignal.timeout(visit.deadlineMs)]),
  });
  if (!successSchema.safeParse(json).success) {
    throw new CallFailure("wrong_shape");
  }
};

/** First contact: the daemon takes over its id. */
const introduce = ({ SERVER_VERSION }: Settings, visit: Visit) =>
  call(visit, "first-contact", {
    daemon_id: visit.id,
    server_capabilities: {
      server_version: SERVER_VERSION,
      minimum_daemon_version: oldestVersion,
    },
  });

/** Polls, ingests what the daemon reports, and confirms it after the commit. */
async function takeReport(
  settings: Settings,
  visit: Visit,
  line: VisitLine,
): Promise<{ progress: Progress | null; hasMoved: boolean; isEmpty: boolean }> {
  let giveBack: (() => void) | null = null;
  try {
    const json = await callDaemon(visit.access, {
      path: "poll",
      bounds: {
        ...pollBounds,
        async makeRoom() {
          giveBack = await takeLargePoll();
          if (!giveBack) {
            throw new CallFailure("timed_out");
          }
        },
      },
      signal: visit.signal,
    });
    const poll = pollSchema.safeParse(json);
    if (!poll.success) {
      throw new CallFailure("wrong_shape");
    }
    const { progress, entities } = poll.data.data;
    const report = convertReport(visit.network_id, {
      hosts: entities?.hosts ?? [],
      subnets: entities?.subnets ?? [],
    });
    line.refused = report.refused;
    const count = report.hosts.length + report.subnets.length;
    let hasMoved = false;
    if (count > 0) {
      const ingested = await ingestReport(settings, visit, report);
      if (!ingested) {
        throw new CallFailure("timed_out");
      }
      line.hosts = ingested.stored;
      line.subnets = ingested.confirmation.subnets.length;
      line.failed = ingested.failed;
      try {
        await call(visit, "discovery/entities-created", ingested.confirmation);
        line.confirmed = true;
        hasMoved = true;
      } catch (error) {
        // The daemon sends what is not confirmed again, and taking it over twice changes nothing. What
        // it says of its scan it may say only once.
        line.error = codeOf(error);
      }
    }
    return { progress: progress ?? null, hasMoved, isEmpty: count === 0 && report.refused === 0 };
  } finally {
    (giveBack as (() => void) | null)?.();
  }
}

/** Tells the daemon to end a scan. That none runs is as good. */
async function cancel(visit: Visit, sessionId: string): Promise<void> {
  try {
    await call(visit, "discovery/cancel", sessionId);
  } catch (error) {
    if (!(error instanceof CallFailure && error.httpStatus === 409)) {
      throw error;
    }
  }
}

const move = (
  settings: Settings,
  visit: Visited,
  sessionId: string,
  to: Parameters<typeof moveWork>[3],
) => runAsPoller(settings, (database) => [moveWork(database, visit, sessionId, to)]);

/** Hands the daemon its next scan, with the credentials that it needs. */
async function initiate(settings: Settings, visit: Visit, work: Work): Promise<void> {
  const fail = (error: string) => move(settings, visit, work.id, { phase: "Failed", error });
  const { organization_id, id, poll_generation } = visit;
  const [{ rows }] = await runAsPoller(settings, (database) => [
    database.execute<ScanCredential>(sql`
      select * from app.scan_credentials(${organization_id}, ${id}, ${poll_generation}, ${work.id},
        ${credentialLimits.credentials + 1})`),
  ]);
  const addresses = rows.reduce((sum, { addresses }) => sum + addresses.length, 0);
  if (rows.length > credentialLimits.credentials || addresses > credentialLimits.addresses) {
    await fail("too_many_credentials");
    return;
  }
  const ring = keyRingOf(settings);
  const credential_mappings = await openCredentials(
    ring,
    organization_id,
    rows,
    visit.version,
  ).catch(() => null);
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
  await move(settings, visit, work.id, { phase: "Starting" });
}

const isRefusal = ({ httpStatus }: CallFailure) =>
  httpStatus !== null &&
  httpStatus >= 400 &&
  httpStatus < 500 &&
  ![408, 409, 429].includes(httpStatus);

/** Ends what a complete scan no longer found, once all that it found is taken over. */
async function settle(settings: Settings, visit: Visited, sessionId: string): Promise<void> {
  const { organization_id, id, poll_generation } = visit;
  await runAsPoller(settings, (database) => [
    database.execute(sql`select app.enter_visit(${organization_id}, ${id}, ${poll_generation})`),
    database.execute(sql`select app.settle_scan(${sessionId})`),
    database.execute(sql`select app.leave_visit()`),
    database.execute(sql`
      update ${discoverySessions} as session set settled_at = now()
      where session.organization_id = ${organization_id} and session.daemon_id = ${id}
        and session.id = ${sessionId} and session.settled_at is null`),
  ]);
}

/**
 * Fails the scan of a daemon to which nothing may be sent, so that nobody waits for it.
 * @param error why not
 */
export async function failWork(settings: Settings, visited: Visited, error: string): Promise<void> {
  const next = await advance(settings, visited, null, false);
  if (next?.work) {
    await move(settings, visited, next.work.id, { phase: "Failed", error });
  }
}
