import { describe, expect, inject, onTestFinished, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialIn, putCredential, updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";

/** The tables whose records contain the time of their last change, from the catalog. */
const rows = await sql`
  select table_name from information_schema.columns
  where table_schema = 'public' and column_name = 'updated_at' order by table_name`;
const tables = rows.map(({ table_name }) => String(table_name));

test("every record with a revision has an updated_at", async () => {
  const revised = await sql`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'revision' order by table_name`;
  expect(revised.length).toBeGreaterThanOrEqual(13);
  expect(tables).toEqual(expect.arrayContaining(revised.map(({ table_name }) => table_name)));
});

/** Tables whose closed versions cannot be changed. */
const hasHistory = new Set([
  "bindings",
  "hosts",
  "interfaces",
  "neighbors",
  "ip_addresses",
  "ports",
  "services",
  "subnets",
]);

const setTo = (table: string, id: string, value: string) =>
  sql.query(
    `update ${table} set updated_at = ${value}
     where ${table === "organizations" ? "id" : "organization_id"} = $1 and id = (
       select id from ${table} where ${table === "organizations" ? "id" : "organization_id"} = $1
         ${hasHistory.has(table) ? "and valid_to is null" : ""}
       order by id limit 1)
     returning updated_at`,
    [id],
  );

const asTime = (rows: Record<string, unknown>[] | undefined) =>
  new Date(String(rows?.[0]?.["updated_at"])).getTime();

test.each(tables)(
  "in %s, updated_at increases with every change, whatever value is written to it",
  async (table) => {
    const { id } = await mintPopulatedOrganization();
    const before = Date.now();
    const answers = await sql.transaction([
      setTo(table, id, "'2020-01-01T00:00:00Z'"),
      // This runs in the same transaction and, on a fast machine, in the same millisecond.
      setTo(table, id, "now()"),
      setTo(table, id, "updated_at"),
      setTo(table, id, "null"),
    ]);
    const times = answers.map(asTime);
    for (const [position, time] of times.entries()) {
      expect(time).toBeGreaterThan(times[position - 1] ?? before - 1000);
    }
  },
);

test("updated_at increases by a millisecond if the clock was set back", async () => {
  const id = crypto.randomUUID();
  await sql`
    insert into organizations (id, name, updated_at) values (${id}, 'Test', '2999-01-01T00:00:00.999Z')`;
  expect(asTime(await setTo("organizations", id, "now()"))).toBe(
    Date.parse("2999-01-01T00:00:01.000Z"),
  );
});

test("using a key does not change its record", async () => {
  const { id, keys } = await mintOrganization();
  const times = () =>
    sql`select updated_at::text, revision::int, last_used_at is not null as was_used from user_api_keys
      where organization_id = ${id} and role = 'Viewer'`;
  const [before] = await times();
  await openApi().send("GET", "/api/v1/bindings", { key: keys.viewer });
  expect(await times()).toEqual([{ ...before, was_used: true }]);
});

test("a poll does not change a daemon's record", async () => {
  const { daemon_id } = await mintPopulatedOrganization();
  const updatedAt = () => sql`select updated_at from daemons where id = ${daemon_id}`;
  const before = await updatedAt();
  await sql.transaction([
    sql`set local role inventory_poller`,
    sql`update daemons set poll_generation = poll_generation + 1 where id = ${daemon_id}`,
  ]);
  expect(await updatedAt()).toEqual(before);
});

// PGlite has one connection, so its writers run one after the other. Set TEST_DATABASE_URL to run
// these tests.
describe.skipIf(!inject("isRealPostgres"))("with eight concurrent writers", () => {
  /** Eight writers on one row wait for each other, possibly for a long time on a busy machine. */
  const patient = { DATABASE_DEADLINE_MS: "60000" };

  /** Records all states of one record, in order. */
  async function recordStates(table: string, id: string) {
    const schema = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    await sql.transaction([
      sql.query(`create schema ${schema}`),
      sql.query(`create table ${schema}.states (position bigserial, updated_at timestamptz)`),
      sql.query(`
        create function ${schema}.keep() returns trigger language plpgsql security definer as $$
        begin insert into ${schema}.states (updated_at) values (new.updated_at); return null; end $$`),
      sql.query(`
        create trigger ${schema} after update on ${table} for each row
        when (new.id = '${id}') execute function ${schema}.keep()`),
    ]);
    onTestFinished(async () => {
      await sql.query(`drop schema ${schema} cascade`);
    });
    return async () => {
      const rows = await sql.query(
        `select (extract(epoch from updated_at) * 1000)::float8 as at from ${schema}.states order by position`,
      );
      return rows.map(({ at }) => Number(at));
    };
  }

  /** Runs eight concurrent writers, with twelve writes each. */
  const contend = (write: (name: string) => Promise<void>) =>
    Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let round = 0; round < 12; round++) {
          await write(`w${writer}-${round}`);
        }
      }),
    );

  const notGrowing = (times: number[]) =>
    times.filter((time, position) => time <= (times[position - 1] ?? 0));

  test("a credential's updated_at always increases", {
    timeout: 60_000,
  }, async () => {
    const api = openApi(patient);
    const { id: organization_id, keys } = await mintOrganization();
    const id = await mintCredential(organization_id);
    const states = await recordStates("credentials", id);
    await contend(async (name) => {
      credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, { name })));
    });
    const times = await states();
    expect(times).toHaveLength(96);
    expect(notGrowing(times)).toEqual([]);
  });

  test("an organization's updated_at always increases", { timeout: 60_000 }, async () => {
    const api = openApi(patient);
    const { id, keys } = await mintOrganization();
    const states = await recordStates("organizations", id);
    await contend(async (json) => {
      const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
        key: keys.owner,
        json,
      });
      expect(answer.status).toBe(200);
    });
    const times = await states();
    expect(times).toHaveLength(96);
    expect(notGrowing(times)).toEqual([]);
  });
});
