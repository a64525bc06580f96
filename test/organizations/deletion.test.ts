import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweep, sweepSize, sweepSteps } from "../../src/database/sweep.ts";
import { settingsOf } from "../../src/env.ts";
import { failed, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { refusalOf, sql } from "../helpers/database.ts";
import { mintOperator } from "../helpers/operators.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";
import { changingNothing, rowsOf, tableNames } from "../helpers/rows.ts";

let variables: Record<string, string>;
let operator: { key: string; id: string };

// The job deletes all organizations whose grace has ended.
beforeAll(async () => {
  variables = await openFreshDatabase();
  operator = await mintOperator();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
});

const manage = (method: string, id: string, action = "") =>
  openApi(variables).send(method, `/api/v1/organizations/${id}${action}`, { key: operator.key });
const runJob = () => sweep(settingsOf(openApi(variables).env), "organization_sweep");
const endGrace = (id: string) =>
  sql`update organizations set deletes_at = now() where id = ${id} and deletes_at is not null`;
const namesOfRest = async (id: string) =>
  Object.entries(await rowsOf(id, []))
    .filter(([, rows]) => rows.length > 0)
    .map(([table]) => table);

describe("deleting an organization", () => {
  test("closes it at once, and says when it is deleted for good: after 30 days", async () => {
    const { id, keys } = await mintOrganization({ name: "Acme" });
    const answer = await manage("DELETE", id);
    const deleted = { id, state: "deleted", suspended_at: expect.any(String) };
    expect(seen(answer)).toEqual(succeeded(expect.objectContaining(deleted)));
    const { deletes_at } = Object(answer.body).data;
    const days = (Date.parse(deletes_at) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
    expect((await manage("DELETE", id)).body).toEqual(answer.body);
    const refused = await openApi(variables).send("GET", "/api/v1/hosts", { key: keys.owner });
    expect(seen(refused)).toEqual(failed("organization_suspended", { deletes_at }));
    const unknown = crypto.randomUUID();
    expect(seen(await manage("DELETE", unknown))).toEqual(
      failed("entity_not_found", { entity: "Organization", id: unknown }),
    );
  });

  test("changes nothing within the grace, and resuming cancels it", async () => {
    const { id, keys } = await mintPopulatedOrganization();
    await manage("DELETE", id);
    await changingNothing(id, runJob, []);
    const resumed = await manage("POST", id, "/resume");
    expect(resumed.body).toMatchObject({ data: { state: "active", deletes_at: null } });
    await endGrace(id);
    await changingNothing(id, runJob, []);
    const answer = await openApi(variables).send("GET", "/api/v1/audit?entity=Organization", {
      key: keys.admin,
    });
    expect(Object(answer.body).data).toMatchObject([
      { action: "resumed", actor: { type: "operator" } },
      { action: "deleted", actor: { type: "operator" } },
    ]);
  });

  test("cannot be cancelled once the grace has ended", async () => {
    const { id } = await mintOrganization();
    await manage("DELETE", id);
    await endGrace(id);
    expect(seen(await manage("POST", id, "/resume"))).toEqual(
      failed("entity_not_found", { entity: "Organization", id }),
    );
  });

  test("keeps the time of an earlier suspension", async () => {
    const { id } = await mintOrganization();
    const suspended = await manage("POST", id, "/suspend");
    const deleted = await manage("DELETE", id);
    expect(Object(deleted.body).data.suspended_at).toBe(Object(suspended.body).data.suspended_at);
    expect((await manage("POST", id, "/suspend")).body).toEqual(deleted.body);
  });
});

describe("after the grace", () => {
  test("the job deletes every row of the organization, and no row of another", async () => {
    const [gone, kept] = [await mintPopulatedOrganization(), await mintPopulatedOrganization()];
    await manage("DELETE", gone.id);
    await endGrace(gone.id);
    await changingNothing(kept.id, runJob, []);
    expect(await namesOfRest(gone.id)).toEqual([]);
    const { body } = await openApi(variables).send("GET", "/api/v1/organizations?all=true", {
      key: operator.key,
    });
    expect(Object(body).data).toMatchObject([{ id: kept.id }]);
    const answer = await openApi(variables).send("GET", "/api/v1/hosts", { key: gone.keys.owner });
    expect(answer.status).toBe(401);
  });

  test("each step deletes at most the given number of rows, without adding any", async () => {
    const { id } = await mintPopulatedOrganization();
    await manage("DELETE", id);
    await endGrace(id);
    const count = async () =>
      Object.values(await rowsOf(id, [])).reduce((sum, rows) => sum + rows.length, 0);
    let before = await count();
    expect(before).toBeGreaterThan(50);
    for (;;) {
      const [row] = await sql`select app.sweep_organizations(7) as swept`;
      const now = await count();
      expect(before - now).toBeLessThanOrEqual(7 + 1);
      expect(now).toBeLessThan(before);
      before = now;
      if (Number(row?.["swept"]) < 7) {
        break;
      }
    }
    expect(before).toBe(0);
  });

  test("a run deletes at most 10,000 rows", async () => {
    const { id } = await mintOrganization();
    await sql`insert into tags (organization_id, name)
      select ${id}, 'tag ' || place from generate_series(1, 9000) as place`;
    await manage("DELETE", id);
    await endGrace(id);
    await runJob();
    const [rest] = await sql`select count(*)::int from audit_entries where organization_id = ${id}`;
    expect(rest?.["count"]).toBeGreaterThan(sweepSize);
    expect(sweepSize * sweepSteps).toBe(10_000);
    await runJob();
    expect(await namesOfRest(id)).toEqual([]);
  });

  test("the poller's login can only run the job, which leaves active organizations alone", async () => {
    const { id } = await mintOrganization();
    await sql`update organizations set suspended_at = now() where id = ${id}`;
    await changingNothing(
      id,
      () =>
        sql.transaction([
          sql`set local role inventory_poller`,
          sql`select app.sweep_organizations(1000)`,
        ]),
      [],
    );
    const attempt = sql.transaction([
      sql`set local role inventory_poller`,
      sql`select app.delete_organization_rows(${id}, 1000)`,
    ]);
    expect(await refusalOf(attempt)).toMatchObject({ code: "42501" });
  });
});

test("the deletion in batches names every table with rows of organizations, children before parents", async () => {
  const [definition] = await sql`
    select pg_get_functiondef('app.delete_organization_rows'::regproc) as text`;
  const listed: string[] =
    String(definition?.["text"]).match(/\b(?:app|public)\.\w+(?=[,}])/g) ?? [];
  const tables = await sql`
    select attrelid::regclass::text as name, relnamespace::regnamespace::text as schema, relname
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where attname = 'organization_id' and relkind = 'r'
      and relnamespace in ('public'::regnamespace, 'app'::regnamespace)`;
  // These have at most one row per organization or transaction.
  const small = [
    "daemon_visits",
    "webhook_visits",
    "full_audit_logs",
    "history_sweeps",
    "stale_sweeps",
  ];
  expect(listed.toSorted()).toEqual(
    tables
      .filter(({ relname }) => !small.includes(String(relname)))
      .map(({ schema, relname }) => `${schema}.${relname}`)
      .toSorted(),
  );
  expect((await tableNames()).length).toBeGreaterThan(30);
  const references = await sql`
    select child.relnamespace::regnamespace || '.' || child.relname as child,
      parent.relnamespace::regnamespace || '.' || parent.relname as parent
    from pg_constraint join pg_class as child on child.oid = conrelid
      join pg_class as parent on parent.oid = confrelid
    where contype = 'f' and conrelid <> confrelid and parent.relname <> 'organizations'`;
  const late = references.filter(
    ({ child, parent }) => listed.indexOf(String(child)) > listed.indexOf(String(parent)),
  );
  expect(late).toEqual([]);
});
