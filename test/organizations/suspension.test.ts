import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { failed, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { daemonRow } from "../helpers/daemons.ts";
import { abortionOf, becomeApi, sql } from "../helpers/database.ts";
import { operations, perform } from "../helpers/operations.ts";
import { mintOperator } from "../helpers/operators.ts";
import { mintDaemon, mintKey, mintOrganization } from "../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../helpers/poller.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";
import { inPhase, mintSession, sessionRow } from "../helpers/sessions.ts";
import { passHours, sweepStaleAll } from "../helpers/stale.ts";
import { mintToken } from "../helpers/tokens.ts";
import { openWebhooks, raiseReceiver } from "../helpers/webhooks.ts";

let variables: Record<string, string>;
let operator: { key: string; id: string };

// Cycles handle all organizations.
beforeAll(async () => {
  variables = await openFreshDatabase();
  operator = await mintOperator({ name: "Billing" });
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
});

const open = () => openApi(variables);
const manage = (method: string, id: string, action = "", key = operator.key) =>
  open().send(method, `/api/v1/organizations/${id}${action}`, { key });
const suspend = (id: string) => manage("POST", id, "/suspend");
const resume = (id: string) => manage("POST", id, "/resume");

describe("a suspended organization", () => {
  let organization: PopulatedOrganization;

  beforeEach(async () => {
    organization = await mintPopulatedOrganization();
  });

  test("gets 403 for every operation, with every key and token, and nothing changes", async () => {
    const keys = [
      organization.keys.owner,
      await mintKey(organization.id, { role: "Owner" }, [organization.network.id]),
      await mintToken(organization.keys.owner),
    ];
    await suspend(organization.id);
    await changingNothing(organization.id, async () => {
      for (const [position, operation] of operations.entries()) {
        const api = open();
        const key = keys[position % keys.length];
        const answer = await perform(api, operation, organization, { ...(key && { key }) });
        expect(seen(answer), operation.name).toEqual(failed("organization_suspended"));
        expect(await api.calls(), operation.name).toBe(1);
      }
    }, []);
    await resume(organization.id);
    for (const key of keys) {
      const answer = await open().send("GET", "/api/v1/hosts?limit=1", { key });
      expect(answer.status).toBe(200);
    }
  });

  test("keeps the 401 of keys that are not valid", async () => {
    const disabled = await mintKey(organization.id, { is_enabled: false });
    await suspend(organization.id);
    const answer = await open().send("GET", "/api/v1/hosts", { key: disabled });
    expect(answer).toMatchObject({ status: 401, body: { code: "auth_key_disabled" } });
  });

  test("stays closed to a session that forges settings and skips the gate", async () => {
    await suspend(organization.id);
    const hash = await hashApiKey(organization.keys.owner);
    for (const statement of ["select count(*) from hosts", "select app.network_ids()"]) {
      const attempt = sql.transaction([
        sql`select set_config('app.key_hash', ${hash}, true)`,
        becomeApi(),
        sql.query(statement),
      ]);
      expect(await abortionOf(attempt), statement).toMatchObject({
        detail: { code: "organization_suspended" },
      });
    }
  });

  test("does not affect other organizations", async () => {
    const other = await mintOrganization();
    await suspend(organization.id);
    const answer = await open().send("GET", "/api/v1/hosts", { key: other.keys.viewer });
    expect(answer.status).toBe(200);
  });

  test("keeps its own ETag and revision", async () => {
    const path = `/api/v1/organizations/${organization.id}`;
    const get = () => open().send("GET", path, { key: organization.keys.viewer });
    const before = (await get()).headers.get("etag");
    await suspend(organization.id);
    await resume(organization.id);
    expect((await get()).headers.get("etag")).toBe(before);
  });
});

describe("suspending and resuming", () => {
  test("return the organization with its state, once", async () => {
    const { id } = await mintOrganization({ name: "Acme" });
    const first = await suspend(id);
    const suspended = { id, name: "Acme", state: "suspended", suspended_at: expect.any(String) };
    expect(seen(first)).toEqual(succeeded(expect.objectContaining(suspended)));
    expect((await suspend(id)).body).toEqual(first.body);
    const active = { id, state: "active", suspended_at: null, deletes_at: null };
    expect(seen(await resume(id))).toEqual(succeeded(expect.objectContaining(active)));
    expect(seen(await resume(id))).toEqual(succeeded(expect.objectContaining(active)));
    const unknown = crypto.randomUUID();
    const missing = failed("entity_not_found", { entity: "Organization", id: unknown });
    expect(seen(await suspend(unknown))).toEqual(missing);
    expect(seen(await resume(unknown))).toEqual(missing);
  });

  test("are recorded in the audit log, even if it is full, and only if they change something", async () => {
    const { id, keys } = await mintOrganization({ name: "Acme" });
    await sql`insert into app.full_audit_logs (organization_id, until, transaction_id)
      values (${id}, now() + interval '1 hour', '1')`;
    await suspend(id);
    await suspend(id);
    await resume(id);
    await resume(id);
    const audit = await open().send("GET", "/api/v1/audit?entity=Organization", {
      key: keys.admin,
    });
    const by = { entity_id: id, label: "Acme", actor: { type: "operator", id: operator.id } };
    expect(Object(audit.body).data).toMatchObject([
      { action: "resumed", ...by },
      { action: "suspended", ...by },
    ]);
  });

  test("filter the list by state", async () => {
    const [one, two] = [await mintOrganization(), await mintOrganization()];
    await suspend(two.id);
    const ids = async (state: string) => {
      const { body } = await open().send("GET", `/api/v1/organizations?all=true&state=${state}`, {
        key: operator.key,
      });
      expect(Object(body).meta.pagination.total_count).toBe(Object(body).data.length);
      return Object(body).data.map(({ id }: { id: string }) => id);
    };
    expect(await ids("active")).toEqual([one.id]);
    expect(await ids("suspended")).toEqual([two.id]);
    expect(await ids("deleted")).toEqual([]);
  });
});

describe("the daemons of a suspended organization", () => {
  test("are not polled until it is resumed, and do not delay others", async () => {
    const poller = openPoller(variables);
    const organization = await mintOrganization();
    const [id, other] = [await poller.mintDaemon({}, organization), await poller.mintDaemon()];
    await suspend(organization.id);
    const before = await daemonRow(id);
    const idsOf = (messages: unknown[]) =>
      messages.flatMap((message) => Object(message).daemons).map((daemon) => daemon.id);
    expect(idsOf(await poller.cycle())).toEqual([other]);
    expect(await daemonRow(id)).toEqual(before);
    await resume(organization.id);
    expect(idsOf(await poller.cycle())).toEqual([id]);
  });

  test("do not have the result of a poll recorded that began earlier, nor their report", async () => {
    const poller = openPoller(variables);
    const organization = await mintOrganization();
    const id = await poller.mintDaemon({}, organization);
    const messages = await poller.cycle();
    await suspend(organization.id);
    const before = await daemonRow(id);
    for (const message of messages) {
      await poller.deliver(message);
    }
    expect(await daemonRow(id)).toEqual(before);
    const attempt = sql`
      select app.enter_visit(${organization.id}, ${id}, ${String(before.poll_generation)})`;
    expect(await abortionOf(attempt)).toMatchObject({ detail: { code: "entity_not_found" } });
  });

  test("do not start scheduled scans, and continue with the next one, without the missed ones", async () => {
    const poller = openPoller(variables);
    const organization = await mintOrganization();
    const schedule = {
      schedule_cron: "* * * * *",
      schedule_timezone: "UTC",
      next_scan_at: "2026-01-01T00:00:00.000Z",
    };
    const id = await mintDaemon(organization.id, organization.networks[0].id, schedule);
    await suspend(organization.id);
    const scans = () => sql`select is_scheduled from discovery_sessions where daemon_id = ${id}`;
    for (let nth = 0; nth < 3; nth++) {
      await poller.cycle();
      await sql`update daemons set next_scan_at = now() - interval '1 minute' where id = ${id}`;
    }
    await poller.cycle();
    expect(await scans()).toEqual([]);
    await resume(organization.id);
    await poller.cycle();
    expect(await scans()).toEqual([]);
    await sql`update daemons set next_scan_at = now() - interval '1 minute' where id = ${id}`;
    await poller.cycle();
    expect(await scans()).toEqual([{ is_scheduled: true }]);
  });

  test("keep their running scans, which have five minutes to continue after it is resumed", async () => {
    const poller = openPoller(variables);
    const { id, networks } = await mintOrganization();
    const daemon = await mintDaemon(id, networks[0].id);
    const session = await mintSession(id, networks[0].id, daemon, {
      ...inPhase("Scanning"),
      moved_at: "2026-01-01T00:00:00.000Z",
    });
    await suspend(id);
    await poller.cycle();
    expect(await sessionRow(session)).toMatchObject({ phase: "Scanning", finished_at: null });
    await resume(id);
    await poller.cycle();
    expect(await sessionRow(session)).toMatchObject({ phase: "Scanning", finished_at: null });
    await sql`update discovery_sessions set moved_at = now() - interval '6 minutes' where id = ${session}`;
    await poller.cycle();
    expect(await sessionRow(session)).toMatchObject({ phase: "Failed" });
  });
});

describe("the webhooks of a suspended organization", () => {
  test("get no messages, and all missed changes once it is resumed", async () => {
    const hooks = await openWebhooks(variables);
    const receiver = raiseReceiver();
    const { id, secret } = await hooks.create({ url: receiver.url });
    await hooks.addHost("missed");
    const { fast } = await hooks.lanes();
    await suspend(hooks.organization.id);
    for (const message of fast) {
      await hooks.deliver(message);
    }
    await sql`update webhooks set lease_expires_at = null where id = ${id}`;
    await hooks.settle();
    expect(await receiver.messages(secret)).toEqual([]);
    await resume(hooks.organization.id);
    await hooks.settle();
    const [message, ...others] = await receiver.messages(secret);
    expect(others).toEqual([]);
    expect(message?.data.changes.map(({ label }) => label)).toEqual(["missed"]);
  });

  test("are not disabled for failing during the suspension", async () => {
    const hooks = await openWebhooks(variables);
    const { id } = await hooks.create({ url: "https://receiver.example.com/" });
    await sql`update webhooks set failing_since = now() - interval '4 days' where id = ${id}`;
    await suspend(hooks.organization.id);
    await sql`update organizations set suspended_at = suspended_at - interval '3 days'
      where id = ${hooks.organization.id}`;
    await resume(hooks.organization.id);
    const [row] = await sql`
      select failing_since between now() - interval '1 day 1 minute' and now() - interval '23 hours'
        as is_moved from webhooks where id = ${id}`;
    expect(row).toEqual({ is_moved: true });
  });
});

test("the hosts of a suspended organization do not become stale, and its history is kept", async () => {
  const hooks = await openWebhooks(variables);
  const host = await hooks.addHost("host");
  await hooks.send("PATCH", `networks/${hooks.network_id}`, { stale_after_hours: 1 });
  await hooks.send("PATCH", `hosts/${host}`, { name: "renamed" });
  await passHours(25, host);
  const { id } = hooks.organization;
  await suspend(id);
  await sql`update organizations set history_days = 1 where id = ${id}`;
  await changingNothing(id, sweepStaleAll, []);
  await sql`select app.sweep_history(1000)`;
  const [kept] = await sql`select history_from from organizations where id = ${id}`;
  expect(kept).toEqual({ history_from: null });
  await resume(id);
  await sweepStaleAll();
  const [row] = await sql`
    select is_stale from hosts where organization_id = ${id} and id = ${host}`;
  expect(row).toEqual({ is_stale: true });
});
