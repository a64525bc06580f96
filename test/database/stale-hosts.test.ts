import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { staleSweep, sweepStaleHosts } from "../../src/database/sweep.ts";
import { followChanges } from "../changes/helpers.ts";
import { enter, refusalOf, sql } from "../helpers/database.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { mintKey } from "../helpers/organization.ts";
import { openFreshDatabase, openPoller, type Poller } from "../helpers/poller.ts";
import { raiseScanner, wireHost } from "../helpers/protocol.ts";
import { keepFor, moveIntoPast, sweepAll } from "../helpers/retention.ts";
import { passHours, sweepStaleOnce } from "../helpers/stale.ts";

let variables: Record<string, string>;
let poller: Poller;
let inventory: Inventory;

beforeAll(async () => {
  variables = await openFreshDatabase();
  poller = openPoller(variables);
}, 60_000);

// A run processes all organizations.
beforeEach(async () => {
  await sql`delete from organizations`;
  inventory = await openInventory(variables);
});

/** Sets the network's `stale_after_hours`, as an Admin. */
async function setHours(
  stale_after_hours: number | null,
  { api, organization, network_id } = inventory,
) {
  const answer = await api.send("PATCH", `/api/v1/networks/${network_id}`, {
    key: organization.keys.admin,
    json: { stale_after_hours },
  });
  expect(answer).toMatchObject({ status: 200, body: { data: { stale_after_hours } } });
}

/** The organizations that the last run announced. */
let announced: string[] = [];

async function run() {
  announced = [];
  return sweepStaleHosts(poller.settings, async (organizationId) => {
    announced.push(organizationId);
  });
}

const isStale = async (id: string) => (await inventory.read("hosts", id)).is_stale;

/** Creates a host on the network that was last seen this many hours ago. */
async function unseenFor(hours: number, json: object = {}, { create } = inventory) {
  const host = await create("hosts", { name: "host", ...json });
  await passHours(hours, host.id);
  return host;
}

const follow = async (query: Record<string, string> = {}) =>
  (await followChanges((path) => inventory.send("GET", path), query)).changes;

const etagOf = async (id: string) =>
  (await inventory.send("GET", `hosts/${id}`)).headers.get("ETag") ?? "";

