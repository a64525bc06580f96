import { expect, test } from "vitest";
import * as z from "zod";
import { sessionPhases } from "../../../src/database/tables/index.ts";
import { openApi } from "../../helpers/api.ts";
import { mintDaemon, mintOrganization } from "../../helpers/organization.ts";
import { inPhase, mintSession } from "../../helpers/sessions.ts";

const listed = z.object({ data: z.array(z.object({ id: z.string() })) });

test("scans can be filtered by daemon, network and phase, and sorted by phase", async () => {
  const organization = await mintOrganization();
  const [first, second] = organization.networks;
  const daemon = await mintDaemon(organization.id, first.id);
  const other = await mintDaemon(organization.id, second.id);
  const phases = sessionPhases.filter(
    (phase) => !["Starting", "Started", "Scanning"].includes(phase),
  );
  const sessions = await Promise.all(
    phases.map((phase) => mintSession(organization.id, first.id, daemon, inPhase(phase))),
  );
  const elsewhere = await mintSession(organization.id, second.id, other);
  const find = async (query: string) => {
    const answer = await openApi().send("GET", `/api/v1/discovery/sessions?${query}`, {
      key: organization.keys.viewer,
    });
    return listed.parse(answer.body).data.map(({ id }) => id);
  };
  expect(await find(`daemon_id=${daemon}&order_by=phase`)).toEqual(sessions);
  expect(await find(`network_id=${second.id}`)).toEqual([elsewhere]);
  expect(await find(`daemon_id=${daemon}&phase=Failed`)).toEqual([
    sessions[phases.indexOf("Failed")],
  ]);
  expect(await find(`daemon_id=${daemon}&network_id=${second.id}`)).toEqual([]);
  expect((await find("limit=0")).toSorted()).toEqual([...sessions, elsewhere].toSorted());
});
