import { inSteps, Pace, type Steps } from "../../discovery/steps.ts";
import type { Settings } from "../../env.ts";
import { readDaemon } from "./call/call.ts";
import { CallFailure } from "./call/call-failure.ts";
import { codeOf, post, type Visit } from "./call/visit-calls.ts";
import { type Ingested, ingestReport } from "./ingest.ts";
import { type ConfirmedEntities, confirmationOf, givenBack } from "./report/confirmation.ts";
import { cut } from "./report/json-pieces.ts";
import { LargePollRoom } from "./report/large-polls.ts";
import { type Progress, pollSchema } from "./report/protocol.ts";
import { convertReport, type SentEntities } from "./report/reported-entities.ts";

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
  /** Hosts that exceed the bounds of a host, so that something of them is left out. */
  left_out: number;
  /** Hosts with a detail that could not be taken, and the first of these details. */
  with_bad_details: number;
  bad_details: string[];
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
): Promise<Pick<OpenPoll, "progress"> & { entities: EntitiesState }> {
  const room = new LargePollRoom();
  const inTime = (isIn: boolean) => {
    if (!isIn) {
      throw new CallFailure("timed_out");
    }
  };
  try {
    const json = await readDaemon(visit.access, {
      path: "poll",
      bounds: {
        ...pollBounds,
        makeRoom: async () => inTime(await room.enter(visit.organization_id)),
      },
      signal: visit.signal,
    });
    inTime(await room.takeTurn());
    const pace = new Pace();
    const { progress, entities } = await inSteps(openPoll(json, pace), visit.signal);
    const report = await inSteps(convertReport(visit.network_id, entities, pace), visit.signal);
    const ingested = await ingestReport(settings, visit, report);
    if (ingested.state === "lease_lost") {
      throw new CallFailure("timed_out");
    }
    if (ingested.state === "failed") {
      // The daemon sends its entities again, but may report the end of its scan only once.
      line.error = codeOf(ingested.error);
      // A scan that fails in the end, as nothing moves it, ends nothing. One that is complete would.
      const isToldTooEarly = progress?.phase === "Complete" && !ingested.isRemembered;
      return { progress: isToldTooEarly ? undefined : progress, entities: "pending" };
    }
    const { stored } = ingested;
    describe(line, ingested, report.refused.hosts.length + report.refused.subnets.length);
    line.left_out = report.leftOut + ingested.leftOut;
    line.with_bad_details = report.details.hosts;
    line.bad_details = report.details.first;
    await confirm(visit, line, ingested);
    if (stored.hosts.length + stored.subnets.length > 0) {
      return { progress, entities: line.confirmed ? "confirmed" : "pending" };
    }
    return { progress, entities: report.isWhole ? "exhausted" : "pending" };
  } finally {
    room.leave();
  }
}

/** What a poll says of the scan, and its entities, which are not parsed yet. */
interface OpenPoll {
  /** Null of a daemon that runs no scan; undefined where it reports nothing that is understood. */
  progress: Progress | null | undefined;
  entities: SentEntities;
}

/**
 * Opens the response to `poll`.
 * @throws {CallFailure} `too_large`, `not_json` or `wrong_shape`
 */
export function* openPoll(json: Uint8Array, pace: Pace): Steps<OpenPoll> {
  // The outermost object, its data, the entities, their lists: entities are at depth 5.
  const pieces = yield* cut(json, { depth: 5, members: pollBounds.members, pace });
  const poll = pollSchema.safeParse(pieces.frame);
  if (!poll.success) {
    throw new CallFailure("wrong_shape");
  }
  const { progress, entities } = poll.data.data;
  return {
    progress,
    entities: {
      hosts: (entities?.hosts ?? []).map((host) => pieces.at(host)),
      subnets: (entities?.subnets ?? []).map((subnet) => pieces.at(subnet)),
    },
  };
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
  const tell = async (entities: ConfirmedEntities) => {
    const steps = confirmationOf(visit.network_id, entities, new Pace());
    await post(visit, "discovery/entities-created", await inSteps(steps, visit.signal));
  };
  try {
    if (known.length > 0) {
      await tell(stored);
      line.confirmed = true;
    }
    // In a request of its own, since a daemon may refuse to read what is of a wrong shape.
    if (returned.hosts.length + returned.subnets.length > 0) {
      await tell(returned);
    }
  } catch (error) {
    line.error = codeOf(error);
  }
}
