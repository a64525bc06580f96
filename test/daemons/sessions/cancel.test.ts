import { describe, expect, test } from "vitest";
import { openApi } from "../../helpers/api.ts";
import { mintDaemon, mintOrganization } from "../../helpers/organization.ts";
import { recordIn } from "../../helpers/records.ts";
import { changingNothing } from "../../helpers/rows.ts";
import { inPhase, mintSession, sessionRow } from "../../helpers/sessions.ts";

type Values = Parameters<typeof mintSession>[3];

async function arrange(values: Values) {
  const organization = await mintOrganization();
  const [{ id: network }] = organization.networks;
  const daemon = await mintDaemon(organization.id, network);
  const id = await mintSession(organization.id, network, daemon, values);
  const cancel = () =>
    openApi().send("POST", `/api/v1/discovery/sessions/${id}/cancel`, {
      key: organization.keys.member,
    });
  return { organization, id, cancel };
}

test("cancels a queued scan at once", async () => {
  const { id, cancel } = await arrange({});
  const session = recordIn(await cancel());
  const row = await sessionRow(id);
  expect(session).toMatchObject({
    phase: "Cancelled",
    finished_at: row.finished_at,
    cancel_requested_at: row.finished_at,
  });
  expect(row.finished_at).not.toBeNull();
});

describe.each(["Pending", "Starting", "Started", "Scanning"] as const)("in phase %s", (phase) => {
  test("a cancelled scan keeps its phase until its daemon is notified, and repeated requests change nothing", async () => {
    const { organization, cancel } = await arrange(inPhase(phase));
    const session = recordIn(await cancel());
    expect(session).toMatchObject({
      phase,
      finished_at: null,
      cancel_requested_at: expect.any(String),
    });
    expect(recordIn(await changingNothing(organization.id, cancel))).toEqual(session);
  });
});

test.each(["Complete", "Failed", "Cancelled"] as const)(
  "a scan in phase %s cannot be cancelled",
  async (phase) => {
    const { organization, id, cancel } = await arrange(inPhase(phase));
    expect(await changingNothing(organization.id, cancel)).toMatchObject({
      status: 409,
      body: { code: "scan_ended", params: { id, phase } },
    });
  },
);
