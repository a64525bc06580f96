import type { Fault } from "../fault.ts";
import type { Host, State } from "../shown.ts";

const hourMs = 3_600_000;

/** How many hours before the state a host was last seen. */
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

/** A host that was seen within the hour is stale on no network, whoever saw it. */
export const judgeStale = (state: State): Fault[] =>
  state.inventory.hosts
    .filter((host) => host.is_stale && unseenHours(state, host) < 1)
    .map((host) => faultOf(state, "a host that was just seen is stale", host));

/** What holds once the job has looked at all hosts and nobody has written since. */
export const judgeSwept = (state: State): Fault[] =>
  state.inventory.hosts
    .filter((host) => {
      const network = state.others.networks.find(({ id }) => id === host.network_id);
      const hours = network?.stale_after_hours ?? null;
      return host.is_stale !== (hours !== null && unseenHours(state, host) > hours);
    })
    .map((host) => faultOf(state, "the job has not judged a host", host));
