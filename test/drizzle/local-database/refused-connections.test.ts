import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
import { makeDatabase } from "../../local-database/postgres.ts";
import { post, postgresUrl } from "../helpers/local-databases.ts";

const query = '{"query": "select 1", "params": []}';

// The rules are those of `HttpCodeError` in Neon's `proxy/src/serverless/sql_over_http.rs`.
describe.runIf(postgresUrl !== undefined)("a connection that Postgres rejects", () => {
  let made: { databaseUrl: string; drop: () => Promise<unknown> };
  let admin: pg.Client;
  const role = `refused_${process.pid}`;
  beforeAll(async () => {
    made = await makeDatabase(postgresUrl ?? "");
    admin = new pg.Client(made.databaseUrl);
    await admin.connect();
    await admin.query(`create role ${role} login`);
  });
  afterAll(async () => {
    await admin.query(`drop role ${role}`);
    await admin.end();
    await made.drop();
  });

  /** Sends a request to a separate stand-in that logs in as the role. */
  async function ask(change: (url: URL) => void = () => {}) {
    const url = new URL(made.databaseUrl);
    url.username = role;
    change(url);
    const database = await startLocalDatabase({ databaseUrl: url.href, connections: 1 });
    try {
      const response = await post({ database }, query);
      return [response.status, Object(await response.json()).code];
    } finally {
      await database.close();
    }
  }

  it("results in 500 with 53300 if the role has reached its connection limit", async () => {
    await admin.query(`alter role ${role} connection limit 0`);
    expect(await ask()).toEqual([500, "53300"]);
    await admin.query(`alter role ${role} connection limit -1`);
    expect(await ask()).toEqual([200, undefined]);
  });

  it("results in 500 with 28000 if the role is not allowed to log in", async () => {
    await admin.query(`alter role ${role} nologin`);
    expect(await ask()).toEqual([500, "28000"]);
    await admin.query(`alter role ${role} login`);
  });

  it("results in 400 with 3D000 if the database does not exist", async () => {
    expect(await ask((url) => Object.assign(url, { pathname: "/missing" }))).toEqual([
      400,
      "3D000",
    ]);
  });
});

describe.runIf(postgresUrl !== undefined)("a pool that resets its connections", () => {
  it.each([true, false])(
    "does not pass session settings to the next request: %s",
    async (cleans) => {
      const { databaseUrl, drop } = await makeDatabase(postgresUrl ?? "");
      const database = await startLocalDatabase({ databaseUrl, connections: 1, cleans });
      neonConfig.fetchEndpoint = database.endpoint;
      const sql = neon(database.connectionString);
      await sql`select set_config('app.left', 'behind', false)`;
      const [row] = await sql`select coalesce(current_setting('app.left', true), '') as left`;
      expect(row).toEqual({ left: cleans ? "" : "behind" });
      await database.close();
      await drop();
    },
  );
});
