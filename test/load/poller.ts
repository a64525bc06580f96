/**
 * Simulates one tenant's tarpits: tenant A has 9,000 daemons that take nine and a half seconds for
 * every response, and tenant B has 3 healthy daemons that report a host in every poll. The Worker's
 * own cycle and consumers run against a real database, with as many consumers as the platform runs.
 * All times, including leases, are a fifth of those in production.
 *
 *   node --test test/load/poller.ts                            PGlite, a tenth of the daemons
 *   TEST_DATABASE_URL=postgresql://… node --test test/load/poller.ts
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { pollBatch } from "../../src/daemons/poller/batch.ts";
import {
  type PollMessage,
  pollMessageSchema,
  runPollCycle,
} from "../../src/daemons/poller/claim/cycle.ts";
import { leaseSeconds } from "../../src/daemons/poller/claim/state.ts";
import { pollTimes } from "../../src/daemons/poller/poll.ts";
import { KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import { parseSealingKeys, settingsOf } from "../../src/env.ts";
import { makeDatabase } from "../local-database/postgres.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const isReal = databaseUrl !== undefined;
const tarpits = isReal ? 9000 : 900;
const maximum = isReal ? 1000 : 100;
const healthy = 3;
const cycles = isReal ? 10 : 5;

/** Times in production are divided by this. */
const scale = 5;
const cycleMs = 60_000 / scale;
const databaseDeadlineMs = 8000;
const tarpitMs = 9500 / scale;
/**
 * Additional time, so that B does not time out on a busy machine. A's responses take less time than
 * this.
 */
const patienceMs = 5000;
const times = {
  deadline: pollTimes.deadline / scale + patienceMs,
  visit: pollTimes.visit / scale + patienceMs,
  // Not scaled: the database is as slow as in production.
  slow: tarpitMs / 2,
  record: pollTimes.record / scale,
};

/** The number of consumers of one queue that the platform runs concurrently. */
const maxConsumers = 250;

/** The database's deadline is not scaled, and neither is its share of a lease. */
const withShorterLease = (daemon: PollMessage["daemons"][number]) => ({
  ...daemon,
  lease_expires_at: Date.now() + (leaseSeconds * 1000) / scale + databaseDeadlineMs,
});

/** A queue with its consumers. */
class Lane {
  readonly #consume: (message: PollMessage) => Promise<void>;
  readonly #pending: PollMessage[] = [];
  busy = 0;
  /** The maximum number of concurrent consumers so far. */
  peak = 0;
  /** The organizations that the sent messages belong to, in order. */
  readonly sent: (string | undefined)[] = [];

  constructor(consume: (message: PollMessage) => Promise<void>) {
    this.#consume = consume;
  }

  async sendBatch(messages: Iterable<{ body: unknown }>): Promise<void> {
    for (const { body } of messages) {
      const { daemons } = pollMessageSchema.parse(body);
      this.#pending.push({ daemons: daemons.map(withShorterLease) });
      this.sent.push(daemons[0]?.organization_id);
    }
    this.#start();
  }

