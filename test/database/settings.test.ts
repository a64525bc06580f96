import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import { mintBinding, mintKey, mintOrganization } from "../helpers/organization.ts";

const connection = () => sql`select pg_backend_pid() as pid`;

/** Returns a query for the gate's settings, as the next transaction on a connection reads them. */
const settings = () => sql`
  select current_user = session_user as is_owner,
    coalesce(current_setting('app.key_hash', true), '') as key_hash,
    current_setting('lock_timeout') as lock_timeout,
    current_setting('statement_timeout') as statement_timeout`;

/**
 * Runs two functions on the same connection. A pool may use different connections, so both
 * functions are repeated until they use the same one.
 */
async function onOneConnection<Next>(
  first: () => Promise<unknown>,
  then: () => Promise<{ pid: unknown; next: Next }>,
): Promise<Next> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const pid = await first();
    const answer = await then();
    if (answer.pid === pid) {
      return answer.next;
    }
  }
  throw new Error("the pool never gave the same connection twice");
}

async function readSettings() {
  const [pid, values] = await sql.transaction([connection(), settings()]);
  return { pid: pid?.[0]?.["pid"], next: values?.[0] };
}

async function countAsApi() {
  const [pid, , bindings] = await sql.transaction([
    connection(),
    becomeApi(),
    sql`select count(*)::int as count from bindings`,
  ]);
  return { pid: pid?.[0]?.["pid"], next: bindings?.[0] };
}

/** The settings of a connection on which no batch has run. */
const untouched = {
  is_owner: true,
  key_hash: "",
  lock_timeout: "0",
  statement_timeout: "0",
};

test("the gate ends waits for locks before statements, and statements before the caller gives up", async () => {
  const { keys } = await mintOrganization();
  const [, limits] = await sql.transaction([
    enter(keys.viewer),
    sql`
      select current_setting('lock_timeout') as lock_timeout,
        current_setting('statement_timeout') as statement_timeout,
        current_setting('TimeZone') as time_zone, current_setting('enable_seqscan') as seqscan,
        current_setting('jit') as jit,
        current_setting('max_parallel_workers_per_gather') as parallel_workers`,
  ]);
  // The deadline of `enter` is 8 seconds.
  expect(limits).toEqual([
    {
      lock_timeout: "7s",
      statement_timeout: "7500ms",
      time_zone: "UTC",
      seqscan: "off",
      jit: "off",
      parallel_workers: "0",
    },
  ]);
});

test("a batch does not pass any of its settings on to the next batch", async () => {
  const { id, keys, networks } = await mintOrganization();
  await mintBinding(id, networks[0]);
  const limited = await mintKey(id, {}, [networks[0].id]);
  for (const key of [keys.owner, limited]) {
    const batch = async () => {
      const [pid, , bindings] = await sql.transaction([
        connection(),
        enter(key),
        sql`select count(*)::int as count from bindings`,
      ]);
      expect(bindings).toEqual([{ count: 1 }]);
      return pid?.[0]?.["pid"];
    };
    expect(await onOneConnection(batch, readSettings)).toEqual(untouched);
    expect(await onOneConnection(batch, countAsApi)).toEqual({ count: 0 });
  }
});

test("a batch that fails does not pass any of its settings on to the next batch", async () => {
  const { id, keys, networks } = await mintOrganization();
  await mintBinding(id, networks[0]);
  const batch = async () => {
    const [pid] = await connection();
    expect(await refusalOf(sql.transaction([enter(keys.owner), sql`select 1 / 0`]))).toMatchObject({
      code: "22012",
    });
    return pid?.["pid"];
  };
  expect(await onOneConnection(batch, readSettings)).toEqual(untouched);
  expect(await onOneConnection(batch, countAsApi)).toEqual({ count: 0 });
});

test("a key limited to specific networks does not limit the next key, and vice versa", async () => {
  const { id, keys, networks } = await mintOrganization();
  await mintBinding(id, networks[0]);
  await mintBinding(id, networks[1]);
  const limited = await mintKey(id, {}, [networks[0].id]);
  const none = await mintKey(id, {}, []);
  const api = openApi();
  for (const [key, total_count] of [
    [limited, 1],
    [keys.viewer, 2],
    [none, 0],
    [keys.viewer, 2],
    [limited, 1],
    [none, 0],
    [limited, 1],
  ] as const) {
    expect(await api.send("GET", "/api/v1/bindings", { key })).toMatchObject({
      status: 200,
      body: { meta: { pagination: { total_count } } },
    });
  }
});

test("if the gate rejects a key, the statements that follow it in the batch have no access", async () => {
  const { id, keys, networks } = await mintOrganization();
  await mintBinding(id, networks[0]);
  await sql`update user_api_keys set is_enabled = false where organization_id = ${id}`;
  const attempt = sql.transaction([enter(keys.owner), sql`select id from bindings`]);
  expect(await refusalOf(attempt)).toMatchObject({ code: "INV01" });
});
