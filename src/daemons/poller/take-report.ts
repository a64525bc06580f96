import type { Settings } from "../../env.ts";
import { callDaemon } from "./call.ts";
import { CallFailure } from "./call-failure.ts";
import { confirmationOf } from "./confirmation.ts";
import { type Ingested, ingestReport } from "./ingest.ts";
import { LargePollRoom } from "./large-polls.ts";
import { type Progress, pollSchema } from "./protocol.ts";
import { convertReport } from "./report.ts";
import { givenBack } from "./unstored.ts";
import { call, codeOf, type Visit } from "./visit-calls.ts";

/** What is read of a poll: some thousand hosts. */
export const pollBounds = { bytes: 8 * 1024 * 1024, members: 250_000 } as const;

/** At most so many entities that were not stored are named in the log. */
const maximumNamed = 20;

/** What a visit did, for its line in the log. */
export interface VisitLine {
  introduced: boolean;
  hosts: number;
  subnets: number;
  /** Hosts that failed, and entities that were not believed. */
  failed: number;
  refused: number;
  /** The first of those, by the daemon's ids, and why. */
  not_stored: { id: string | null; reason: string }[];
  confirmed: boolean;
  session_id: string | null;
  /** Why it ended early. */
  error: string | null;
}

/** How far the entities of a poll have come. */
type EntitiesState =
  /** Some were stored and confirmed. There may be more. */
  | "confirmed"
  /** Some come again, as they were not confirmed, or wait for their turn. */
  | "pending"
  /** The daemon has nothing that can be stored. */
  | "exhausted";

/** Polls, ingests what the daemon reports, and confirms it after the commit. */
export async function takeReport(
  settings: Settings,
  visit: Visit,
  line: VisitLine,
): Promise<{ progress: Progress | null; entities: EntitiesState }> {
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
    const { progress = null, entities } = poll.data.data;
    const report = convertReport(visit.network_id, {
      hosts: entities?.hosts ?? [],
      subnets: entities?.subnets ?? [],
    });
    const ingested = await ingestReport(settings, visit, report);
    if (ingested.state === "lease_lost") {
      throw new CallFailure("timed_out");
    }
    if (ingested.state === "failed") {
      // The daemon sends its entities again, but the end of its scan it may say only once.
      line.error = codeOf(ingested.error);
      return { progress, entities: "pending" };
    }
    const { stored } = ingested;
    describe(line, ingested, report.refused.hosts.length + report.refused.subnets.length);
    await confirm(visit, line, ingested);
    if (stored.hosts.length + stored.subnets.length > 0) {
      return { progress, entities: line.confirmed ? "confirmed" : "pending" };
    }
    return { progress, entities: report.isWhole ? "exhausted" : "pending" };
  } finally {
    room.leave();
  }
}

type Verdicts = Extract<Ingested, { state: "ingested" }>;

function describe(line: VisitLine, { stored, unstored }: Verdicts, refused: number): void {
  line.hosts = stored.hosts.length;
  line.subnets = stored.subnets.length;
  line.refused = refused;
  line.failed = unstored.hosts.length + unstored.subnets.length - refused;
  line.not_stored = [...unstored.hosts, ...unstored.subnets]
    .slice(0, maximumNamed)
    .map(({ pending, reason }) => ({ id: pending?.id ?? null, reason }));
}

/**
 * Confirms what is stored, then gives back what is not. The daemon sends what is not confirmed again,
 * and taking it over twice changes nothing: a failure is for the log.
 */
async function confirm(
  visit: Visit,
  line: VisitLine,
  { stored, unstored }: Verdicts,
): Promise<void> {
  const known = [...stored.hosts, ...stored.subnets].map(({ pending }) => pending.id);
  const returned = givenBack(unstored, new Set(known));
  try {
    if (known.length > 0) {
      await call(visit, "discovery/entities-created", confirmationOf(visit.network_id, stored));
      line.confirmed = true;
    }
    // By itself, since a daemon may refuse to read what is of a wrong shape.
    if (returned.hosts.length + returned.subnets.length > 0) {
      await call(visit, "discovery/entities-created", confirmationOf(visit.network_id, returned));
    }
  } catch (error) {
    line.error = codeOf(error);
  }
}
