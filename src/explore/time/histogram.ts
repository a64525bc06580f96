import { computed } from "@preact/signals";
import { type Bucket, changes, type Histogram, read } from "../api.ts";
import { minute, day as ofDay } from "../dates.ts";
import { hostPages } from "../hosts/pages.ts";
import { resource } from "../resource.ts";
import { session } from "../session.ts";
import { place, revision } from "../state.ts";

/** Number of bars: about one for every twelve pixels. */
const bars = Math.max(40, Math.min(160, Math.floor(innerWidth / 12)));

const isListAwaited = computed(
  () =>
    place.value.view === "hosts" &&
    hostPages.loaded.value === undefined &&
    hostPages.problem.value === undefined,
);

interface Args {
  session: number;
  network: string | undefined;
  revision: number;
}

/**
 * The number of changes in each of several equal parts of the whole history. The histogram is
 * requested after the list of hosts, since that list is faster.
 */
export const histogram = resource<Args, Histogram>(
  () =>
    session.value === undefined || isListAwaited.value
      ? undefined
      : { session: session.value, network: place.value.network, revision: revision.value },
  async ({ network }, abort) => {
    const query = { buckets: String(bars), ...(network && { network_id: network }) };
    return (await read(changes.histogram.$get({ query }, { init: { signal: abort } }))).data;
  },
);

/** The number of changes to the open host in the same parts. */
export const hostHistogram = resource<
  { session: number; host: string; from: string; to: string },
  Histogram
>(
  () => {
    const whole = histogram.loaded.value?.data;
    const { host } = place.value;
    return session.value === undefined || whole === undefined || host === undefined
      ? undefined
      : { session: session.value, host, from: whole.from, to: whole.to };
  },
  async ({ host, from, to }, abort) => {
    const query = { buckets: String(bars), host_id: host, from, to };
    return (await read(changes.histogram.$get({ query }, { init: { signal: abort } }))).data;
  },
);

/**
 * The number of changes in a part, or of its transactions if there are too many changes to count.
 */
export const countOf = ({ begun, changed, ended, transactions }: Bucket) =>
  begun === null ? transactions : begun + (changed ?? 0) + (ended ?? 0);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * The positions of the slider: whole days, hours or minutes in UTC; the last one is the current
 * time.
 */
export interface Scale {
  start: number;
  end: number;
  unit: number;
  last: number;
}

export const scale = computed<Scale | undefined>(() => {
  const whole = histogram.loaded.value?.data;
  if (whole === undefined) {
    return undefined;
  }
  const from = Date.parse(whole.from);
  const end = Math.max(Date.parse(whole.to), from + minuteMs);
  const span = end - from;
  const unit = span > 90 * dayMs ? dayMs : span > 4 * dayMs ? hourMs : minuteMs;
  const start = Math.floor(from / unit) * unit;
  return { start, end, unit, last: Math.ceil((end - start) / unit) };
});

/** The position of an instant, between 0 and 1. */
export const fractionOf = ({ start, end }: Scale, time: number) =>
  Math.max(0, Math.min(1, (time - start) / (end - start)));

export const positionOf = ({ start, unit, last }: Scale, at: string | undefined) =>
  at === undefined
    ? last
    : Math.max(0, Math.min(last - 1, Math.round((Date.parse(at) - start) / unit)));

/** The time at a position; undefined for the current time. */
export const timeAt = ({ start, unit, last }: Scale, position: number) =>
  position >= last ? undefined : start + position * unit;

/** `10 May 2025, 00:00 UTC`, or `Now`. */
export const nameOf = (at: string | undefined) => (at === undefined ? "Now" : minute(at));

/**
 * Describes the part of the history that contains an instant: `8 May 2025 – 22 May 2025: 3 new`.
 */
export function describePart(whole: Histogram, time: number): string {
  const from = Date.parse(whole.from);
  const index = Math.floor((time - from) / whole.interval_ms);
  const start = from + index * whole.interval_ms;
  const bucket = whole.buckets.find(({ at }) => Math.abs(Date.parse(at) - start) < 1000);
  const counts = [
    [whole.is_estimate ? (bucket?.transactions ?? 0) : 0, "transactions or more"],
    [bucket?.begun ?? 0, "new"],
    [bucket?.changed ?? 0, "changed"],
    [bucket?.ended ?? 0, "gone"],
  ] as const;
  const changed =
    counts
      .filter(([count]) => count > 0)
      .map(([count, name]) => `${count.toLocaleString("en")} ${name}`)
      .join(", ") || "no changes";
  const isLong = whole.interval_ms > dayMs;
  const name = isLong ? ofDay : minute;
  return `${name(start)} – ${name(start + whole.interval_ms)}: ${changed}`;
}

/** Finds the instant of the change before or after an instant. */
export async function findChange(
  at: string | undefined,
  direction: "previous" | "next",
  network: string | undefined,
): Promise<string | undefined> {
  const inNetwork = network && { network_id: network };
  if (direction === "next") {
    if (at === undefined) {
      return undefined;
    }
    const query = { since: at, limit: "1", ...inNetwork };
    return (await read(changes.$get({ query }))).data[0]?.at;
  }
  const before = at === undefined ? undefined : new Date(Date.parse(at) - 1).toISOString();
  const earlier = histogram.loaded
    .peek()
    ?.data.buckets.findLast(
      (bucket) => before === undefined || Date.parse(bucket.first_at) <= Date.parse(before),
    );
  if (earlier === undefined) {
    return undefined;
  }
  if (before === undefined || Date.parse(earlier.last_at) <= Date.parse(before)) {
    return earlier.last_at;
  }
  const query = { from: earlier.at, to: before, buckets: "1", ...inNetwork };
  return (await read(changes.histogram.$get({ query }))).data.buckets.at(-1)?.last_at;
}
