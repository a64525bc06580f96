import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { neon, neonConfig } from "@neondatabase/serverless";
import { expect, it } from "vitest";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { demoSigningKeys } from "../../drizzle/demo/signing-keys.ts";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { app } from "../../src/app.ts";
import { historyQuery, keyOf } from "../changes/history-query.ts";
import { makeDatabase } from "../local-database/postgres.ts";
import { makeFolder } from "./helpers/folders.ts";
import { postgresUrl } from "./helpers/local-databases.ts";

const run = promisify(execFile);
const hasDump = spawnSync("pg_dump", ["--version"]).status === 0;

/** The service in front of a database, and a driver connected to the database itself. */
function serviceOf({ endpoint, connectionString }: LocalDatabase, key: string) {
  const limiter = { limit: async () => ({ success: true }) };
  const queue = { sendBatch: async () => {} };
  const env = {
    ENVIRONMENT: "development",
    DATABASE_URL: connectionString,
    LOCAL_DATABASE_ENDPOINT: endpoint,
    RATE_LIMITS: "off",
    SEALING_KEYS: demoSealingKeys,
    SIGNING_KEYS: demoSigningKeys,
    ...{ KEY_RATE_LIMIT: limiter, ORGANIZATION_RATE_LIMIT: limiter, ADDRESS_RATE_LIMIT: limiter },
    ...{
      READINESS_RATE_LIMIT: limiter,
      REACHABILITY_RATE_LIMIT: limiter,
      POLL_QUEUE: queue,
      SLOW_POLL_QUEUE: queue,
    },
    ...{ WEBHOOK_QUEUE: queue, SLOW_WEBHOOK_QUEUE: queue },
    ASSETS: { fetch: async () => new Response(null, { status: 404 }) },
  };
  const send = async (method: string, path: string, json?: unknown) => {
    const request = new Request(`https://api.example.com/api/v1/${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const response = await app.fetch(request, env, {
      waitUntil: () => {},
      passThroughOnException: () => {},
      props: {},
    });
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
    return JSON.parse(text);
  };
  return {
    send,
    query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
      neonConfig.fetchEndpoint = endpoint;
      return neon(connectionString).query(text, values);
    },
  };
}

type Service = ReturnType<typeof serviceOf>;

/**
 * Reads changes from a cursor until there are no more. Returns each change's key, and the last
 * cursor.
 */
async function follow({ send }: Service, cursor?: string, pages = Number.POSITIVE_INFINITY) {
  const changes: string[] = [];
  let next = cursor;
  for (let count = 0; ; ) {
    const query = next === undefined ? "" : `&cursor=${encodeURIComponent(next)}`;
    const { data, meta } = await send("GET", `changes?limit=${count === 0 ? 3 : 100}${query}`);
    changes.push(...data.map(keyOf));
    next = meta.next_cursor as string;
    count += 1;
    if (!meta.has_more || count === pages) {
      return { changes, cursor: next };
    }
  }
}

// The embedded database has no pg_dump.
it.skipIf(postgresUrl === undefined || !hasDump)(
  "cursors still work after restoring a dump that was taken during writes",
  async () => {
    const serverUrl = postgresUrl ?? "";
    const folder = await makeFolder("empty");
    const [original, restored] = [await makeDatabase(serverUrl), await makeDatabase(serverUrl)];
    const opened: LocalDatabase[] = [];
    const open = async (databaseUrl: string) => {
      const database = await startLocalDatabase({ databaseUrl });
      opened.push(database);
      return database;
    };
    try {
      const database = await open(original.databaseUrl);
      await database.withClient(migrateDatabase);
      const [organization, network, keyId] = [1, 2, 3].map(() => crypto.randomUUID());
      const key = mintApiKey();
      await database.withClient(async (client) => {
        await client.query("insert into organizations (id, name) values ($1, 'Test')", [
          organization,
        ]);
        await client.query(
          "insert into networks (organization_id, id, name) values ($1, $2, 'Test')",
          [organization, network],
        );
        await client.query(
          "insert into user_api_keys (organization_id, id, name, role) values ($1, $2, 'Test', 'Owner')",
          [organization, keyId],
        );
        await client.query(
          "insert into user_api_key_secrets (organization_id, api_key_id, key_hash) values ($1, $2, decode($3, 'hex'))",
          [organization, keyId, await hashApiKey(key)],
        );
      });
      const before = serviceOf(database, key);
      const historyOf = async ({ query }: Service) =>
        (await query(historyQuery, [organization])).map(({ at, entity, entity_id, change }) =>
          [at, entity, entity_id, change].join(" "),
        );
      const write = async ({ send }: Service, name: string) => {
        const ports = [{ number: 1, protocol: "Tcp" }];
        const { data } = await send("POST", "hosts", { network_id: network, name, ports });
        await send("PATCH", `hosts/${data.id}`, { name: `${name} renamed`, ports: [] });
      };
      for (const name of ["one", "two", "three"]) {
        await write(before, name);
      }
      const reader = await follow(before, undefined, 1);
      const [{ xid } = { xid: null }] = await before.query(
        "select max(xmin::text::bigint) as xid from hosts where organization_id = $1",
        [organization],
      );

      let isDumping = true;
      const writing = [1, 2, 3, 4].map(async (writer) => {
        for (let times = 0; isDumping; times++) {
          await write(before, `${writer} ${times}`);
        }
      });
      const file = join(folder.postgres, "../dump");
      await run("pg_dump", [
        "--format=custom",
        `--dbname=${original.databaseUrl}`,
        `--file=${file}`,
      ]);
      isDumping = false;
      await Promise.all(writing);
      const ahead = await follow(before);
      const lost = await historyOf(before);
      expect(ahead.changes).toEqual(lost);

      await run("pg_restore", ["--exit-on-error", `--dbname=${restored.databaseUrl}`, file]);
      const after = serviceOf(await open(restored.databaseUrl), key);
      const dumped = await historyOf(after);
      // The dump contains the transactions that had been committed. One that was in progress may
      // have an earlier timestamp than the last of them.
      const isDumped = new Set(dumped);
      expect(dumped).toEqual(lost.filter((change) => isDumped.has(change)));
      const rest = await follow(after, reader.cursor);
      expect([...reader.changes, ...rest.changes]).toEqual(dumped);
      // A reader whose cursor is beyond the restored changes does not read any of them again.
      expect((await follow(after, ahead.cursor)).changes).toEqual([]);

      await write(after, "after");
      const written = (await historyOf(after)).slice(dumped.length);
      expect(written.length).toBeGreaterThan(2);
      for (const cursor of [rest.cursor, ahead.cursor]) {
        expect((await follow(after, cursor)).changes).toEqual(written);
      }
      // A cursor based on transaction ids would return these rows again: in the restored database,
      // rows that have already been read belong to later transactions.
      const again = await after.query(
        `select from hosts where organization_id = $1 and valid_to is null
           and name like '% renamed' and xmin::text::bigint > $2 and name in ('one renamed', 'two renamed')`,
        [organization, xid],
      );
      expect(again).toHaveLength(2);
    } finally {
      for (const database of opened) {
        await database.close();
      }
      await original.drop();
      await restored.drop();
      await folder.remove();
    }
  },
);