const importHost = (body: object, query = "") =>
  inventory.send("POST", `networks/${inventory.network_id}/imports${query}`, body);

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe("the job", () => {
  test("sets is_stale only on hosts not seen within their network's stale_after_hours", async () => {
    const absent = await unseenFor(25);
    const present = await unseenFor(23);
    await setHours(24);
    await poller.cycle();
    expect([await isStale(absent.id), await isStale(present.id)]).toEqual([true, false]);
  });

  test("does not set is_stale on a network without stale_after_hours", async () => {
    const { id } = await unseenFor(9000);
    await run();
    expect(announced).toEqual([]);
    expect(await isStale(id)).toBe(false);
  });

  test("clears is_stale if the network's stale_after_hours is increased or removed", async () => {
    const { id } = await unseenFor(25);
    const other = await unseenFor(50);
    await setHours(24);
    await run();
    await setHours(48);
    await run();
    expect([await isStale(id), await isStale(other.id)]).toEqual([false, true]);
    await setHours(null);
    await run();
    expect([await isStale(id), await isStale(other.id)]).toEqual([false, false]);
  });

  test("starts a new version at a separate instant, with the system as the actor, and changes nothing else", async () => {
    const host = await unseenFor(25);
    await setHours(24);
    const before = await inventory.read("hosts", host.id);
    await run();
    expect(announced).toEqual([inventory.organization.id]);
    const { is_stale, updated_at, valid_from, ...after } = await inventory.read("hosts", host.id);
    expect(is_stale).toBe(true);
    expect(before).toMatchObject(after);
    expect(updated_at).toBe(valid_from);
    expect(valid_from > before.valid_from).toBe(true);
    expect((await follow({ entity_id: host.id })).at(-1)).toMatchObject({
      at: valid_from,
      change: "updated",
      entity: "Host",
      entity_id: host.id,
      host_id: host.id,
      changed: ["is_stale"],
      before: { is_stale: false },
      after: { is_stale: true },
      source: { type: "System" },
      actor: { type: "system", id: null, name: null },
      discovery_id: null,
      request_id: null,
    });
  });

  test("changes nothing when it runs a second time", async () => {
    const { id } = await unseenFor(25);
    await setHours(24);
    await run();
    const after = await inventory.read("hosts", id);
    await run();
    expect(await inventory.read("hosts", id)).toEqual(after);
    expect(await follow({ entity_id: id })).toHaveLength(2);
  });

  test("changes the entity tag, so that If-None-Match returns 200 and an old If-Match fails", async () => {
    const { id } = await unseenFor(25);
    await setHours(24);
    const old = await etagOf(id);
    await run();
    const { api, organization } = inventory;
    const read = (tag: string) =>
      api.send("GET", `/api/v1/hosts/${id}`, {
        key: organization.keys.viewer,
        headers: { "If-None-Match": tag },
      });
    expect((await read(old)).status).toBe(200);
    expect((await read(await etagOf(id))).status).toBe(304);
    const write = { network_id: inventory.network_id, name: "renamed" };
    expect(await inventory.send("PUT", `hosts/${id}`, write, { "If-Match": old })).toMatchObject({
      status: 412,
    });
  });

  test("does not count toward the daily limit on versions, and continues beyond it", async () => {
    const { id } = await unseenFor(25);
    await setHours(24);
    await sql`
      insert into app.version_counters (organization_id, hour, versions)
      values (${inventory.organization.id}, date_trunc('hour', now(), 'UTC'), 2000000)`;
    const counted = () => sql`select app.counted_versions(${inventory.organization.id})::int`;
    // The creation of the host may have been sampled.
    const before = await counted();
    await run();
    expect(await isStale(id)).toBe(true);
    expect(await counted()).toEqual(before);
  });

  test("uses a separate transaction and instant for each organization", async () => {
    const other = await openInventory(variables);
    const hosts = [await unseenFor(25), await unseenFor(25)];
    const otherHost = await unseenFor(25, {}, other);
    await setHours(24);
    await setHours(24, other);
    await run();
    const [one, two] = await Promise.all(hosts.map(({ id }) => inventory.read("hosts", id)));
    const third = await other.read("hosts", otherHost.id);
    expect([one?.is_stale, two?.is_stale, third.is_stale]).toEqual([true, true, true]);
    expect(one?.valid_from).toBe(two?.valid_from);
    expect(
      await sql`
        select organization_id from transactions
        where actor_type = 'system' and changed_at in (${one?.valid_from}, ${third.valid_from})
        order by changed_at`,
    ).toHaveLength(2);
  });

  test("logs how many hosts it has changed, and nothing if it has changed none", async () => {
    const { id } = await unseenFor(25);
    await setHours(24);
    const lines: unknown[] = [];
    const { log } = console;
    console.log = (line) => lines.push(line);
    try {
      await run();
      await run();
    } finally {
      console.log = log;
    }
    expect(await isStale(id)).toBe(true);
    expect(lines).toEqual(['{"event":"stale_sweep","swept":1}']);
  });
});

test("a version that the job has ended is deleted once its retention period has passed", async () => {
  const days = 30;
  const { id } = await unseenFor(25);
  await setHours(24);
  await run();
  const { organization } = inventory;
  const { valid_from } = await inventory.read("hosts", id);
  await moveIntoPast(organization.id, valid_from, days);
  await keepFor(organization.id, days);
  await sweepAll();
  expect(
    await sql`select from hosts where organization_id = ${organization.id} and live_id = ${id}`,
  ).toHaveLength(1);
  expect(await isStale(id)).toBe(true);
});

