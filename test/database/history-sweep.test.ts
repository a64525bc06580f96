import { beforeAll, beforeEach, expect, test } from "vitest";
import { sweep, sweepSize, sweepSteps } from "../../src/database/sweep.ts";
import { becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../helpers/poller.ts";
import { endedUntil, keepFor, limitOf, sweepAll, sweepOnce } from "../helpers/retention.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

// A sweep processes all organizations.
beforeEach(async () => {
  await sql`delete from organizations`;
});

const days = 30;
const limit = limitOf(days);

/** Inserts host versions that ended at a given instant, as the database owner. */
const end = ({ id, networks }: Organization, count: number, instant: string) => sql`
  insert into hosts (organization_id, network_id, name, created_at, valid_from, valid_to, lineage_id)
  select ${id}, ${networks[0].id}, 'ended', ended.at - interval '1 hour', ended.at - interval '1 hour',
    ended.at, gen_random_uuid()
  from generate_series(1, ${count}::int), (select ${instant}::timestamptz) as ended (at)`;

const left = ({ id }: Organization) => endedUntil(id, "infinity");

const historyFrom = async ({ id }: Organization): Promise<string | null> => {
  const [row] = await sql`select history_from from organizations where id = ${id}`;
  return row?.["history_from"];
};

test("the cron deletes only versions that ended before an organization's limit", async () => {
  const [organization, other] = [await mintOrganization(), await mintOrganization()];
  const after = new Date(Date.parse(limit) + 1).toISOString();
  for (const each of [organization, other]) {
    await end(each, 2, limit);
    await end(each, 3, after);
  }
  await keepFor(organization.id, days);
  await openPoller(variables).cycle();
  expect(await left(organization)).toBe(3);
  expect(await historyFrom(organization)).toBe(limit);
  expect(await left(other)).toBe(5);
  expect(await historyFrom(other)).toBeNull();
});

test("deletes only tags that were removed before the limit", async () => {
  const { id } = await mintOrganization();
  for (const of of ["host", "service", "subnet"]) {
    await sql.query(
      `insert into closed_${of}_tags (organization_id, ${of}_id, tag_id, valid_from, valid_to)
       select $1, gen_random_uuid(), gen_random_uuid(), ended.at - interval '1 hour', ended.at
       from unnest(array[$2::timestamptz, $2::timestamptz + interval '1 millisecond']) as ended (at)`,
      [id, limit],
    );
  }
  await keepFor(id, days);
  await sweepAll();
  expect(await endedUntil(id, limit)).toBe(0);
  expect(await endedUntil(id, "infinity")).toBe(3);
});

test("deletes all transactions before the limit except the newest", async () => {
  const organization = await mintOrganization();
  const { id } = organization;
  const kept = () => sql`
    select (extract(epoch from changed_at - ${limit}::timestamptz) / 3600)::int as hours
    from transactions where organization_id = ${id} and actor_name = 'old' order by changed_at`;
  await sql`
    insert into transactions (organization_id, changed_at, actor_type, actor_name)
    select ${id}, ${limit}::timestamptz + make_interval(hours => hours), 'key', 'old'
    from unnest(array[-3, -2, -1, 1]) as hours`;
  await end(organization, 1, limit);
  await keepFor(id, days);
  await sweepAll();
  expect(await kept()).toEqual([{ hours: -1 }, { hours: 1 }]);
});

test("does not move the limit if nothing ended before it", async () => {
  const organization = await mintOrganization();
  const [before] = await sql`select revision from organizations where id = ${organization.id}`;
  await sql`update organizations set history_days = ${days} where id = ${organization.id}`;
  await sweepAll();
  expect(await historyFrom(organization)).toBeNull();
  const [after] = await sql`select revision from organizations where id = ${organization.id}`;
  expect(after?.["revision"] - before?.["revision"]).toBe(1);
  await end(organization, 1, limit);
  // An organization is swept once per day. Rows inserted after the sweep, which only the database
  // owner can insert, remain until the next day.
  await sweepAll();
  expect(await left(organization)).toBe(1);
});

test("a longer or unlimited retention does not move the limit, but a shorter retention does", async () => {
  const organization = await mintOrganization();
  for (const age of [60, 40, 20]) {
    await end(organization, 1, limitOf(age));
  }
  const sweptTo = async (kept: number | null) => {
    await keepFor(organization.id, kept);
    await sweepAll();
    return { from: await historyFrom(organization), left: await left(organization) };
  };
  expect(await sweptTo(50)).toEqual({ from: limitOf(50), left: 2 });
  expect(await sweptTo(100)).toEqual({ from: limitOf(50), left: 2 });
  expect(await sweptTo(null)).toEqual({ from: limitOf(50), left: 2 });
  expect(await sweptTo(30)).toEqual({ from: limitOf(30), left: 1 });
});

test("a deletion that has started is completed, even if retention becomes unlimited in the meantime", async () => {
  const organization = await mintOrganization();
  await end(organization, 5, limit);
  await keepFor(organization.id, days);
  expect(await sweepOnce(2)).toBe(2);
  await keepFor(organization.id, null);
  await sweepAll();
  expect(await left(organization)).toBe(0);
});

test("a sweep deletes at most the given number of rows, and moves the limit before it deletes the first", async () => {
  const organization = await mintOrganization();
  await end(organization, 5, limit);
  await keepFor(organization.id, days);
  expect(await sweepOnce(2)).toBe(2);
  expect(await historyFrom(organization)).toBe(limit);
  expect(await left(organization)).toBe(3);
  expect([await sweepOnce(2), await sweepOnce(2), await sweepOnce(2)]).toEqual([2, 1, 0]);
});

test("the job runs a limited number of steps", async () => {
  const organization = await mintOrganization();
  await end(organization, sweepSize * sweepSteps + 1, limit);
  await keepFor(organization.id, days);
  const poller = openPoller(variables);
  await sweep(poller.settings, "history_sweep");
  expect(await left(organization)).toBe(1);
  await sweep(poller.settings, "history_sweep");
  expect(await left(organization)).toBe(0);
}, 60_000);

test("an organization with many rows to delete does not block other organizations", async () => {
  const large = await mintOrganization();
  const small = await mintOrganization();
  await end(large, 50, limit);
  await end(small, 5, limit);
  await keepFor(large.id, days);
  await keepFor(small.id, days);
  for (let step = 0; step < 4; step++) {
    await sweepOnce(5);
  }
  expect(await left(small)).toBe(0);
  expect(await left(large)).toBe(35);
});

test("one sweep processes at most 100 organizations", async () => {
  const organizations = await Promise.all(Array.from({ length: 101 }, () => mintOrganization()));
  for (const organization of organizations) {
    await end(organization, 1, limit);
  }
  await sql`update organizations set history_days = ${days}`;
  expect([await sweepOnce(sweepSize), await sweepOnce(sweepSize)]).toEqual([100, 1]);
}, 60_000);

test("deleting a record's old versions does not change the record", async () => {
  const organization = await mintOrganization();
  await end(organization, 1, limit);
  const state = () => sql`
    select id, revision, updated_at, valid_from from hosts
    where organization_id = ${organization.id} and valid_to is null order by id`;
  const before = await state();
  const stamps = () =>
    sql`select count(*) from transactions where organization_id = ${organization.id}`;
  const stamped = await stamps();
  expect(before.length).toBeGreaterThan(0);
  await keepFor(organization.id, days);
  await sweepAll();
  expect(await state()).toEqual(before);
  expect(await stamps()).toEqual(stamped);
});

const refused = { code: "23001" };

test("only the sweep can delete closed versions, even those that it is about to delete", async () => {
  const organization = await mintOrganization();
  await end(organization, 3, limit);
  await keepFor(organization.id, days);
  await sweepOnce(1);
  const remove = sql`
    delete from hosts where organization_id = ${organization.id} and valid_to <= ${limit}`;
  expect(await refusalOf(remove)).toMatchObject(refused);
  for (const key of [organization.keys.owner, organization.keys.admin]) {
    expect(await refusalOf(sql.transaction([enter(key), remove]))).toMatchObject(refused);
  }
  expect(await left(organization)).toBe(2);
});

test("the Worker's logins can neither mark a transaction as a sweep nor move the limit", async () => {
  const { id, keys } = await mintOrganization();
  const becomePoller = () => sql`set local role inventory_poller`;
  const mark = sql`
    insert into app.history_sweeps (organization_id, transaction_id) values (${id}, pg_current_xact_id())`;
  for (const login of [becomeApi(), enter(keys.owner), becomePoller()]) {
    for (const statement of [
      mark,
      sql`update app.history_sweeps set transaction_id = pg_current_xact_id()`,
      sql`update organizations set history_from = null`,
      sql`delete from transactions`,
      sql`delete from closed_host_tags`,
    ]) {
      expect(await refusalOf(sql.transaction([login, statement]))).toMatchObject({ code: "42501" });
    }
  }
  for (const login of [becomeApi(), enter(keys.owner)]) {
    const sweep = sql`select app.sweep_history(1)`;
    expect(await refusalOf(sql.transaction([login, sweep]))).toMatchObject({ code: "42501" });
  }
  const remove = sql`delete from hosts`;
  expect(await refusalOf(sql.transaction([becomePoller(), remove]))).toMatchObject({
    code: "42501",
  });
});
