import pg from "pg";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { type PollMessage, pollMessageSchema, runPollCycle } from "../../src/daemons/poll-cycle.ts";
import { type PollResult, recordPolls } from "../../src/daemons/poll-state.ts";
import { askAsPoller } from "../../src/database/poller.ts";
import { type Settings, settingsOf } from "../../src/env.ts";
import { type DatabaseProcess, startDatabaseProcess } from "./database-process.ts";
import { type Figure, figure } from "./measure.ts";

export const daemons = 100_000;
export const deadShare = 0.01;
export const rounds = 3;

/** What was measured of the Worker's own code on a real Postgres. */
export interface Measured {
  /** Milliseconds for a whole cycle's claims, and for recording one batch. */
  cycle: Figure;
  record: Figure;
  /** CPU milliseconds of the Worker's code for a cycle. */
  cpu: Figure;
  messages: number;
  sends: number;
  claimCalls: number;
  recordCalls: number;
  largestMessage: number;
}

async function fill(client: pg.Client): Promise<void> {
  await migrateDatabase(client);
  await client.query(
    `insert into organizations (id, name) select gen_random_uuid(), 'Bench' from generate_series(1, 100)`,
  );
  await client.query(
    `insert into networks (organization_id, name) select id, 'Bench' from organizations`,
  );
  await client.query(
    `insert into daemons (organization_id, network_id, name, url, sealed_token)
     select organization_id, id, 'Bench', format('https://daemon-%s.customer-%s.example.com:60073', number, id),
       'bench.' || repeat('x', 96)
     from networks, generate_series(1, $1::int / 100) as number`,
    [daemons],
  );
  await client.query("vacuum (analyze) daemons");
}

/** Runs the Worker's own cycle, and records a result for every daemon of every message. */
async function measureRound(
  database: DatabaseProcess,
  messages: PollMessage[],
  settings: Settings,
) {
  messages.length = 0;
  await database.delay(0);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await runPollCycle(settings);
  const cycleMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const claimCalls = await database.calls();

  const recordMs: number[] = [];
  const waiting = [...messages];
  const recordNext = async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) {
      const results = message.daemons.map(
        ({ id, poll_generation }): PollResult => ({
          id,
          poll_generation,
          outcome:
            Math.random() < deadShare
              ? { error: "timed_out", http_status: null }
              : { error: null, version: "0.14.2" },
        }),
      );
      const before = performance.now();
      await askAsPoller(settings, (asked) => [recordPolls(asked, results)]);
      recordMs.push(performance.now() - before);
    }
  };
  await Promise.all([recordNext(), recordNext()]);
  return {
    cycleMs,
    cpuMs: (user + system) / 1000,
    recordMs,
    claimCalls,
    recordCalls: (await database.calls()) - claimCalls,
  };
}

/** Fills a database, and runs cycles over it. */
export async function measurePoller(connectionString: string): Promise<Measured> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const database = await startDatabaseProcess({ databaseUrl: connectionString });
  try {
    await fill(client);
    const messages: PollMessage[] = [];
    let sends = 0;
    const settings = settingsOf({
      ENVIRONMENT: "development",
      DATABASE_URL: database.connectionString,
      LOCAL_DATABASE_ENDPOINT: database.endpoint,
      SEALING_KEYS: demoSealingKeys,
      KEY_RATE_LIMIT: { limit: null },
      ADDRESS_RATE_LIMIT: { limit: null },
      READINESS_RATE_LIMIT: { limit: null },
      ASSETS: { fetch: null },
      POLL_QUEUE: {
        async sendBatch(sent: Iterable<{ body: unknown }>) {
          sends += 1;
          messages.push(...Array.from(sent, ({ body }) => pollMessageSchema.parse(body)));
        },
      },
    });
    const found = [];
    for (let round = 0; round <= rounds; round += 1) {
      sends = 0;
      found.push(await measureRound(database, messages, settings));
      await client.query("update daemons set next_poll_at = now() where next_poll_at is not null");
      await client.query("vacuum daemons");
    }
    // The first round is to warm up.
    const counted = found.slice(1);
    const [first] = counted;
    return {
      cycle: figure(counted.map(({ cycleMs }) => cycleMs)),
      record: figure(counted.flatMap(({ recordMs }) => recordMs)),
      cpu: figure(counted.map(({ cpuMs }) => cpuMs)),
      messages: messages.length,
      sends,
      claimCalls: first?.claimCalls ?? 0,
      recordCalls: first?.recordCalls ?? 0,
      largestMessage: Math.max(...messages.map((message) => JSON.stringify(message).length)),
    };
  } finally {
    await database.stop();
    await client.end();
  }
}