describe("limits", () => {
  const staleOf = async ({ organization } = inventory) => {
    const [row] = await sql`
      select count(*)::int as count from hosts
      where organization_id = ${organization.id} and valid_to is null and is_stale`;
    return row?.["count"];
  };

  /** Inserts hosts that were last seen 25 hours ago. */
  const addUnseen = (count: number, { organization, network_id } = inventory) => sql`
    insert into hosts (organization_id, network_id, name, last_seen_at)
    select ${organization.id}, ${network_id}, 'host ' || number, now() - interval '25 hours'
    from generate_series(1, ${count}::int) as number`;

  test("a call changes at most a limited number of hosts", async () => {
    await addUnseen(5);
    await setHours(24);
    expect(await sweepStaleOnce({ changed: 2 })).toMatchObject({ swept: 2, has_more: true });
    expect(await sweepStaleOnce({ changed: 2 })).toMatchObject({ swept: 2 });
    expect(await sweepStaleOnce({ changed: 2 })).toMatchObject({ swept: 1 });
    expect(await sweepStaleOnce({ changed: 2 })).toMatchObject({ swept: 0, has_more: false });
    expect(await staleOf()).toBe(5);
  });

  test("a run changes 1,000 hosts per organization, and the next run continues", async () => {
    expect(staleSweep.changed).toBe(1000);
    await addUnseen(staleSweep.changed + 1);
    await setHours(24);
    await run();
    expect(await staleOf()).toBe(1000);
    await run();
    expect(await staleOf()).toBe(1001);
  });

  // The organization also has two older hosts, on other networks.
  const others = 2;

  test("a call reads at most a limited number of hosts, and the next run continues after them", async () => {
    await addUnseen(2);
    const last = await unseenFor(25);
    await setHours(24);
    const lookedAt = others + 2;
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 2, has_more: true });
    expect(await isStale(last.id)).toBe(false);
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 1 });
    expect(await isStale(last.id)).toBe(true);
    // The next call starts over with the first host.
    await setHours(26);
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 2 });
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 1 });
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 0 });
  });

  test("a call that has reached its limit of hosts leaves the remaining organizations to the next call", async () => {
    const other = await openInventory(variables);
    await setHours(24);
    await addUnseen(1, other);
    await setHours(24, other);
    const lookedAt = others;
    const first = await sweepStaleOnce({ lookedAt });
    expect(first).toMatchObject({ swept: 0, has_more: true });
    expect(await sweepStaleOnce({ lookedAt: others + 1 }, first.began_at)).toMatchObject({
      swept: 1,
    });
  });

  test("a stale_after_hours that changes midway is applied to all hosts", async () => {
    await addUnseen(4);
    await setHours(24);
    const lookedAt = others + 2;
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 2 });
    await setHours(null);
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 2 });
    expect(await sweepStaleOnce({ lookedAt })).toMatchObject({ swept: 0 });
    expect(await staleOf()).toBe(0);
    expect(await sql`select from app.stale_sweeps`).toEqual([]);
  });

  test("an organization is processed once per run, however many of its hosts need to change", async () => {
    const other = await openInventory(variables);
    await addUnseen(5);
    await addUnseen(5, other);
    await setHours(24);
    await setHours(24, other);
    const first = await sweepStaleOnce({ changed: 2 });
    const second = await sweepStaleOnce({ changed: 2 }, first.began_at);
    const third = await sweepStaleOnce({ changed: 2 }, first.began_at);
    expect([first, second, third]).toMatchObject([{ swept: 2 }, { swept: 2 }, { swept: 0 }]);
    expect([await staleOf(), await staleOf(other)]).toEqual([2, 2]);
  });

  test("repeated changes to stale_after_hours do not cause an organization to be processed more often", async () => {
    await addUnseen(3);
    await setHours(24);
    const first = await sweepStaleOnce({ changed: 1 });
    await setHours(null);
    await setHours(23);
    expect(await sweepStaleOnce({ changed: 1 }, first.began_at)).toMatchObject({ swept: 0 });
    await setHours(null);
    expect(await sweepStaleOnce({})).toMatchObject({ swept: 1 });
    // Nothing is left to do, and a stale_after_hours set now takes effect only in the next run.
    const { began_at } = await sweepStaleOnce({});
    expect(await sql`select from app.stale_sweeps`).toEqual([]);
    await setHours(22);
    expect(await sweepStaleOnce({}, began_at)).toMatchObject({ swept: 0 });
    expect(await sweepStaleOnce({})).toMatchObject({ swept: 3 });
  });

  test("a call processes 100 organizations, starting with those that were processed longest ago", async () => {
    await sql`
      with added as (
        insert into organizations (name) select 'Test' from generate_series(1, 101) returning id)
      insert into networks (organization_id, name, stale_after_hours) select id, 'Test', 1 from added`;
    await addUnseen(1);
    await setHours(24);
    await sql`
      update app.stale_sweeps set looked_at = now() - interval '1 hour'
      where organization_id <> ${inventory.organization.id}`;
    const first = await sweepStaleOnce({});
    expect(first).toMatchObject({ swept: 0, has_more: true });
    expect(await sweepStaleOnce({}, first.began_at)).toMatchObject({ swept: 1, has_more: true });
    expect(await sweepStaleOnce({}, first.began_at)).toMatchObject({ swept: 0, has_more: false });
  });

  test("a run makes 50 calls, and the next run processes the remaining organizations", async () => {
    expect(staleSweep.calls).toBe(50);
    await sql`
      with added as (
        insert into organizations (name) select 'Test' from generate_series(1, 51) returning id)
      insert into networks (organization_id, name, stale_after_hours) select id, 'Test', 24 from added`;
    await sql`
      insert into hosts (organization_id, network_id, name, last_seen_at)
      select organization_id, id, 'host', now() - interval '25 hours' from networks
      where stale_after_hours = 24`;
    const stale = async () =>
      (await sql`select from hosts where is_stale and valid_to is null`).length;
    await run();
    expect(await stale()).toBe(50);
    await run();
    expect(await stale()).toBe(51);
  });

  test("if no network has stale_after_hours, a run makes one call that does nothing", async () => {
    await addUnseen(1);
    expect(await sql`select from app.stale_sweeps`).toEqual([]);
    expect(await sweepStaleOnce({})).toMatchObject({ swept: 0, has_more: false });
  });

  test("an organization with stale_after_hours and stale hosts can be deleted", async () => {
    await addUnseen(1);
    await setHours(24);
    await run();
    await sql`delete from organizations where id = ${inventory.organization.id}`;
    expect(await sql`select from app.stale_sweeps`).toEqual([]);
  });
});

