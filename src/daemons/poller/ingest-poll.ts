import { inSteps, Pace, type Steps } from "../../discovery/steps.ts";
import type { Settings } from "../../env.ts";
import { readDaemon } from "./call/call.ts";
import { CallFailure } from "./call/call-failure.ts";
import { post, type Visit } from "./call/visit-calls.ts";
import { failureCode } from "./failure-code.ts";
import { type Ingested, ingestReport } from "./ingest.ts";
import { type ConfirmedEntities, confirmationOf, returnedOf } from "./report/confirmation.ts";
import { cut } from "./report/json-pieces.ts";
import { LargePollRoom } from "./report/large-polls.ts";
import { type Progress, pollSchema } from "./report/protocol.ts";
import { convertReport, type SentEntities } from "./report/reported-entities.ts";

/** Limits on how much of one poll is read: enough for several thousand hosts. */
export const pollBounds = { bytes: 8 * 1024 * 1024, members: 250_000 } as const;

/** Maximum number of entities that the log lists as not stored. */
const maximumNamed = 20;

/** The log line for a visit. */
export interface VisitLine {
  introduced: boolean;
  hosts: number;
  subnets: number;
  /** Valid entities that could not be stored. */
  failed: number;
  /** Entities that have the wrong shape, are too large, or belong to another network. */
  refused: number;
  /** Valid hosts that a scan of another host found. */
  ignored: number;
  /** Hosts that exceeded a limit and were only partly stored. */
  left_out: number;
  /** Hosts with invalid details, and the first few of these details. */
  with_bad_details: number;
  bad_details: string[];
  /** The first failed and refused entities, by the daemon's ids, with the reason. */
  not_stored: { id: string | null; reason: string }[];
  confirmed: boolean;
  session_id: string | null;
  /** The code of the failure that ended the visit. */
  error: string | null;
}

/** The state of the entities reported by a daemon. */
type EntitiesState =
  /** Some entities were stored and confirmed. The daemon may have more. */
  | "confirmed"
  /**
   * The daemon will report some entities again: they were not confirmed, or exceeded the limits of
   * one poll.
   */
  | "pending"
  /** The daemon reported nothing that can be stored. */
  | "exhausted";

/**
 * Polls the daemon, ingests its report, and confirms it after the commit.
 * @throws {CallFailure}; {@link ApiError} 404 if the lease is lost
 */
export async function ingestPoll(
  settings: Settings,
  visit: Visit,
  line: VisitLine,
): Promise<Pick<ParsedPoll, "progress"> & { entities: EntitiesState }> {
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
    const { progress, entities } = await inSteps(parsePoll(json, pace), visit.signal);
    const report = await inSteps(convertReport(visit.network_id, entities, pace), visit.signal);
    const ingested = await ingestReport(settings, visit, report);
    if (ingested.state === "failed") {
      line.error = failureCode(ingested.error);
      // The daemon repeats its entities, but might report the end of its scan only once. If the
      // scan completed without its gaps being recorded, it would end bindings that were seen. If it
      // stalls instead, it does not end any.
      const isUnsafe = progress?.phase === "Complete" && !ingested.areGapsRecorded;
      return { progress: isUnsafe ? undefined : progress, entities: "pending" };
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

/** The response to `poll`. Its entities have not been parsed yet. */
interface ParsedPoll {
  /** Null if the daemon is not running a scan; undefined if the field is missing or invalid. */
  progress: Progress | null | undefined;
  entities: SentEntities;
}

/**
 * Parses the response to `poll`, except for its entities.
 * @throws {CallFailure} `too_large`, `not_json` or `wrong_shape`
 */
export function* parsePoll(json: Uint8Array, pace: Pace): Steps<ParsedPoll> {
  // Depth 5: below the response, its data, the entities, and their lists.
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

type IngestedReport = Extract<Ingested, { state: "ingested" }>;

function describe(
  line: VisitLine,
  { stored, unstored, ignored }: IngestedReport,
  refused: number,
): void {
  line.hosts = stored.hosts.length - ignored;
  line.ignored = ignored;
  line.subnets = stored.subnets.length;
  line.refused = refused;
  line.failed = unstored.hosts.length + unstored.subnets.length - refused;
  line.not_stored = [...unstored.hosts, ...unstored.subnets]
    .slice(0, maximumNamed)
    .map(({ pending, reason }) => ({ id: pending?.id ?? null, reason }));
}

/**
 * Confirms the stored entities, then sends the others back unchanged. A failure is only logged: the
 * daemon reports unconfirmed entities again, and ingesting them a second time has no effect.
 */
async function confirm(
  visit: Visit,
  line: VisitLine,
  { stored, unstored }: IngestedReport,
): Promise<void> {
  const known = [...stored.hosts, ...stored.subnets].map(({ pending }) => pending.id);
  const returned = returnedOf(unstored, new Set(known));
  const send = async (entities: ConfirmedEntities) => {
    const steps = confirmationOf(visit.network_id, entities, new Pace());
    await post(visit, "discovery/entities-created", await inSteps(steps, visit.signal));
  };
  try {
    if (known.length > 0) {
      await send(stored);
      line.confirmed = true;
    }
    // Sent in a separate request, since the daemon may reject a request that contains an entity
    // with the wrong shape.
    if (returned.hosts.length + returned.subnets.length > 0) {
      await send(returned);
    }
  } catch (error) {
    line.error = failureCode(error);
  }
}
