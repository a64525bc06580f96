import { expect, test } from "vitest";
import { sweepSize } from "../../src/database/sweep.ts";
import { enter, refusalOf, sql } from "../helpers/database.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { openPoller } from "../helpers/poller.ts";

const writes = [
  "insert into audit_entries (organization_id, at, action, entity, entity_id, label, changed, actor_type) select organization_id, now(), 'created', 'Tag', entity_id, 'x', '{}', 'system' from audit_entries limit 1",
  "update audit_entries set label = 'x'",
  "delete from audit_entries",
  "truncate audit_entries",
];

test.each(writes)("no caller can run: %s", async (statement) => {
  const { keys } = await mintOrganization();
  for (const login of [[enter(keys.owner)], [sql`set local role inventory_poller`]]) {
    expect(await refusalOf(sql.transaction([...login, sql.query(statement)]))).toMatchObject({
      code: "42501",
    });
  }
});

test("the database owner cannot change entries or delete them early either", async () => {
  const { id } = await mintOrganization();
  for (const statement of [
    "update audit_entries set label = 'x' where organization_id = $1",
    "update audit_entries set changed = '{}' where organization_id = $1",
    "delete from audit_entries where organization_id = $1",
  ]) {
    expect(await refusalOf(sql.query(statement, [id]))).toMatchObject({ code: "23001" });
  }
});

test("entries are kept for 400 days, and are deleted with their organization", async () => {
  const { id } = await mintOrganization();
  await sql`
    insert into audit_entries (
      organization_id, at, action, entity, entity_id, label, changed, actor_type)
    select ${id}, now() - age::interval, 'created', 'Tag', gen_random_uuid(), age, '{}', 'system'
    from unnest(array['399 days 23 hours', '400 days 1 hour', '3 years']) as age`;
  const old = () => sql`
    select label from audit_entries where organization_id = ${id} and at < now() - interval '1 day'`;
  expect(await old()).toHaveLength(3);
  const { settings: _, ...poller } = openPoller();
  await poller.cycle();
  expect(await old()).toEqual([{ label: "399 days 23 hours" }]);
  await sql`delete from organizations where id = ${id}`;
  expect(await sql`select from audit_entries where organization_id = ${id}`).toEqual([]);
});

test.each([
  [null, ["399 days", "400 days"]],
  [30, ["399 days", "400 days"]],
  [500, ["399 days", "400 days", "401 days", "499 days", "500 days"]],
])(
  "with %s days of history, entries are kept for as long as the history, but for at least 400 days",
  async (days, kept) => {
    const { id } = await mintOrganization();
    await sql`update organizations set history_days = ${days} where id = ${id}`;
    await sql`
    insert into audit_entries (
      organization_id, at, action, entity, entity_id, label, changed, actor_type)
    select ${id}, now() - age::interval + interval '1 hour', 'created', 'Tag', gen_random_uuid(), age, '{}', 'system'
    from unnest(array['399 days', '400 days', '401 days', '499 days', '500 days', '501 days']) as age`;
    await openPoller().cycle();
    const left = await sql`
    select label from audit_entries
    where organization_id = ${id} and at < now() - interval '1 day' order by at desc`;
    expect(left.map(({ label }) => label)).toEqual(kept);
  },
);

test("an organization with many old entries does not block the sweep of other organizations", async () => {
  const large = await mintOrganization();
  const small = await mintOrganization();
  const old = ({ id }: typeof large, count: number) => sql`
    insert into audit_entries (
      organization_id, at, action, entity, entity_id, label, changed, actor_type)
    select ${id}, now() - interval '500 days', 'created', 'Tag', gen_random_uuid(), 'old', '{}', 'system'
    from generate_series(1, ${count}::int)`;
  await old(large, 60);
  await old(small, 1);
  const left = async ({ id }: typeof large) => {
    const [row] = await sql`
      select count(*)::int from audit_entries where organization_id = ${id} and label = 'old'`;
    return row?.["count"];
  };
  while ((await left(small)) > 0) {
    await sql`select app.sweep_audit_log(1)`;
  }
  // The sweep visits organizations in random order. The probability that this organization had to
  // wait until the large one was finished is below 1 in 10^15.
  expect(await left(large)).toBeGreaterThan(0);
  await sql`delete from organizations where id = ${large.id}`;
});

test("a sweep deletes no more than the given number of entries", async () => {
  const { id } = await mintOrganization();
  await sql`
    insert into audit_entries (
      organization_id, at, action, entity, entity_id, label, changed, actor_type)
    select ${id}, now() - interval '500 days', 'created', 'Tag', gen_random_uuid(), 'old', '{}', 'system'
    from generate_series(1, 3)`;
  const sweep = async (maximum: number) => {
    const [row] = await sql`select app.sweep_audit_log(${maximum}) as swept`;
    return row?.["swept"];
  };
  expect(await sweep(2)).toBe(2);
  expect(await sweep(sweepSize)).toBe(1);
});
