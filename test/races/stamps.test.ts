import { beforeAll, expect, test } from "vitest";
import { followChanges, pageOfChanges } from "../changes/helpers.ts";
import { enter, sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { hold } from "./held.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/** Redefines app.stamp_transaction with part of its source replaced. */
async function replaceInStamps(part: string, replacement: string): Promise<void> {
  const [row] = await sql`
    select pg_get_functiondef(oid) as definition from pg_proc where proname = 'stamp_transaction'`;
  const definition = String(row?.["definition"]);
  expect(definition.split(part)).toHaveLength(2);
  await sql.query(definition.replace(part, replacement));
}

/**
 * Lets a writer read the clock and wait before it locks its timestamp, while another writer commits
 * and a reader reads. Returns all changes that the reader has read once both writers have ended.
 */
async function readPastSlowWriter(): Promise<string[]> {
  const { organization, network_id, create, send } = await openInventory(variables);
  const get = (path: string) => send("GET", path);
  const { meta } = await pageOfChanges(get, { cursor: "now" });
  const gate = await hold([sql`select pg_advisory_xact_lock(1, 1)`]);
  const slow = sql.transaction([
    enter(organization.keys.member),
    sql`select set_config('test.waits', 'on', true)`,
    sql`insert into hosts (organization_id, network_id, name)
      values (${organization.id}, ${network_id}, 'slow')`,
  ]);
  await expect
    .poll(
      () => sql`select from pg_locks where locktype = 'advisory' and classid = 1 and not granted`,
    )
    .toHaveLength(1);
  await create("hosts", { name: "fast" });
  const { changes, cursor } = await followChanges(get, { cursor: meta.next_cursor });
  await gate.commit();
  await slow;
  const { changes: later } = await followChanges(get, { cursor });
  return [...changes, ...later].map(({ label }) => label);
}

test("a writer that is slow to lock its timestamp gets a timestamp later than those of the changes already read; without the second check, it does not", async () => {
  await replaceInStamps(
    "continue when not pg_try_advisory_xact_lock",
    `if current_setting('test.waits', true) = 'on' then
      perform set_config('test.waits', 'off', true), pg_advisory_xact_lock(1, 1);
    end if;
    continue when not pg_try_advisory_xact_lock`,
  );
  expect(await readPastSlowWriter()).toEqual(["fast", "slow"]);
  await replaceInStamps("exit when newest is null or stamp > newest;", "exit;");
  expect(await readPastSlowWriter()).toEqual(["fast"]);
});
