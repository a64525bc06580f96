import type { Fault } from "../fault.ts";
import type { Host, State } from "../state.ts";

const hourMs = 3_600_000;

/** The number of hours between a host's last sighting and the instant of the state. */
const unseenHours = ({ at }: State, { last_seen_at }: Host) =>
  (Date.parse(at) - Date.parse(last_seen_at)) / hourMs;

const faultOf = (state: State, check: string, host: Host): Fault => ({
  check,
  where: `hosts/${host.id}`,
  difference: {
    is_stale: host.is_stale,
    last_seen_at: host.last_seen_at,
    at: state.at,
    network: state.others.networks.find(({ id }) => id === host.network_id),
  },
});

/** A host that was seen within the last hour is not stale on any network. */
export const judgeStale = (state: State): Fault[] =>
  state.inventory.hosts
    .filter((host) => host.is_stale && unseenHours(state, host) < 1)
    .map((host) => faultOf(state, "a host that was just seen is stale", host));

/**
 * Checks `is_stale` on every host. The job must have run to completion, with no writes since then.
 */
export const judgeSwept = (state: State): Fault[] =>
  state.inventory.hosts
    .filter((host) => {
      const network = state.others.networks.find(({ id }) => id === host.network_id);
      const hours = network?.stale_after_hours ?? null;
      return host.is_stale !== (hours !== null && unseenHours(state, host) > hours);
    })
    .map((host) => faultOf(state, "the job left a wrong is_stale", host));