describe("a stale host", () => {
  const address = { ip_address: "192.0.2.7" };
  let id: string;

  beforeEach(async () => {
    ({ id } = await unseenFor(100, { ip_addresses: [address] }));
    await setHours(24);
    await run();
    expect(await isStale(id)).toBe(true);
  });

  test("is no longer stale after an import, which clears is_stale in the version that it starts and reports the host as changed", async () => {
    const body = { hosts: [{ addresses: [address] }] };
    const [dry, done, again] = [
      await importHost(body, "?dry_run=true"),
      await importHost(body),
      await importHost(body),
    ];
    expect(await isStale(id)).toBe(false);
    expect([dry, done, again]).toMatchObject([
      { body: { data: { counts: { changed: 1, unchanged: 0 } } } },
      { body: { data: { counts: { changed: 1, unchanged: 0 } } } },
      { body: { data: { counts: { changed: 0, unchanged: 1 } } } },
    ]);
    const changes = await follow({ entity_id: id });
    expect(changes).toHaveLength(3);
    expect(changes[2]).toMatchObject({
      change: "updated",
      changed: ["is_stale"],
      before: { is_stale: true },
      after: { is_stale: false },
      source: { type: "Import" },
      actor: { type: "import", name: "Test" },
    });
  });

  test("stays stale after an import that updates last_seen_at to a time that is still too old", async () => {
    const observed_at = hoursAgo(25);
    const answer = await importHost({ observed_at, hosts: [{ addresses: [address] }] });
    expect(answer).toMatchObject({ body: { data: { counts: { changed: 0, unchanged: 1 } } } });
    expect(await inventory.read("hosts", id)).toMatchObject({
      is_stale: true,
      last_seen_at: observed_at,
    });
    await importHost({ observed_at: hoursAgo(23), hosts: [{ addresses: [address] }] });
    expect(await isStale(id)).toBe(false);
  });

  test("stays stale after an import of an observation that is older than its last_seen_at", async () => {
    await importHost({ observed_at: hoursAgo(101), hosts: [{ addresses: [address] }] });
    expect(await isStale(id)).toBe(true);
  });

  test("is no longer stale after a daemon's report, which clears is_stale in the same version as its other changes", async () => {
    const { organization, network_id } = inventory;
    const [first, second] = organization.networks;
    const scanner = await raiseScanner(variables, {
      ...organization,
      networks: [{ ...first, id: network_id }, second],
    });
    await scanner.report({
      hosts: [wireHost(network_id, address.ip_address, [], { hostname: "nas.example.com" })],
    });
    await scanner.visit();
    const changes = await follow({ entity_id: id });
    expect(changes).toHaveLength(3);
    expect(changes[2]).toMatchObject({
      changed: ["hostname", "is_stale"],
      after: { is_stale: false },
      source: { type: "Discovery" },
      actor: { type: "daemon", id: scanner.id },
    });
    // Repeating the report changes nothing.
    await scanner.visit();
    expect(await follow({ entity_id: id })).toHaveLength(3);
  });

  test("stays stale when a caller changes it", async () => {
    const host = await inventory.read("hosts", id);
    await inventory.replace("hosts", id, { ...host, name: "renamed", is_stale: false });
    const { api, organization } = inventory;
    const patched = await api.send("PATCH", `/api/v1/hosts/${id}`, {
      key: organization.keys.member,
      json: { description: "gone?", is_stale: false },
    });
    expect(patched).toMatchObject({ status: 200, body: { data: { is_stale: true } } });
    expect((await follow({ entity_id: id })).slice(2)).toMatchObject([
      { changed: ["name"] },
      { changed: ["description"] },
    ]);
  });

  test("keeps the later of the two last_seen_at values in a consolidation", async () => {
    const seen = await inventory.create("hosts", { name: "seen" });
    const unseen = await unseenFor(50);
    await run();
    const into = (other: string) => inventory.send("PUT", `hosts/${id}/consolidate/${other}`);
    expect(await into(unseen.id)).toMatchObject({
      status: 200,
      body: { data: { is_stale: true } },
    });
    expect(await into(seen.id)).toMatchObject({ status: 200, body: { data: { is_stale: false } } });
  });

  test("does not pass is_stale on to the host that it is consolidated into", async () => {
    const seen = await inventory.create("hosts", { name: "seen" });
    expect(await inventory.send("PUT", `hosts/${seen.id}/consolidate/${id}`)).toMatchObject({
      status: 200,
      body: { data: { is_stale: false } },
    });
  });

  test("is not stale when it is created again with the same id", async () => {
    await inventory.remove("hosts", id);
    expect(await inventory.create("hosts", { id, name: "back", is_stale: true })).toMatchObject({
      is_stale: false,
    });
    expect((await follow({ entity_id: id })).map(({ change }) => change)).toEqual([
      "created",
      "updated",
      "deleted",
      "returned",
    ]);
  });
});

