import { describe, expect, test } from "vitest";
import { finalPhases, runningPhases, sessionPhases } from "../../src/database/tables/index.ts";
import { refusalOf, sql } from "../helpers/database.ts";
import { mintDaemon, mintOrganization } from "../helpers/organization.ts";
import { inPhase, mintSession } from "../helpers/sessions.ts";

async function mintIn(phase: (typeof sessionPhases)[number]) {
  const { id: organization, networks } = await mintOrganization();
  const daemon = await mintDaemon(organization, networks[0].id);
  const mint = (
    values: Parameters<typeof mintSession>[3] = inPhase(phase),
    network = networks[0].id,
  ) => mintSession(organization, network, daemon, values);
  return { organization, networks, mint, id: await mint() };
}

const moveTo = (id: string, phase: string) => sql`
  update discovery_sessions set phase = ${phase}, error = case ${phase} when 'Failed' then 'stalled' end,
    started_at = coalesce(started_at, now()), moved_at = now(),
    finished_at = case when ${phase} = any (${[...finalPhases]}::text[]) then now() end
  where id = ${id}`;

describe.each(sessionPhases)("a scan in the phase %s", (from) => {
  test.each(sessionPhases)("can move to %s only if that phase is not earlier", async (to) => {
    const { id } = await mintIn(from);
    const ahead = sessionPhases.indexOf(to) >= sessionPhases.indexOf(from);
    if (ahead && !finalPhases.some((phase) => phase === from)) {
      await moveTo(id, to);
    } else {
      expect(await refusalOf(moveTo(id, to))).toMatchObject({ code: "23001" });
    }
  });
});

test.each(runningPhases)(
  "a daemon can have at most one running scan, and any number of waiting scans: %s",
  async (phase) => {
    const { mint } = await mintIn("Scanning");
    await mint({});
    expect(await refusalOf(mint(inPhase(phase)))).toMatchObject({
      code: "23505",
      constraint: "discovery_sessions_one_runs",
    });
  },
);

test("a scan must be on its daemon's network", async () => {
  const { mint, networks } = await mintIn("Queued");
  expect(await refusalOf(mint({}, networks[1].id))).toMatchObject({
    constraint: "discovery_sessions_daemon_fk",
  });
});

test.each([
  { progress: 101 },
  { progress: -1 },
  { hosts_discovered: -1 },
  { subnet_ids: [] },
  { phase: "Waiting" },
  { phase: "Failed", finished_at: "2026-01-02T03:04:05.678Z" },
  { error: "stalled" },
  { phase: "Pending" },
  { phase: "Complete" },
  { finished_at: "2026-01-02T03:04:05.678Z" },
  { settled_at: "2026-01-02T03:04:05.678Z" },
])("rejects a scan with %j", async (values) => {
  const { organization, networks } = await mintIn("Queued");
  const daemon = await mintDaemon(organization, networks[0].id);
  const row = {
    organization_id: organization,
    network_id: networks[0].id,
    daemon_id: daemon,
    ...values,
  };
  const insert = sql`
    insert into discovery_sessions (organization_id, network_id, daemon_id, phase, progress, hosts_discovered,
      subnet_ids, error, finished_at, settled_at)
    select sent.organization_id, sent.network_id, sent.daemon_id, coalesce(sent.phase, 'Queued'),
      coalesce(sent.progress, 0), sent.hosts_discovered, sent.subnet_ids, sent.error, sent.finished_at,
      sent.settled_at
    from jsonb_populate_record(null::discovery_sessions, ${JSON.stringify(row)}::jsonb) as sent`;
  expect(await refusalOf(insert)).toMatchObject({ code: "23514" });
});

test("the first completed scan reaches a milestone", async () => {
  const { organization, id } = await mintIn("Scanning");
  await moveTo(id, "Complete");
  expect(await sql`select onboarding from organizations where id = ${organization}`).toMatchObject([
    { onboarding: expect.arrayContaining(["FirstDiscoveryCompleted"]) },
  ]);
});
