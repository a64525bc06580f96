import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nextRun } from "../../src/daemons/schedule.ts";
import { openApi } from "../helpers/api.ts";
import { daemonRow } from "../helpers/daemons.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, mintOrganization, type Organization } from "../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../helpers/poller.ts";
import { recordIn } from "../helpers/records.ts";
import { inPhase, mintSession } from "../helpers/sessions.ts";

describe("the next run of a schedule", () => {
  const times = (cron: string, timezone: string, after: string, count: number) => {
    const runs: string[] = [];
    let last = new Date(after);
    for (let run = 0; run < count; run++) {
      const next = nextRun({ cron, timezone }, last);
      if (!next) {
        break;
      }
      runs.push(next.toISOString());
      last = next;
    }
    return runs;
  };

  test.each([
    ["30 2 * * *", "UTC", "2026-03-28T02:30:00Z", ["2026-03-29T02:30:00.000Z"]],
    // The clocks go forward at 2:00 on 29 March: 2:30 does not exist, so the run is at 3:00.
    [
      "30 2 * * *",
      "Europe/Berlin",
      "2026-03-28T00:00:00Z",
      ["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"],
    ],
    // The clocks go back at 3:00 on 25 October: 2:30 occurs twice, but there is only one run.
    [
      "30 2 * * *",
      "Europe/Berlin",
      "2026-10-24T12:00:00Z",
      ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"],
    ],
    [
      "0 * * * *",
      "Europe/Berlin",
      "2026-10-24T23:30:00Z",
      ["2026-10-25T00:00:00.000Z", "2026-10-25T01:00:00.000Z", "2026-10-25T02:00:00.000Z"],
    ],
    // Runs on the 13th of each month, and on every Friday.
    [
      "0 0 13 * fri",
      "UTC",
      "2026-10-10T00:00:00Z",
      ["2026-10-13T00:00:00.000Z", "2026-10-16T00:00:00.000Z"],
    ],
    ["0 0 29 2 *", "UTC", "2026-03-01T00:00:00Z", ["2028-02-29T00:00:00.000Z"]],
    ["0 0 30 2 *", "UTC", "2026-03-01T00:00:00Z", []],
  ])("of %s in %s after %s", (cron, timezone, after, expected) => {
    expect(times(cron, timezone, after, Math.max(1, expected.length))).toEqual(expected);
  });
});

describe("provisioning a daemon", () => {
  async function provision(scan_schedule: unknown) {
    const { keys, networks } = await mintOrganization();
    const answer = await openApi().send("POST", "/api/v1/daemons/provision", {
      key: keys.member,
      json: {
        name: "cellar",
        network_id: networks[0].id,
        url: "https://daemon.example.com",
        scan_schedule,
      },
    });
    return { answer, key: keys.member };
  }

  test.each([
    [{ cron: "30 2 * * 1-5" }, { cron: "30 2 * * 1-5", timezone: "UTC", is_full_scan: null }],
    [
      { cron: " 0 0 1,15 JAN-mar */2 ", timezone: "America/New_York", is_full_scan: true },
      { cron: "0 0 1,15 JAN-mar */2", timezone: "America/New_York", is_full_scan: true },
    ],
    [null, null],
    [undefined, null],
  ])("stores the schedule %j", async (sent, kept) => {
    const { answer } = await provision(sent);
    expect(answer).toMatchObject({
      status: 201,
      body: { data: { daemon: { scan_schedule: kept } } },
    });
  });

  test.each([
    [{ cron: "* * * *" }, "cron"],
    [{ cron: "0 0 * * * *" }, "cron"],
    [{ cron: "@daily" }, "cron"],
    [{ cron: "60 * * * *" }, "cron"],
    [{ cron: "0 0 L * *" }, "cron"],
    [{ cron: "0 0 * * 1#2" }, "cron"],
    [{ cron: "*/0 * * * *" }, "cron"],
    [{ cron: "0 0 30 2 *" }, "cron"],
    [{ cron: `${"1,".repeat(50)}1 * * * *` }, "cron"],
    [{ cron: "0 0 * * *", timezone: "Mars/Base" }, "timezone"],
    [{ cron: "0 0 * * *", timezone: "+02:00" }, "timezone"],
    [{ cron: "0 0 * * *", timezone: "" }, "timezone"],
    [{ timezone: "UTC" }, "cron"],
    [{ cron: "0 0 * * *", is_full_scan: 1 }, "is_full_scan"],
  ])("rejects the schedule %j", async (sent, field) => {
    const { answer } = await provision(sent);
    expect(answer).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: `body.scan_schedule.${field}` }] } },
    });
  });

  test("PUT replaces or clears the schedule, and keeps the next run if the schedule's times stay the same", async () => {
    const { answer, key } = await provision({ cron: "30 2 * * *" });
    const { daemon } = Object(Object(answer.body).data);
    const due = "2026-01-02T03:04:00.000Z";
    await sql`update daemons set next_scan_at = ${due} where id = ${daemon.id}`;
    const put = async (changes: object) =>
      recordIn(
        await openApi().send("PUT", `/api/v1/daemons/${daemon.id}`, {
          key,
          json: { ...daemon, ...changes },
        }),
      );
    expect(await put({ name: "attic" })).toMatchObject({ scan_schedule: daemon.scan_schedule });
    expect(await daemonRow(daemon.id)).toMatchObject({ next_scan_at: due });
    const full = { ...daemon.scan_schedule, is_full_scan: true };
    expect(await put({ scan_schedule: full })).toMatchObject({ scan_schedule: full });
    expect(await daemonRow(daemon.id)).toMatchObject({ next_scan_at: due });
    await put({ scan_schedule: { cron: "30 2 * * *", timezone: "Asia/Tokyo" } });
    const { next_scan_at } = await daemonRow(daemon.id);
    expect(next_scan_at).toMatch(/T17:30:00.000Z$/);
    expect(Date.parse(next_scan_at ?? "")).toBeGreaterThan(Date.now());
    expect(await put({ scan_schedule: null })).toMatchObject({ scan_schedule: null });
    expect(await daemonRow(daemon.id)).toMatchObject({ next_scan_at: null, schedule_cron: null });
  });
});

