import { setTimeout as sleep } from "node:timers/promises";
import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
import { databaseFailureBehind } from "../../../src/database/database-failure.ts";
import { translateFailure } from "../../../src/database/failure.ts";
import { verdictOf } from "../../../src/database/verdict.ts";
import { ApiError } from "../../../src/errors/errors.ts";
import { makeDatabase } from "../../local-database/postgres.ts";
import { postgresUrl } from "../helpers/local-databases.ts";

/** A Postgres failure, how to cause it for a role, and the expected verdict on a write. */
interface Failure {
  name: string;
  before?: (admin: pg.Client, role: string) => Promise<unknown>;
  during?: (admin: pg.Client, role: string) => Promise<unknown>;
  url?: (url: URL) => void;
  statements?: readonly string[];
  deadlineMs?: number;
  outcome: "unchanged" | "unknown";
  reason: string;
  sqlstate: string | null;
  retryAfterMs: number | null;
}

const slow = ["select pg_sleep(30)"];

const failures: Failure[] = [
  {
    name: "a role without connections",
    before: (admin, role) => admin.query(`alter role ${role} connection limit 0`),
    outcome: "unchanged",
    reason: "resources",
    sqlstate: "53300",
    retryAfterMs: 200,
  },
  {
    name: "a role that is not allowed to log in",
    before: (admin, role) => admin.query(`alter role ${role} nologin`),
    outcome: "unchanged",
    reason: "login",
    sqlstate: "28000",
    retryAfterMs: null,
  },
  {
    name: "a database that does not exist",
    url: (url) => {
      url.pathname = "/missing";
    },
    outcome: "unchanged",
    reason: "login",
    sqlstate: "3D000",
    retryAfterMs: null,
  },
  {
    name: "a Postgres that does not listen",
    url: (url) => {
      url.port = "1";
    },
    outcome: "unchanged",
    reason: "connection",
    sqlstate: null,
    retryAfterMs: 0,
  },
  {
    name: "a backend that is terminated during a request",
    statements: slow,
    during: (admin, role) =>
      admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [
        role,
      ]),
    outcome: "unknown",
    reason: "connection",
    sqlstate: "57P01",
    retryAfterMs: 0,
  },
  {
    name: "a lock that another transaction holds",
    statements: [
      "select set_config('lock_timeout', '100', true)",
      "lock table held in exclusive mode",
    ],
    before: async (admin) => {
      await admin.query("begin");
      await admin.query("lock table held in exclusive mode");
    },
    outcome: "unchanged",
    reason: "lock",
    sqlstate: "55P03",
    retryAfterMs: null,
  },
  {
    name: "a statement that takes too long",
    statements: ["select set_config('statement_timeout', '100', true)", ...slow],
    outcome: "unchanged",
    reason: "deadline",
    sqlstate: "57014",
    retryAfterMs: null,
  },
  {
    name: "a response that does not arrive in time",
    statements: slow,
    deadlineMs: 200,
    outcome: "unknown",
    reason: "deadline",
    sqlstate: null,
    retryAfterMs: null,
  },
];

describe.runIf(postgresUrl !== undefined)("the verdict on a write", () => {
  let made: { databaseUrl: string; drop: () => Promise<unknown> };
  let admin: pg.Client;
  const role = `judged_${process.pid}`;
  beforeAll(async () => {
    made = await makeDatabase(postgresUrl ?? "");
    admin = new pg.Client(made.databaseUrl);
    await admin.connect();
    await admin.query(`create role ${role} login`);
    await admin.query(`create table held (id int)`);
    await admin.query(`grant all on held to ${role}`);
  });
  afterAll(async () => {
    await admin.query(`drop owned by ${role}`);
    await admin.query(`drop role ${role}`);
    await admin.end();
    await made.drop();
  });

  it.each(failures)("after $name is $reason, $outcome", async (failure) => {
    const url = new URL(made.databaseUrl);
    url.username = role;
    failure.url?.(url);
    const database = await startLocalDatabase({ databaseUrl: url.href, connections: 1 });
    try {
      await failure.before?.(admin, role);
      neonConfig.fetchEndpoint = database.endpoint;
      const signal = AbortSignal.timeout(failure.deadlineMs ?? 20_000);
      const sql = neon(database.connectionString, { fetchOptions: { signal } });
      const batch = sql
        .transaction((failure.statements ?? ["select 1"]).map((text) => sql.query(text)))
        .catch((reason: unknown) => reason);
      if (failure.during) {
        await sleep(500);
        await failure.during(admin, role);
      }
      const error = await batch;
      const facts = { isWrite: true, isLarge: false, ifUnknown: "read_first" } as const;
      const translated = translateFailure(error, {}, facts);
      expect(translated).toBeInstanceOf(ApiError);
      expect(translated).toMatchObject({
        code: "service_unavailable",
        params: {
          outcome: failure.outcome,
          advice: failure.outcome === "unknown" ? "read_first" : "repeat",
        },
      });
      const { reason, sqlstate, retryAfterMs } = failure;
      expect(databaseFailureBehind(translated)).toMatchObject({ reason, sqlstate });
      expect(verdictOf(error)).toMatchObject({ retryAfterMs });
    } finally {
      await admin.query("rollback");
      await admin.query(`alter role ${role} login connection limit -1`);
      await database.close();
    }
  });
});
