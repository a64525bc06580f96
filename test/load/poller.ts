/**
 * One tenant's tarpits against the poller: 9,000 daemons of A that answer after nine and a half
 * seconds, 3 healthy ones of B. The Worker's own cycle and consumers run against a real database,
 * with the platform's number of consumers and every time ten times shorter.
 *
 *   node --test test/load/poller.ts                            PGlite, a tenth of the daemons
 *   TEST_DATABASE_URL=postgresql://… node --test test/load/poller.ts
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { pollBatch } from "../../src/daemons/poller/batch.ts";
import {
  type PollMessage,
  pollMessageSchema,
  runPollCycle,
} from "../../src/daemons/poller/cycle.ts";
import { pollTimes } from "../../src/daemons/poller/poll.ts";
import { KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import { parseSealingKeys, settingsOf } from "../../src/env.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const isReal = databaseUrl !== undefined;
const tarpits = isReal ? 9000 : 900;
const maximum = isReal ? 1000 : 100;
const cycles = isReal ? 10 : 5;

/** How much shorter every time is than in production. */
const scale = 10;
const cycleMs = 60_000 / scale;
const tarpitMs = 9500 / scale;
const times = {
  deadline: pollTimes.deadline / scale,
  visit: pollTimes.visit / scale,
  slow: pollTimes.slow / scale,
  record: pollTimes.record / scale,
};

/** Consumers of one queue that the platform runs at a time. */
const maxConsumers = 250;

/** A queue with its consumers. */
class Lane {
  readonly #consume: (message: PollMessage) => Promise<void>;
  readonly #waiting: PollMessage[] = [];
  busy = 0;
  /** The most that were busy at a time. */
  peak = 0;
  /** What was sent in all, in messages. */
  sent = 0;

  constructor(consume: (message: PollMessage) => Promise<void>) {
    this.#consume = consume;
  }

  async sendBatch(messages: Iterable<{ body: unknown }>): Promise<void> {
    for (const { body } of messages) {
      this.#waiting.push(pollMessageSchema.parse(body));
      this.sent += 1;
    }
    this.#start();
  }

  #start(): void {
    while (this.busy < maxConsumers) {
      const message = this.#waiting.shift();
      if (!message) {
        return;
      }
      this.busy += 1;
      this.peak = Math.max(this.peak, this.busy);
      this.#consume(message).finally(() => {
        this.busy -= 1;
        this.#start();
      });
    }
  }

  async drained(): Promise<void> {
    while (this.busy > 0) {
      await sleep(50);
    }
  }
}

