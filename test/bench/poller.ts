import { contactDeadlineMs } from "../../src/daemons/contact.ts";
import { maxConnections } from "../../src/daemons/poll-batch.ts";
import { batchSize, claimSize } from "../../src/daemons/poll-cycle.ts";
import { leaseSeconds } from "../../src/daemons/poll-state.ts";
import { postgresPrograms, startCluster } from "./cluster.ts";
import { daemons, deadShare, type Measured, measurePoller, rounds } from "./poller-measure.ts";
import { type CycleFigures, runBatch, simulatePoller } from "./poller-model.ts";
import { digits } from "./row.ts";

/** What is assumed, as no machine of ours can measure it; milliseconds. */
const assumed = { roundTrip: 10, queueSend: 50, healthyPoll: 200 };

/** Limits of the platform: https://developers.cloudflare.com/workers/platform/limits and queues/platform/limits. */
const limits = {
  subrequests: 10_000,
  wallMs: 15 * 60_000,
  consumers: 250,
  messagesPerSecond: 5000,
};

const seconds = (milliseconds: number) => `${digits(milliseconds / 1000)} s`;
const share = (value: number, of: number) => `${digits((value / of) * 100)} %`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

function measuredTable(measured: Measured): string {
  const { cycle, record, cpu, messages, sends, claimCalls, recordCalls } = measured;
  const calls = claimCalls + recordCalls;
  return table(
    [`one cycle, ${digits(daemons)} daemons`, "measured", "limit", "used"],
    [
      ["queue batches", digits(messages), "", ""],
      ["database calls to claim", digits(claimCalls), "", ""],
      ["database calls to record", digits(recordCalls), "", ""],
      [
        "database calls per 100 daemons",
        digits((calls / daemons) * 100),
        "2",
        share((calls / daemons) * 100, 2),
      ],
      ["claims, all of them", seconds(cycle.median), "", ""],
      ["recording one batch", `${digits(record.median)} ms`, "", ""],
      [
        "the cycle's subrequests (claims, sends)",
        digits(claimCalls + sends),
        digits(limits.subrequests),
        share(claimCalls + sends, limits.subrequests),
      ],
      ["the cycle's CPU time", seconds(cpu.median), "30 s", share(cpu.median, 30_000)],
      [
        "a batch's subrequests",
        digits(batchSize + 1),
        digits(limits.subrequests),
        share(batchSize + 1, limits.subrequests),
      ],
      [
        "the largest message",
        `${digits(measured.largestMessage / 1000)} KB`,
        "128 KB",
        share(measured.largestMessage, 128_000),
      ],
    ],
  );
}

function figuresOf({ cycle, record, claimCalls, sends }: Measured): CycleFigures {
  const sendsPerClaim = sends / claimCalls;
  return {
    claimMs: cycle.median / claimCalls + assumed.roundTrip + sendsPerClaim * assumed.queueSend,
    recordMs: record.median + assumed.roundTrip,
    healthyMs: assumed.healthyPoll,
    deadMs: contactDeadlineMs,
    deadShare,
    connections: maxConnections,
    consumers: limits.consumers,
    batchSize,
    claimSize,
    leaseMs: leaseSeconds * 1000,
    reserveMs: contactDeadlineMs + 8000,
  };
}

function batchTable(figures: CycleFigures): string {
  const batch = (dead: number) =>
    runBatch(
      Array.from({ length: batchSize }, (_, place) => place < dead),
      figures,
    ).duration;
  return table(
    ["a batch of 100 with", "takes", "of 15 minutes"],
    [0, 1, 2, 6, 7, 50, 100].map((dead) => [
      `${dead} dead`,
      seconds(batch(dead)),
      share(batch(dead), limits.wallMs),
    ]),
  );
}

function scaleTable(figures: CycleFigures, sendsPerClaim: number): string {
  return table(
    [
      "daemons",
      "batches",
      "subrequests of the cycle",
      "claimed after",
      "polled after",
      "each is polled every",
      "dropped and claimed again",
    ],
    [3, 1000, 10_000, 100_000, 200_000, 500_000, 1_000_000].map((count) => {
      const { batches, drainedAt, interval, droppedShare } = simulatePoller(count, figures);
      const claims = Math.floor(count / claimSize) + 1;
      return [
        count.toLocaleString("en"),
        batches.toLocaleString("en"),
        Math.ceil(claims * (1 + sendsPerClaim)).toLocaleString("en"),
        seconds(claims * figures.claimMs),
        seconds(drainedAt),
        seconds(interval),
        share(droppedShare, 1),
      ];
    }),
  );
}

const programs = postgresPrograms();
if (programs === null) {
  console.error(
    "This bench needs Postgres' programs under /usr/lib/postgresql: install postgresql.",
  );
  process.exit(1);
}
const cluster = await startCluster(programs);
try {
  const measured = await measurePoller(cluster.url("postgres"));
  const figures = figuresOf(measured);
  const allDead = simulatePoller(daemons, { ...figures, deadShare: 1 });
  console.log(`
Measured: the Worker's own cycle and its recording, on Postgres with ${digits(daemons)} daemons, ${rounds} rounds.

${measuredTable(measured)}

Computed from that, for ${share(deadShare, 1)} dead. Assumed: ${assumed.roundTrip} ms to the database and back, ${assumed.queueSend} ms to send
to the queue, ${assumed.healthyPoll} ms for a daemon that answers. Given: ${contactDeadlineMs / 1000} s for one that does not, ${maxConnections} connections per
invocation, ${limits.consumers} consumers of a queue, a lease of ${leaseSeconds} s.

${batchTable(figures)}

${scaleTable(figures, measured.sends / measured.claimCalls)}

If all ${digits(daemons)} were dead, each would be polled every ${seconds(allDead.interval)}, and be unreachable and left alone
after five times that.
`);
} finally {
  await cluster.stop();
}
