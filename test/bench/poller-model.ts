/** The parameters of a cycle; times in milliseconds. */
export interface CycleFigures {
  /** The time to claim 1,000 daemons and send them to the queue. */
  claimMs: number;
  /** The time to record the results of one batch. */
  recordMs: number;
  /** The time to poll a daemon that responds. */
  healthyMs: number;
  /** The time until the poller gives up on a dead daemon. */
  deadMs: number;
  /** The fraction of daemons that are dead, from 0 to 1. */
  deadShare: number;
  /** The number of connections per consumer, and of consumers per queue. */
  connections: number;
  consumers: number;
  /** The number of daemons in one batch, and in one claim. */
  batchSize: number;
  claimSize: number;
  /** The duration of a lease, and the part of it that must remain when a poll starts. */
  leaseMs: number;
  reserveMs: number;
}

/** The result of a simulation; times in milliseconds. */
export interface Simulated {
  /**
   * The number of batches in the first cycle, in which all daemons are due, and the time until the
   * results of the last batch were recorded.
   */
  batches: number;
  drainedAt: number;
  /** The interval between two polls of a daemon in the steady state. */
  interval: number;
  /**
   * The fraction of claimed daemons that are dropped in the steady state, because too little of
   * their lease remains when their turn comes.
   */
  droppedShare: number;
}

/** A pool of workers. The first worker that is free takes the next task. */
class Workers {
  readonly #free: number[];

  constructor(count: number) {
    this.#free = Array<number>(count).fill(0);
  }

  /**
   * Starts a task when the task is ready and a worker is free. `run` gets the start time and
   * returns the end time.
   */
  take(ready: number, run: (start: number) => number): void {
    const earliest = this.#free.indexOf(Math.min(...this.#free));
    this.#free[earliest] = run(Math.max(this.#free[earliest] ?? 0, ready));
  }

  /** The time at which a task that becomes ready at `ready` would start. */
  next(ready: number): number {
    return Math.max(Math.min(...this.#free), ready);
  }

  /** The time at which all workers are free. */
  get end(): number {
    return Math.max(...this.#free);
  }
}

/** Numbers from 0 to 1 that are the same in every run (a linear congruential generator). */
function repeatableRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Simulates one consumer's work on a batch. Returns its duration and the number of polled daemons.
 * @param patience how long after the start of the batch polls may still start
 */
export function runBatch(
  isDead: readonly boolean[],
  { connections, deadMs, healthyMs, recordMs }: CycleFigures,
  patience = Number.POSITIVE_INFINITY,
): { duration: number; polled: number } {
  const workers = new Workers(connections);
  let polled = 0;
  for (const dead of isDead) {
    workers.take(0, (start) => {
      if (start > patience) {
        return start;
      }
      polled += 1;
      return start + (dead ? deadMs : healthyMs);
    });
  }
  return { duration: workers.end + (polled > 0 ? recordMs : 0), polled };
}

/** The interval between cycles, and the simulated times before and during the measurement. */
const cycleEvery = 60_000;
const warmUp = 60 * cycleEvery;
const observed = 60 * cycleEvery;

/** A daemon that responded is due again after this time (see `claim/state.ts`). */
const restMs = 5000;

/** Simulates two hours of the poller. */
export function simulatePoller(daemons: number, figures: CycleFigures): Simulated {
  const { batchSize, claimSize, claimMs, consumers, leaseMs, reserveMs } = figures;
  const random = repeatableRandom();
  const workers = new Workers(consumers);
  const queue: { size: number; claimedAt: number }[] = [];
  let due: { count: number; at: number }[] = [{ count: daemons, at: 0 }];
  let first: { batches: number; left: number; drainedAt: number } | undefined;
  let polled = 0;
  let dropped = 0;

  const consume = ({ size, claimedAt }: (typeof queue)[number]) => {
    workers.take(claimedAt, (start) => {
      const isDead = Array.from({ length: size }, () => random() < figures.deadShare);
      const patience = claimedAt + leaseMs - reserveMs - start;
      const batch = runBatch(isDead, figures, patience);
      const end = start + batch.duration;
      due.push({ count: batch.polled, at: end + restMs });
      due.push({ count: size - batch.polled, at: claimedAt + leaseMs });
      if (start >= warmUp && start < warmUp + observed) {
        polled += batch.polled;
        dropped += size - batch.polled;
      }
      if (first && first.left > 0) {
        first.left -= 1;
        first.drainedAt = Math.max(first.drainedAt, end);
      }
      return end;
    });
  };

  for (let now = 0; now <= warmUp + observed; now += cycleEvery) {
    for (let next = queue[0]; next && workers.next(next.claimedAt) < now; next = queue[0]) {
      queue.shift();
      consume(next);
    }
    const count = due.reduce((sum, group) => sum + (group.at <= now ? group.count : 0), 0);
    due = due.filter(({ at }) => at > now);
    for (let claimed = 0; claimed < count; claimed += batchSize) {
      const claimedAt = now + (Math.floor(claimed / claimSize) + 1) * claimMs;
      queue.push({ size: Math.min(batchSize, count - claimed), claimedAt });
    }
    first ??= { batches: queue.length, left: queue.length, drainedAt: 0 };
  }
  return {
    batches: first?.batches ?? 0,
    drainedAt: first?.drainedAt ?? 0,
    interval: (daemons * observed) / polled,
    droppedShare: dropped / (dropped + polled),
  };
}
