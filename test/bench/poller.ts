import { answerHelp } from "../../drizzle/commands/command.ts";
import { maxConnections } from "../../src/daemons/poller/batch.ts";
import { contactDeadlineMs } from "../../src/daemons/poller/call/contact.ts";
import { claimSize } from "../../src/daemons/poller/claim/claims.ts";
import { leaseSeconds } from "../../src/daemons/poller/claim/state.ts";
import { batchSize } from "../../src/outbound/queues.ts";
import { withCluster } from "./cluster.ts";
import { deadShare, type Measured, measurePoller, ofOrganization } from "./poller-measure.ts";
import { type CycleFigures, runBatch, simulatePoller } from "./poller-model.ts";
import { markdown } from "./report.ts";
import { digits } from "./row.ts";

answerHelp(`Usage:
  npm run bench:poller -- [--size DAEMONS]`);
/** The numbers of daemons to measure. All calculated figures in the report are for them. */
const sizes = process.argv.includes("--size")
  ? [Number(process.argv.at(-1))]
  : [25_000, 100_000, 200_000];

/** Assumptions that cannot be measured locally, in milliseconds. */
const assumed = { roundTrip: 10, queueSend: 50, healthyPoll: 200 };

/**
 * Platform limits: https://developers.cloudflare.com/workers/platform/limits and
 * queues/platform/limits.
 */
const limits = { subrequests: 10_000, wallMs: 15 * 60_000, consumers: 250 };

const seconds = (milliseconds: number) => `${digits(milliseconds / 1000)} s`;
const share = (value: number, of: number) => `${digits((value / of) * 100)} %`;
const count = (value: number) => value.toLocaleString("en");

const figuresOf = ({ cycle, record, claimCalls, sends }: Measured): CycleFigures => ({
  claimMs: cycle / claimCalls + assumed.roundTrip + (sends / claimCalls) * assumed.queueSend,
  recordMs: record.median + assumed.roundTrip,
  healthyMs: assumed.healthyPoll,
  deadMs: contactDeadlineMs,
  deadShare,
  connections: maxConnections,
  consumers: limits.consumers,
  batchSize,
  claimSize,
  leaseMs: leaseSeconds * 1000,
  reserveMs: contactDeadlineMs + 9000,
});

function measuredTable(measured: readonly Measured[]): string {
  return markdown(
    [
      "daemons due",
      "messages",
      "claims",
      "a claim of 1,000: the first tenth",
      "the last tenth",
      "all claims",
      "a cycle that finds all claimed",
      "recording 25",
      "subrequests, of 10,000",
      "CPU time, of 30 s",
      "the largest message, of 128 KB",
    ],
    measured.map((size) => [
      count(size.daemons),
      count(size.messages),
      count(size.claimCalls),
      `${digits(size.firstClaims.median)} ms`,
      `${digits(size.lastClaims.median)} ms`,
      seconds(size.cycle),
      `${digits(size.idleCycle)} ms`,
      `${digits(size.record.median)} ms`,
      count(size.claimCalls + size.sends),
      seconds(size.cpu),
      `${digits(size.largestMessage / 1000)} KB`,
    ]),
  );
}

/** Uses only measured sizes, each with its own figures: nothing is extrapolated. */
function computedTable(measured: readonly Measured[]): string {
  return markdown(
    [
      "daemons",
      "claimed after",
      "polled after",
      "each is polled every",
      "dropped and claimed again",
    ],
    measured.map((size) => {
      const figures = figuresOf(size);
      const { drainedAt, interval, droppedShare } = simulatePoller(size.daemons, figures);
      return [
        count(size.daemons),
        seconds(size.claimCalls * figures.claimMs),
        seconds(drainedAt),
        seconds(interval),
        share(droppedShare, 1),
      ];
    }),
  );
}

function batchTable(figures: CycleFigures): string {
  const batch = (dead: number) =>
    runBatch(
      Array.from({ length: batchSize }, (_, index) => index < dead),
      figures,
    ).duration;
  return markdown(
    ["a batch of 100 with", "takes", "of 15 minutes"],
    [0, 1, 10, 100].map((dead) => [
      `${dead} dead`,
      seconds(batch(dead)),
      share(batch(dead), limits.wallMs),
    ]),
  );
}

await withCluster(async (cluster) => {
  const measured = await measurePoller(await cluster.createDatabase("poller"), sizes);
  const [first] = measured;
  console.log(`
Measured: the Worker's own cycle and its recording, on Postgres, organizations of ${count(ofOrganization)} daemons.

${measuredTable(measured)}

Computed from that, for ${share(deadShare, 1)} dead. Assumed: ${assumed.roundTrip} ms to the database and back, ${assumed.queueSend} ms to send
to the queue, ${assumed.healthyPoll} ms for a daemon that answers. Given: ${contactDeadlineMs / 1000} s for one that does not, ${maxConnections} connections per
batch, ${limits.consumers} consumers, a lease of ${leaseSeconds} s. The dead are in the same queue here, as they are at first.

${first ? batchTable(figuresOf(first)) : ""}

${computedTable(measured)}
`);
});
