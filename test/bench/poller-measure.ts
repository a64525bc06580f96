import pg from "pg";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { demoSigningKeys } from "../../drizzle/demo/signing-keys.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { claimSize, firstShare } from "../../src/daemons/poller/claim/claims.ts";
import {
  type PollMessage,
  pollMessageSchema,
  runPollCycle,
} from "../../src/daemons/poller/claim/cycle.ts";
import { type PollResult, recordPolls } from "../../src/daemons/poller/claim/state.ts";
import { runAsPoller } from "../../src/database/poller.ts";
import { type Settings, settingsOf } from "../../src/env.ts";
import { type DatabaseProcess, startDatabaseProcess } from "./database-process.ts";
import { type Figure, figure } from "./measure.ts";

export const deadShare = 0.01;

/** The number of daemons in each organization. */
export const ofOrganization = 1000;

/** Measurements of the Worker's own code on a real Postgres, with a given number of due daemons. */
export interface Measured {
  daemons: number;
  /** Milliseconds for all claims of a cycle. */
  cycle: number;
  /** Milliseconds per claim of 1,000, for the first tenth and for the last tenth of all claims. */
  firstClaims: Figure;
  lastClaims: Figure;
  /** Milliseconds for a cycle in which all daemons are already claimed. */
  idleCycle: number;
  /** Milliseconds to record the results of 25 daemons, as many as a batch produces in a second. */
  record: Figure;
  /** CPU milliseconds that the Worker's code uses for the cycle. */
  cpu: number;
  messages: number;
  sends: number;
  claimCalls: number;
  largestMessage: number;
}

/** Replaces all data with the given number of daemons, all of them due. */
async function fill(client: pg.Client, daemons: number): Promise<void> {
  await client.query("truncate organizations cascade");
  await client.query(
    `insert into organizations (id, name)
     select gen_random_uuid(), 'Bench' from generate_series(1, $1::int / $2::int)`,
    [daemons, ofOrganization],
  );
  await client.query(
    `insert into networks (organization_id, name) select id, 'Bench' from organizations`,
  );
  await client.query(
    `insert into daemons (organization_id, network_id, name, url)
     select organization_id, id, 'Bench', format('https://daemon-%s.customer-%s.example.com:60073', number, id)
     from networks, generate_series(1, $1::int) as number`,
    [ofOrganization],
  );
  await client.query(
    `insert into daemon_secrets (organization_id, daemon_id, field, sealed)
     select organization_id, id, 'token', 'bench.' || repeat('x', 96) from daemons`,
  );
  await client.query("vacuum (analyze) daemons, daemon_secrets");
}

/** Records results for the daemons in messages, 25 at a time, from two consumers. */
async function recordAll(settings: Settings, messages: PollMessage[]): Promise<number[]> {
  const pending = messages.flatMap(({ daemons }) =>
    Array.from({ length: daemons.length / 25 }, (_, at) => daemons.slice(at * 25, at * 25 + 25)),
  );
  const times: number[] = [];
  const recordNext = async () => {
    for (let daemons = pending.shift(); daemons; daemons = pending.shift()) {
      const results = daemons.map(
        ({ organization_id, id, poll_generation }): PollResult => ({
          organization_id,
          id,
          poll_generation,
          is_slow: false,
          is_introduced: false,
          outcome:
            Math.random() < deadShare
              ? { error: "timed_out", http_status: null }
              : {
                  error: null,
                  version: "0.14.2",
                  isReady: true,
                  has_docker_socket: false,
                  interfaced_cidrs: [],
                },
        }),
      );
      const before = performance.now();
      await runAsPoller(settings, (database) => [recordPolls(database, results)]);
      times.push(performance.now() - before);
    }
  };
  await Promise.all([recordNext(), recordNext()]);
  return times;
}

/**
 * Records when each claim has been sent completely; sending one can take several calls. Keeps only
 * the first messages, since those for a million daemons would not fit in memory.
 */
class Queue {
  /** The first messages: only as many as will have their results recorded. */
  readonly messages: PollMessage[] = [];
  readonly #kept: number;
  sent = 0;
  readonly claimedAt: number[] = [];
  sends = 0;
  #daemons = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  async sendBatch(sent: Iterable<{ body: unknown }>): Promise<void> {
    const messages = Array.from(sent, ({ body }) => pollMessageSchema.parse(body));
    this.messages.push(...messages.slice(0, this.#kept - this.messages.length));
    this.sends += 1;
    this.sent += messages.length;
    for (const { daemons } of messages) {
      this.#daemons += daemons.length;
    }
    // The organization sizes fill every claim completely.
    if (this.#daemons % claimSize === 0) {
      this.claimedAt.push(performance.now());
    }
  }
}

const settingsFor = (database: DatabaseProcess, queue: Queue) =>
  settingsOf({
    ENVIRONMENT: "development",
    DATABASE_URL: database.connectionString,
    LOCAL_DATABASE_ENDPOINT: database.endpoint,
    SEALING_KEYS: demoSealingKeys,
    SIGNING_KEYS: demoSigningKeys,
    KEY_RATE_LIMIT: { limit: null },
    ORGANIZATION_RATE_LIMIT: { limit: null },
    ADDRESS_RATE_LIMIT: { limit: null },
    READINESS_RATE_LIMIT: { limit: null },
    REACHABILITY_RATE_LIMIT: { limit: null },
    ASSETS: { fetch: null },
    POLL_QUEUE: queue,
    SLOW_POLL_QUEUE: queue,
    WEBHOOK_QUEUE: queue,
    SLOW_WEBHOOK_QUEUE: queue,
  });

/** Runs the Worker's own cycle over the daemons, and records a tenth of the results. */
async function measureSize(client: pg.Client, database: DatabaseProcess, daemons: number) {
  await fill(client, daemons);
  const queue = new Queue(daemons / 10 / firstShare);
  const settings = settingsFor(database, queue);
  await database.delay(0);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await runPollCycle(settings);
  const cycle = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const claimCalls = await database.calls();
  const claims = queue.claimedAt.map((at, index) => at - (queue.claimedAt[index - 1] ?? startedAt));
  const tenth = Math.ceil(claims.length / 10);
  const idleAt = performance.now();
  await runPollCycle(settings);
  const idleCycle = performance.now() - idleAt;
  const record = figure(await recordAll(settings, queue.messages));
  return {
    daemons,
    cycle,
    firstClaims: figure(claims.slice(0, tenth)),
    lastClaims: figure(claims.slice(-tenth)),
    idleCycle,
    record,
    cpu: (user + system) / 1000,
    messages: queue.sent,
    sends: queue.sends,
    claimCalls,
    largestMessage: Math.max(...queue.messages.map((message) => JSON.stringify(message).length)),
  };
}

/** Fills a database with each number of daemons in turn, and runs a cycle over it. */
export async function measurePoller(
  connectionString: string,
  sizes: readonly number[],
): Promise<Measured[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const database = await startDatabaseProcess({ databaseUrl: connectionString });
  try {
    await migrateDatabase(client);
    // The first run is a warm-up.
    await measureSize(client, database, 10_000);
    const measured: Measured[] = [];
    for (const size of sizes) {
      measured.push(await measureSize(client, database, size));
    }
    return measured;
  } finally {
    await database.stop();
    await client.end();
  }
}
