import type { Settings } from "../../env.ts";
import { CallFailure, callDaemon } from "./call.ts";
import { ingestReport } from "./ingest.ts";
import { LargePollRoom } from "./large-polls.ts";
import { type Progress, pollSchema } from "./protocol.ts";
import { convertReport } from "./report.ts";
import { call, codeOf, type Visit } from "./visit-calls.ts";

/** What is read of a poll: some thousand hosts. */
export const pollBounds = { bytes: 8 * 1024 * 1024, members: 250_000 } as const;

/** What a visit did, for its line in the log. */
export interface VisitLine {
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

/** Polls, ingests what the daemon reports, and confirms it after the commit. */
export async function takeReport(
  settings: Settings,
  visit: Visit,
  line: VisitLine,
): Promise<{ progress: Progress | null; hasMoved: boolean; isEmpty: boolean }> {
  const room = new LargePollRoom();
  const inTime = (isIn: boolean) => {
    if (!isIn) {
      throw new CallFailure("timed_out");
    }
  };
  try {
    const json = await callDaemon(visit.access, {
      path: "poll",
      bounds: {
        ...pollBounds,
        makeRoom: async () => inTime(await room.enter(visit.organization_id)),
      },
      hasArrived: async () => inTime(await room.takeTurn()),
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
      const ingested = await ingestReport(settings, visit, report).catch((error: unknown) => {
        // The daemon sends its entities again, but the end of its scan it may say only once.
        line.error = codeOf(error);
        return undefined;
      });
      if (ingested === undefined) {
        return { progress: progress ?? null, hasMoved: false, isEmpty: false };
      }
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
    room.leave();
  }
}
