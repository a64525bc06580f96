import { parsePoll } from "../../src/daemons/poller/ingest-poll.ts";
import { convertReport } from "../../src/daemons/poller/report/reported-entities.ts";
import { Pace, type Steps } from "../../src/discovery/steps.ts";

/** Runs all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
  }
}

/** Converts a poll with these entities as the poller does. */
export function convert(network_id: string, report: { hosts?: unknown[]; subnets?: unknown[] }) {
  const poll = { success: true, data: { progress: null, entities: report } };
  const json = new TextEncoder().encode(JSON.stringify(poll));
  const pace = new Pace();
  return finish(convertReport(network_id, finish(parsePoll(json, pace)).entities, pace));
}