describe("a cycle", () => {
  let variables: Record<string, string>;
  let organization: Organization;

  beforeAll(async () => {
    variables = await openFreshDatabase();
  }, 60_000);

  beforeEach(async () => {
    await sql`delete from organizations`;
    organization = await mintOrganization();
  });

  const schedule = { schedule_cron: "0 3 * * *", schedule_timezone: "UTC" };
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  const mint = (values: Parameters<typeof mintDaemon>[2] = {}) =>
    mintDaemon(organization.id, organization.networks[0].id, {
      ...schedule,
      next_scan_at: yesterday,
      next_poll_at: "2099-01-01T00:00:00.000Z",
      ...values,
    });
  const sessions = (daemon: string) => sql`
    select phase, is_scheduled from discovery_sessions where daemon_id = ${daemon} order by created_at`;

  test("starts one scan for a schedule that is due, however many runs were missed", async () => {
    const id = await mint({ schedule_cron: "* * * * *" });
    const later = await mint({ next_scan_at: "2099-01-01T00:00:00.000Z" });
    const poller = openPoller(variables);
    await poller.cycle();
    expect(await sessions(id)).toEqual([{ phase: "Queued", is_scheduled: true }]);
    expect(await sessions(later)).toEqual([]);
    const { next_scan_at } = await daemonRow(id);
    expect(Date.parse(next_scan_at ?? "") - Date.now()).toBeLessThanOrEqual(60_000);
    await poller.cycle();
    expect(await sessions(id)).toHaveLength(1);
  });

  test.each([true, false, null])(
    "starts a scan with the schedule's is_full_scan: %j",
    async (schedule_is_full_scan) => {
      const id = await mint({ schedule_is_full_scan });
      await openPoller(variables).cycle();
      expect(
        await sql`select is_full_scan from discovery_sessions where daemon_id = ${id}`,
      ).toEqual([{ is_full_scan: schedule_is_full_scan }]);
    },
  );

  test("does not start a second scan while a scheduled one is waiting, and starts scheduled scans regardless of how many scans have been requested", async () => {
    const waits = await mint();
    await mintSession(organization.id, organization.networks[0].id, waits, { is_scheduled: true });
    const full = await mint();
    for (let number = 0; number < 10; number++) {
      await mintSession(organization.id, organization.networks[0].id, full);
    }
    const runs = await mint();
    await mintSession(organization.id, organization.networks[0].id, runs, {
      ...inPhase("Scanning"),
      is_scheduled: true,
    });
    await openPoller(variables).cycle();
    expect(await sessions(waits)).toHaveLength(1);
    expect(await sessions(full)).toHaveLength(11);
    expect(await sessions(runs)).toHaveLength(2);
    expect(Date.parse((await daemonRow(full)).next_scan_at ?? "")).toBeGreaterThan(Date.now());
  });

  test("concurrent cycles start each scan only once", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => mint()));
    const pollers = Array.from({ length: 4 }, () => openPoller(variables));
    await Promise.all(pollers.map((poller) => poller.cycle()));
    expect(
      await sql`select count(*)::int, count(distinct daemon_id)::int as daemons from discovery_sessions`,
    ).toEqual([{ count: ids.length, daemons: ids.length }]);
  });

  test("an invalid schedule does not stop other schedules, and is cleared", async () => {
    const bad = await mint({ schedule_timezone: "Mars/Base" });
    const good = await mint();
    await openPoller(variables).cycle();
    expect(await sessions(good)).toHaveLength(1);
    expect(await daemonRow(bad)).toMatchObject({ next_scan_at: null });
  });

  test("fails stalled scans, and deletes scans that ended 90 days ago", async () => {
    const id = await mint({ next_scan_at: null });
    const network = organization.networks[0].id;
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    const day = 86_400;
    await mintSession(organization.id, network, id, {
      ...inPhase("Complete"),
      finished_at: ago(90 * day + 60),
    });
    const kept = await mintSession(organization.id, network, id, {
      ...inPhase("Complete"),
      finished_at: ago(90 * day - 60),
    });
    const stalled = await mintSession(organization.id, network, id, {
      ...inPhase("Started"),
      moved_at: ago(301),
    });
    await openPoller(variables).cycle();
    expect(await sql`select id, phase from discovery_sessions order by phase`).toEqual([
      { id: kept, phase: "Complete" },
      { id: stalled, phase: "Failed" },
    ]);
  });
});