/** Daemons on this machine: `/tarpit` answers late, all else at once. */
async function startDaemons() {
  const body = JSON.stringify({ success: true, data: { version: "0.14.2" } });
  const server = createServer((request, response) => {
    setTimeout(() => response.end(body), request.url?.startsWith("/tarpit") ? tarpitMs : 0);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A database of the test's own, which goes with it. */
async function startDatabase() {
  const name = `load_${crypto.randomUUID().replaceAll("-", "")}`;
  const asOwner = async (statement: string) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const url = new URL(databaseUrl ?? "postgresql://nobody@127.0.0.1");
  url.pathname = name;
  if (isReal) {
    await asOwner(`create database ${name}`);
  }
  const database = await startLocalDatabase(isReal ? { databaseUrl: url.href } : {});
  await database.withClient(migrateDatabase);
  return {
    ...database,
    async close() {
      await database.close();
      if (isReal) {
        await asOwner(`drop database ${name} with (force)`);
      }
    },
  };
}

type Database = Awaited<ReturnType<typeof startDatabase>>;

/** Makes the daemons of an organization, each with a token that opens. Returns the organization. */
async function mint(database: Database, name: string, count: number, url: string): Promise<string> {
  const organization = crypto.randomUUID();
  const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const sealed = await Promise.all(
    ids.map((id) => ring.seal("token", tokenPlace(organization, id, url))),
  );
  await database.withClient(async (client) => {
    await client.query("insert into organizations (id, name) values ($1, $2)", [
      organization,
      name,
    ]);
    await client.query("insert into networks (id, organization_id, name) values ($1, $1, 'Load')", [
      organization,
    ]);
    await client.query(
      `insert into daemons (id, organization_id, network_id, name, url)
       select id, $1, $1, 'Load', $2 from unnest($3::uuid[]) as id`,
      [organization, url, ids],
    );
    await client.query(
      `insert into daemon_secrets (organization_id, daemon_id, field, sealed)
       select $1, id, 'token', sealed from unnest($2::uuid[], $3::text[]) as token (id, sealed)`,
      [organization, ids, sealed],
    );
  });
  return organization;
}

test("healthy daemons are polled in every cycle, whatever another tenant's tarpits do", async (t) => {
  const lines = t.mock.method(console, "log", () => {});
  const database = await startDatabase();
  const daemons = await startDaemons();
  t.after(async () => {
    daemons.close();
    await database.close();
  });
  const attacker = await mint(database, "A", tarpits, `${daemons.url}/tarpit`);
  const victim = await mint(database, "B", 3, `${daemons.url}/healthy`);

  const consume = (message: PollMessage) => pollBatch(settings, message, times);
  const [fast, slow] = [new Lane(consume), new Lane(consume)];
  const settings = settingsOf({
    ENVIRONMENT: "development",
    DATABASE_URL: database.connectionString,
    LOCAL_DATABASE_ENDPOINT: database.endpoint,
    SEALING_KEYS: demoSealingKeys,
    PRIVATE_DAEMON_ADDRESSES: "allowed",
    MAX_DAEMONS_PER_ORGANIZATION: String(maximum),
    KEY_RATE_LIMIT: { limit: null },
    ADDRESS_RATE_LIMIT: { limit: null },
    READINESS_RATE_LIMIT: { limit: null },
    ASSETS: { fetch: null },
    POLL_QUEUE: fast,
    SLOW_POLL_QUEUE: slow,
  });

  /** When B's daemons were last seen, and how many of A's are leased now. */
  const look = () =>
    database.withClient(async (client) => {
      const seen = await client.query<{ at: number | null }>(
        `select (extract(epoch from last_seen_at) * 1000)::float8 as at
         from daemons where organization_id = $1`,
        [victim],
      );
      const leased = await client.query<{ count: number }>(
        `select count(*)::int as count from daemons
         where organization_id = $1 and lease_expires_at > now()`,
        [attacker],
      );
      return { seen: seen.rows.map(({ at }) => at ?? 0), leased: leased.rows[0]?.count ?? 0 };
    });

  const rows = [];
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const startedAt = Date.now();
    const sent = { fast: fast.sent, slow: slow.sent };
    await runPollCycle(settings);
    const claimedMs = Date.now() - startedAt;
    await sleep(startedAt + cycleMs - Date.now());
    const { seen, leased } = await look();
    rows.push({
      cycle,
      "claims, ms": claimedMs,
      "fast messages": fast.sent - sent.fast,
      "slow messages": slow.sent - sent.slow,
      "fast consumers at most": fast.peak,
      "slow consumers at most": slow.peak,
      "A's daemons leased": leased,
      "B's slowest result, ms": Math.round(Math.max(...seen) - startedAt),
      "B's polled": seen.filter((at) => at >= startedAt).length,
    });
  }
  await Promise.all([fast.drained(), slow.drained()]);
  lines.mock.restore();
  console.table(rows);

  for (const row of rows) {
    assert.equal(row["B's polled"], 3, `B's daemons in cycle ${row.cycle}`);
    // B has one message; all others are A's, of 100 daemons each.
    const ofAttacker = row["fast messages"] + row["slow messages"] - 1;
    assert.ok(ofAttacker <= 2 * (maximum / 100), `A's messages in cycle ${row.cycle}`);
  }
  assert.ok(fast.peak < maxConsumers && slow.peak < maxConsumers, "consumers are left for others");
});
