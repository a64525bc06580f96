import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { maximumDays } from "../../src/organizations/usage.ts";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintOperator } from "../helpers/operators.ts";
import { mintDaemon, mintOrganization } from "../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../helpers/poller.ts";
import { openWebhooks, raiseReceiver } from "../helpers/webhooks.ts";

let variables: Record<string, string>;
let operator: { key: string; id: string };

// The job counts the usage of all organizations.
beforeAll(async () => {
  variables = await openFreshDatabase();
  operator = await mintOperator();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
});

afterEach(() => {
  vi.useRealTimers();
});

const usage = (id: string, query = "") =>
  openApi(variables).send("GET", `/api/v1/organizations/${id}/usage${query}`, {
    key: operator.key,
  });
const daysOf = async (id: string, query = ""): Promise<Record<string, unknown>[]> =>
  Object((await usage(id, query)).body).data.days;
const today = async (id: string) => (await daysOf(id, "?from=-0d")).at(-1);
const runJob = () => sql`select app.count_usage(1000)`;
const dayBefore = (days: number) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
/** Moves the creation of an organization and of all versions to a day in the past. */
const createdBefore = (id: string, days: number) =>
  sql`update organizations set created_at = now() - make_interval(days => ${days}) where id = ${id}`;

describe("requests", () => {
  test("are counted in memory and stored at most once a minute, in the call of a request", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { id, keys } = await mintOrganization();
    const send = async () => {
      const api = openApi(variables);
      await api.send("GET", "/api/v1/tags", { key: keys.viewer });
      expect(await api.calls()).toBe(1);
    };
    const rows = () => sql`select requests from app.usage_counts where organization_id = ${id}`;
    for (let nth = 0; nth < 5; nth++) {
      await send();
    }
    // The isolate does not know the organization of the first request.
    expect(await rows()).toEqual([{ requests: 1 }, { requests: 1 }]);
    vi.setSystemTime(Date.now() + 60_000);
    await send();
    expect(await rows()).toEqual([{ requests: 1 }, { requests: 1 }, { requests: 4 }]);
    expect(await today(id)).toMatchObject({ requests: 6 });
    await runJob();
    expect(await rows()).toEqual([]);
    expect(await today(id)).toMatchObject({ requests: 6 });
    await runJob();
    expect(await today(id)).toMatchObject({ requests: 6 });
  });

  test("that fail are counted with a later one, and those of invalid keys are not counted", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { id, keys } = await mintOrganization();
    const send = (path: string, key = keys.viewer) =>
      openApi(variables).send("GET", `/api/v1/tags${path}`, { key });
    await send("");
    await send("?unknown=1");
    vi.setSystemTime(Date.now() + 60_000);
    await sql`update user_api_keys set is_enabled = false
      where organization_id = ${id} and role = 'Member'`;
    expect((await send("", keys.member)).status).toBe(401);
    const down = openApi(variables);
    await down.disturb({ faults: [{ kind: "refuse" }, { kind: "refuse" }] });
    expect((await down.send("GET", "/api/v1/tags", { key: keys.viewer })).status).toBe(503);
    vi.setSystemTime(Date.now() + 60_000);
    await send("");
    // The call that was refused may have been committed, as far as the service knows.
    expect(await today(id)).toMatchObject({ requests: 3 });
  });

  test("are not counted twice if a call that was committed is repeated", async () => {
    const { id, keys } = await mintOrganization();
    const api = openApi(variables);
    await api.disturb({ faults: [{ kind: "lost_answer" }] });
    expect((await api.send("GET", "/api/v1/tags", { key: keys.viewer })).status).toBe(200);
    expect(await today(id)).toMatchObject({ requests: 1 });
  });

  test("of one organization are not those of another", async () => {
    const [one, other] = [await mintOrganization(), await mintOrganization()];
    await openApi(variables).send("GET", "/api/v1/tags", { key: one.keys.viewer });
    expect(await today(one.id)).toMatchObject({ requests: 1 });
    expect(await today(other.id)).toMatchObject({ requests: 0 });
  });
});

test("messages to webhooks are counted, including failed attempts", async () => {
  const hooks = await openWebhooks(variables);
  const receiver = raiseReceiver();
  await hooks.create({ url: receiver.url });
  await hooks.addHost("one");
  await hooks.settle();
  expect(await today(hooks.organization.id)).toMatchObject({ webhook_deliveries: 1 });
  await runJob();
  expect(await today(hooks.organization.id)).toMatchObject({ webhook_deliveries: 1 });
});

