import { computed, effect } from "@preact/signals";
import { diff, type HostDifference, read } from "../api.ts";
import { type Compared, compared, comparison } from "../changes/comparison.ts";
import { day, minute } from "../dates.ts";
import { hostsOnPart, mapTotal, matches } from "../map/graph.ts";
import { resource } from "../resource.ts";
import { announcement, place } from "../state.ts";
import { histogram } from "../time/histogram.ts";
import { hostPages, total } from "./pages.ts";

/** Maximum number of hosts that are marked. */
const limit = 1000;

interface Marks {
  hosts: Map<string, HostDifference>;
  total: number;
}

/** The hosts that differ between the two instants. */
export const marks = resource<Compared, Marks>(compared, async ({ from, to, network }, abort) => {
  const query = {
    by: "host",
    from,
    ...(to && { to }),
    ...(network && { network_id: network }),
    limit: String(limit),
  } as const;
  const { data, meta } = await read(diff.$get({ query }, { init: { signal: abort } }));
  return {
    hosts: new Map(data.items.flatMap((item) => ("entity" in item ? [] : [[item.host_id, item]]))),
    total: meta.pagination.total_count,
  };
});

/** `now`, or the date of the instant with which the page is compared. */
export const comparedWith = computed(() => {
  const { with: other } = place.value;
  return other === undefined ? "now" : minute(other);
});

/**
 * The number of hosts that differ, if the map is limited to a subnet, a VLAN or the surroundings of
 * a host.
 */
const differing = computed(() => {
  const found = marks.loaded.value?.data;
  return found && hostsOnPart.value?.filter((id) => found.hosts.has(id)).length;
});

const plural = (amount: number, one: string, several: string) =>
  `${amount.toLocaleString("en")} ${amount === 1 ? one : several}`;

/**
 * `12 hosts, 6 differ from now`; if the page shows the current state, the date of the last change
 * replaces the differences.
 */
export const summary = computed(() => {
  const { at } = place.value;
  const hosts = total.value ?? mapTotal.value;
  if ((hostPages.loaded.value?.args.q ?? matches.loaded.value?.args.q) !== undefined) {
    return hosts === undefined ? "" : plural(hosts, "host matches", "hosts match");
  }
  const parts = hosts === undefined ? [] : [plural(hosts, "host", "hosts")];
  const found = marks.loaded.value?.data;
  const last = histogram.loaded.value?.data.buckets.at(-1)?.last_at;
  if (at !== undefined && found !== undefined) {
    const [one, several] =
      hosts === undefined ? ["host differs", "hosts differ"] : ["differs", "differ"];
    parts.push(
      `${plural(differing.value ?? found.total, one, several)} from ${comparedWith.value}`,
    );
  } else if (at === undefined && last !== undefined) {
    parts.push(`last change ${day(last)}`);
  }
  return parts.join(", ");
});

/** The time without changes after which the page announces its content, in milliseconds. */
const restMs = 700;
let timer: ReturnType<typeof setTimeout> | undefined;
effect(() => {
  const { at, view } = place.value;
  const text = view === "compare" ? comparison.value : summary.value;
  clearTimeout(timer);
  if (text !== "") {
    timer = setTimeout(() => {
      announcement.value =
        view === "compare" ? text : `${at === undefined ? "Now" : minute(at)}: ${text}`;
    }, restMs);
  }
});