describe("is_stale in responses", () => {
  let stale: string;
  let fresh: string;
  let before: string;

  beforeEach(async () => {
    stale = (await unseenFor(25, { name: "stale one", ports: [{ number: 22, protocol: "Tcp" }] }))
      .id;
    fresh = (await inventory.create("hosts", { name: "fresh one" })).id;
    await setHours(24);
    before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await run();
  });

  const ids = async (query: Record<string, string>) =>
    (await inventory.list("hosts", query)).map(({ id, lineage_id }) => lineage_id ?? id);

  test("the filter can be combined with at, q, other filters and orders", async () => {
    expect(await ids({ stale: "true" })).toEqual([stale]);
    expect(await ids({ stale: "false" })).toEqual([fresh]);
    expect(await ids({ stale: "true", at: before })).toEqual([]);
    expect(await ids({ stale: "false", at: before, order_by: "name" })).toEqual([fresh, stale]);
    expect(await ids({ stale: "true", at: new Date().toISOString() })).toEqual([stale]);
    expect(await ids({ stale: "true", q: "one" })).toEqual([stale]);
    expect(await ids({ stale: "false", name: "stale one" })).toEqual([]);
    expect(await ids({ stale: "true", name: "stale one" })).toEqual([stale]);
  });

  test.each(["", "1", "True", "null"])("rejects the filter %j", async (value) => {
    expect(await inventory.send("GET", `hosts?stale=${value}`)).toMatchObject({ status: 400 });
  });

  test("exports accept the filter", async () => {
    const answer = await inventory.send("GET", "exports/prometheus?stale=true");
    expect(answer).toMatchObject({
      status: 200,
      body: [{ labels: { __meta_inventory_id: stale } }],
    });
  });

  test("a summary counts the stale hosts of one network or of all networks", async () => {
    const seen = (count: number) => ({ body: { data: { hosts_seen: { stale: count } } } });
    const { network_id, organization } = inventory;
    expect(await inventory.send("GET", "summary")).toMatchObject(seen(1));
    expect(await inventory.send("GET", `summary?network_id=${network_id}`)).toMatchObject(seen(1));
    expect(
      await inventory.send("GET", `summary?network_id=${organization.networks[0].id}`),
    ).toMatchObject(seen(0));
    expect(await inventory.send("GET", `summary?at=${before}`)).toMatchObject({
      body: { data: { hosts_seen: null } },
    });
  });

  test("the CSV format has an is_stale column", async () => {
    const answer = await inventory.api.open(
      "GET",
      `/api/v1/hosts?network_id=${inventory.network_id}&include_children=false`,
      { key: inventory.organization.keys.viewer, headers: { Accept: "text/csv" } },
    );
    const [head = "", first = ""] = (await answer.text()).split("\r\n");
    const column = head.split(",").indexOf("is_stale");
    expect(column).toBeGreaterThan(0);
    expect(first.split(",")[column]).toBe("true");
  });

  test("a diff and the timeline contain the change", async () => {
    const diff = await inventory.send("GET", `diff?from=${before}`);
    expect(diff).toMatchObject({
      body: { data: { items: [{ change: "changed", entity_id: stale, changed: ["is_stale"] }] } },
    });
    const timeline = await inventory.send("GET", `hosts/${stale}/timeline?include=records`);
    expect(timeline).toMatchObject({
      body: {
        data: [
          {
            changed: ["is_stale"],
            before: { name: "stale one", is_stale: false },
            after: { name: "stale one", is_stale: true },
          },
          { change: "created" },
          { change: "created" },
        ],
      },
    });
  });

  test("a key limited to another network sees no trace of the stale host", async () => {
    const { api, organization } = inventory;
    const key = await mintKey(organization.id, {}, [organization.networks[0].id]);
    const get = (path: string) => api.send("GET", `/api/v1/${path}`, { key });
    expect(await get("hosts?stale=true")).toMatchObject({ body: { data: [] } });
    expect(await get(`changes?entity_id=${stale}`)).toMatchObject({ body: { data: [] } });
    expect(await get("summary")).toMatchObject({ body: { data: { hosts_seen: { stale: 0 } } } });
  });
});

test("callers cannot write is_stale with any statement that the API could send", async () => {
  const { id } = await unseenFor(25);
  await setHours(24);
  await run();
  const { organization, network_id } = inventory;
  const asApi = (statement: ReturnType<typeof sql>) =>
    sql.transaction([enter(organization.keys.member), statement]);
  const written = asApi(sql`update hosts set is_stale = false where id = ${id}`);
  expect(await refusalOf(written)).toMatchObject({ code: "42501" });
  const forged = crypto.randomUUID();
  await asApi(sql`
    insert into hosts (organization_id, network_id, id, name, is_stale)
    values (${organization.id}, ${network_id}, ${forged}, 'forged', true)`);
  expect([await isStale(id), await isStale(forged)]).toEqual([true, false]);
});
