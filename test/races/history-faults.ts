import { followChanges } from "../changes/helpers.ts";
import { historyOf } from "../changes/history.ts";
import { keyOf } from "../changes/history-query.ts";
import { replay } from "../changes/replay.ts";
import { sql } from "../helpers/database.ts";
import { liveState, orphansOf } from "../helpers/inventory-state.ts";
import type { Owners } from "../helpers/own-data.ts";

/**
 * The faults in an organization's history: changes must be those of its versions, each must start
 * from the state that the previous ones left, and all of them must lead to the live records.
 */
export async function historyFaults(
  { send }: Pick<Owners, "send">,
  organizationId: string,
): Promise<string[]> {
  const { changes } = await followChanges((path) => send("GET", path), {
    include: "records",
    limit: "1000",
  });
  const history = await historyOf(organizationId);
  const { state, misfits } = replay(new Map(), changes);
  const live = await liveState(organizationId);
  const replayed = [...state.keys()].map((path) => path.split("/")[1]).sort();
  const overlaps = await sql`
    select one.external_id from hosts as one
    join hosts as other on other.organization_id = one.organization_id
      and other.external_id = one.external_id and other.live_id > one.live_id
      and tstzrange(other.valid_from, other.valid_to) && tstzrange(one.valid_from, one.valid_to)
    where one.organization_id = ${organizationId}`;
  return [
    ...(changes.map(keyOf).join() === history.join() ? [] : ["changes differ from the versions"]),
    ...misfits.map(({ change }) => `a change from another state: ${keyOf(change)}`),
    ...(replayed.join() ===
    live
      .map(({ live_id }) => live_id)
      .sort()
      .join()
      ? []
      : ["changes lead to other records"]),
    ...orphansOf(live).map(() => "an orphan"),
    ...overlaps.map(({ external_id }) => `two hosts with the external id ${external_id}`),
  ];
}