  #start(): void {
    while (this.busy < maxConsumers) {
      const message = this.#pending.shift();
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

const nothing = { progress: null, entities: { hosts: [], subnets: [] } };

/** A host with ids that the daemon has generated, new ones in each report. */
const reported = () => ({
  host: { id: crypto.randomUUID(), name: "Found" },
  ip_addresses: [{ id: crypto.randomUUID(), ip_address: "10.0.0.1" }],
});

/** A daemon's responses, by the path below `/api/`. */
const responses: Readonly<Record<string, (isHealthy: boolean) => unknown>> = {
  status: () => ({ version: "0.17.0", name: "load", mode: "server_poll", ready_for_work: true }),
  "first-contact": () => null,
  // Times are scaled but the database is not, so reports from A would only measure the database's
  // speed.
  poll: (isHealthy) =>
    isHealthy ? { ...nothing, entities: { hosts: [reported()], subnets: [] } } : nothing,
  "discovery/entities-created": () => null,
};

/**
 * Starts a server with all daemons: those below `/tarpit` respond late, and all others respond
 * immediately.
 */
async function startDaemons() {
  /** The number of requests to healthy daemons, by path. */
  const requests: Record<string, number> = {};
  const server = createServer((request, response) => {
    const [, kind = "", path = ""] = /^\/(\w+)\/api\/(.+)$/.exec(request.url ?? "") ?? [];
    if (kind === "healthy") {
      requests[path] = (requests[path] ?? 0) + 1;
    }
    request.resume();
    const respond = () => {
      const data = responses[path]?.(kind === "healthy");
      response.statusCode = data === undefined ? 404 : 200;
      response.end(JSON.stringify({ success: data !== undefined, data }));
    };
    setTimeout(respond, kind === "tarpit" ? tarpitMs : 0);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A database for the test, which is dropped when it is closed. */
async function startDatabase() {
  const made = databaseUrl === undefined ? null : await makeDatabase(databaseUrl);
  const database = await startLocalDatabase(made ? { databaseUrl: made.databaseUrl } : {});
  await database.withClient(migrateDatabase);
  return {
    ...database,
    async close() {
      await database.close();
      await made?.drop();
    },
  };
}

type Database = Awaited<ReturnType<typeof startDatabase>>;

/** Creates an organization and its daemons, each with a token that can be decrypted. */
async function mint(
  database: Database,
  organization: string,
  count: number,
  url: string,
): Promise<void> {
  const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const sealed = await Promise.all(
    ids.map((id) => ring.seal("token", tokenPlace(organization, id, url))),
  );
  await database.withClient(async (client) => {
    await client.query("insert into organizations (id, name) values ($1, 'Load')", [organization]);
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
}

test("healthy daemons are polled in every cycle, despite the tarpits of another tenant", async (t) => {
  const lines = t.mock.method(console, "log", () => {});
  const database = await startDatabase();
  const daemons = await startDaemons();
  t.after(async () => {
    daemons.close();
    await database.close();
  });
  // Claims are made in order of organization id, so B comes last.
  const [attacker = "", victim = ""] = [crypto.randomUUID(), crypto.randomUUID()].sort();
  await mint(database, attacker, tarpits, `${daemons.url}/tarpit`);
  await mint(database, victim, healthy, `${daemons.url}/healthy`);

  const consume = (message: PollMessage) => pollBatch(settings, message, times);
  const [fast, slow] = [new Lane(consume), new Lane(consume)];
  const settings = settingsOf({
    ENVIRONMENT: "development",
    DATABASE_URL: database.connectionString,
    DATABASE_DEADLINE_MS: String(databaseDeadlineMs),
    LOCAL_DATABASE_ENDPOINT: database.endpoint,
    SEALING_KEYS: demoSealingKeys,
    PRIVATE_DAEMON_ADDRESSES: "allowed",
    MAX_DAEMONS_PER_ORGANIZATION: String(maximum),
    KEY_RATE_LIMIT: { limit: null },
    ORGANIZATION_RATE_LIMIT: { limit: null },
    ADDRESS_RATE_LIMIT: { limit: null },
    READINESS_RATE_LIMIT: { limit: null },
    ASSETS: { fetch: null },
    POLL_QUEUE: fast,
    SLOW_POLL_QUEUE: slow,
    WEBHOOK_QUEUE: slow,
    SLOW_WEBHOOK_QUEUE: slow,
  });

  /** Reads when B's daemons were last seen, and how many of A's daemons are currently leased. */
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

  const confirmations = () => daemons.requests["discovery/entities-created"] ?? 0;
  const rows = [];
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const startedAt = Date.now();
    const before = { fast: fast.sent.length, slow: slow.sent.length };
    const confirmed = confirmations();
    await runPollCycle(settings);
    const claimedMs = Date.now() - startedAt;
    await sleep(startedAt + cycleMs - Date.now());
    const { seen, leased } = await look();
    rows.push({
      cycle,
      "claims, ms": claimedMs,
      "fast messages": fast.sent.length - before.fast,
      "slow messages": slow.sent.length - before.slow,
      "A's ahead of B's": Math.max(
        fast.sent.slice(before.fast).indexOf(victim),
        slow.sent.slice(before.slow).indexOf(victim),
      ),
      "fast consumers at most": fast.peak,
      "slow consumers at most": slow.peak,
      "A's daemons leased": leased,
      "B's slowest result, ms": Math.round(Math.max(...seen) - startedAt),
      "B's polled": seen.filter((at) => at >= startedAt).length,
      "B's reports confirmed": confirmations() - confirmed,
    });
  }
  await Promise.all([fast.drained(), slow.drained()]);
  lines.mock.restore();
  console.table(rows);

  for (const row of rows) {
    assert.equal(row["B's polled"], healthy, `B's daemons in cycle ${row.cycle}`);
    assert.equal(row["B's reports confirmed"], healthy, `B's reports in cycle ${row.cycle}`);
    // A gets its first share, which is one message, but not a second message before B gets its
    // first.
    assert.ok([0, 1].includes(row["A's ahead of B's"]), `B's message in cycle ${row.cycle}`);
    // B has one message; all other messages are A's, with 100 daemons each.
    const ofAttacker = row["fast messages"] + row["slow messages"] - 1;
    assert.ok(ofAttacker <= 2 * (maximum / 100), `A's messages in cycle ${row.cycle}`);
  }
  assert.ok(fast.peak < maxConsumers && slow.peak < maxConsumers, "consumers are left for others");
});
