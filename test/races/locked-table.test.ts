import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization } from "../helpers/organization.ts";

// Needs a real Postgres: PGlite has one connection, so no other connection can hold a lock.
test.each(["tags", "user_api_keys"])(
  "a lock on %s is distinguished from a slow database: the log contains the SQLSTATE, and nothing is committed",
  async (table) => {
    const { keys } = await mintOrganization();
    const api = openApi({ DATABASE_DEADLINE_MS: "1000" });
    const held = sql.transaction([
      sql.query(`lock table ${table} in access exclusive mode`),
      sql`select pg_sleep(5)`,
    ]);
    // By the time the transaction is sleeping, it holds the lock.
    await expect
      .poll(
        () => sql`select from pg_stat_activity where query like '%pg_sleep(5)%' and state = 'active'
        and datname = current_database() and pid <> pg_backend_pid()`,
        { timeout: 4_000 },
      )
      .toHaveLength(1);
    const logs = recordConsole();
    const answer = await api.send("POST", "/api/v1/tags", { key: keys.owner, json: { name: "A" } });
    expect(answer).toMatchObject({
      status: 503,
      body: { params: { outcome: "unchanged", advice: "repeat" } },
    });
    expect(JSON.parse(logs())).toMatchObject({
      reason: "lock",
      sqlstate: "55P03",
      key_hint: keys.owner.slice(-4),
    });
    await held;
  },
);