describe("hosts, versions and daemons", () => {
  test("are counted once the day has ended, once", async () => {
    const { id, keys, networks } = await mintOrganization();
    await mintDaemon(id, networks[0].id);
    await runJob();
    expect(await daysOf(id)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ day: dayBefore(0), hosts: null, versions: null, daemons: null }),
      ]),
    );
    await createdBefore(id, 2);
    await runJob();
    const yesterday = `?from=${dayBefore(1)}&to=${dayBefore(1)}`;
    const counted = { day: dayBefore(1), requests: 0, webhook_deliveries: 0 };
    expect(await daysOf(id, yesterday)).toEqual([
      { ...counted, hosts: 2, versions: 0, daemons: 1 },
    ]);
    await openApi(variables).send("POST", "/api/v1/hosts", {
      key: keys.member,
      json: { network_id: networks[0].id, name: "later" },
    });
    await runJob();
    expect(await daysOf(id, yesterday)).toMatchObject([{ hosts: 2 }]);
  });

  test("count every version that began on the day, live or closed, in UTC", async () => {
    const { id, networks } = await mintOrganization();
    await createdBefore(id, 10);
    const noon = `${dayBefore(1)}T12:00:00Z`;
    const insert = (created: string) => sql`
      insert into hosts (organization_id, network_id, name, created_at, updated_at, valid_from)
      values (${id}, ${networks[0].id}, 'x', ${created}, ${created}, ${created})`;
    for (const created of [
      `${dayBefore(2)}T23:59:59.999Z`,
      `${dayBefore(1)}T00:00:00Z`,
      noon,
      `${dayBefore(1)}T23:59:59.999Z`,
      `${dayBefore(0)}T00:00:00Z`,
    ]) {
      await insert(created);
    }
    // This closes the version that began at noon, and begins another one today.
    await sql`update hosts set name = 'y' where organization_id = ${id} and valid_from = ${noon}`;
    await runJob();
    expect(await daysOf(id, `?from=${dayBefore(1)}&to=${dayBefore(1)}`)).toMatchObject([
      { versions: 3 },
    ]);
  });

  test("of 100 organizations are counted per call, and the rest with the next call", async () => {
    await sql`insert into organizations (name, created_at)
      select 'Many', now() - interval '2 days' from generate_series(1, 101)`;
    const counted = async () =>
      Number(
        (await sql`select count(*)::int from app.usage_days where hosts is not null`)[0]?.["count"],
      );
    // The number of rows in a call is reached, so the sweep continues.
    expect(await runJob()).toEqual([{ count_usage: 1000 }]);
    expect(await counted()).toBe(100);
    expect(await runJob()).toEqual([{ count_usage: 0 }]);
    expect(await counted()).toBe(101);
  });
});

test("the cron counts the usage", async () => {
  const { id } = await mintOrganization();
  await createdBefore(id, 2);
  await openPoller(variables).cycle();
  expect(await daysOf(id, `?from=${dayBefore(1)}&to=${dayBefore(1)}`)).toMatchObject([
    { hosts: 2 },
  ]);
});

describe("the days of a response", () => {
  test("are those from `from` to `to`, each once, the last 31 by default", async () => {
    const { id } = await mintOrganization();
    expect(await daysOf(id)).toHaveLength(31);
    const days = await daysOf(id, "?from=2026-02-27&to=2026-03-02T10:00:00%2B02:00");
    expect(days.map(({ day }) => day)).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
  });

  test("are at most 400, and older ones are deleted", async () => {
    const { id } = await mintOrganization();
    expect(await daysOf(id, "?from=-399d")).toHaveLength(maximumDays);
    for (const query of ["?from=-400d", "?from=2026-03-02&to=2026-03-01", "?from=x", "?x=1"]) {
      expect([query, (await usage(id, query)).status]).toEqual([query, 400]);
    }
    await sql`insert into app.usage_days (organization_id, day, requests)
      select ${id}, (now() at time zone 'UTC')::date - age, 1 from unnest('{400,401}'::int[]) as age`;
    await runJob();
    const [kept] = await sql`
      select count(*)::int from app.usage_days where organization_id = ${id} and requests = 1`;
    expect(kept).toEqual({ count: 1 });
  });

  test("are 404 for an unknown organization", async () => {
    const id = crypto.randomUUID();
    expect(seen(await usage(id))).toEqual(
      failed("entity_not_found", { entity: "Organization", id }),
    );
  });
});
