import { type Bucket, type Change, changes, type Histogram, read } from "../api.ts";
import { resource } from "../resource.ts";
import { session } from "../session.ts";
import { place, range, revision } from "../state.ts";
import { countOf, histogram } from "../time/histogram.ts";

/** The minimum and maximum number of changes that one step should read. */
const fewest = 60;
const most = 500;
/** Maximum number of times that a part with too many changes is divided. */
const deepest = 5;
const parts = 100;

export interface Window {
  /** Newest first. */
  changes: Change[];
  /** The instant up to which older changes remain, or undefined if there are none. */
  until: string | undefined;
  /** The number of changes that are not shown, in the oldest part, because it has too many. */
  omitted: number;
}

interface Args {
  session: number;
  network: string | undefined;
  from: string | undefined;
  to: string;
}

/** Takes the newest parts that together have enough changes. */
function newestParts({ buckets }: Histogram, { from, to }: Pick<Args, "from" | "to">) {
  const before = Date.parse(to);
  const after = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
  const taken: Bucket[] = [];
  let count = 0;
  for (const bucket of buckets.toReversed()) {
    if (Date.parse(bucket.first_at) > before) {
      continue;
    }
    if (Date.parse(bucket.last_at) <= after || count >= fewest) {
      break;
    }
    if (count > 0 && count + countOf(bucket) > most) {
      break;
    }
    taken.push(bucket);
    count += countOf(bucket);
  }
  return { taken, count };
}

async function readHistogram(
  { network }: Pick<Args, "network">,
  from: string,
  to: string,
  abort: AbortSignal | undefined,
): Promise<Histogram> {
  const query = { from, to, buckets: String(parts), ...(network && { network_id: network }) };
  return (await read(changes.histogram.$get({ query }, abort && { init: { signal: abort } }))).data;
}

/**
 * Reads the newest changes in an interval. The feed lists the oldest first, so the histogram
 * determines where to begin.
 */
export async function readWindow(args: Args, abort?: AbortSignal): Promise<Window> {
  const all = histogram.loaded.peek()?.data;
  let whole = all;
  if (all === undefined || whole === undefined) {
    return { changes: [], until: undefined, omitted: 0 };
  }
  let { taken, count } = newestParts(whole, args);
  for (let depth = 0; taken.length === 1 && count > most && depth < deepest; depth++) {
    const [only] = taken;
    if (only === undefined || only.first_at === only.last_at) {
      break;
    }
    const end = Date.parse(only.at) + whole.interval_ms;
    const to = new Date(Math.min(end, Date.parse(args.to))).toISOString();
    whole = await readHistogram(args, only.at, to, abort);
    ({ taken, count } = newestParts(whole, args));
  }
  const oldest = taken.at(-1);
  if (oldest === undefined) {
    return { changes: [], until: undefined, omitted: 0 };
  }
  const since =
    args.from !== undefined && Date.parse(args.from) > Date.parse(oldest.at)
      ? args.from
      : oldest.at;
  const query = {
    since,
    until: args.to,
    limit: "1000",
    ...(args.network && { network_id: args.network }),
  };
  const { data, meta } = await read(changes.$get({ query }, abort && { init: { signal: abort } }));
  const isOlder = ({ first_at }: Bucket) => Date.parse(first_at) <= Date.parse(since);
  return {
    // The changes of a transaction keep their order.
    changes: data.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at)),
    until: since !== args.from && all.buckets.some(isOlder) ? since : undefined,
    omitted: meta.has_more ? Math.max(0, count - data.length) : 0,
  };
}

/** The newest changes up to the instant, or between the two instants. */
export const feed = resource<Args & { revision: number }, Window>(
  () => {
    const { view, network } = place.value;
    const whole = histogram.loaded.value?.data;
    return session.value === undefined || view !== "changes" || whole === undefined
      ? undefined
      : {
          session: session.value,
          network,
          from: place.value.with === undefined ? undefined : range.value?.from,
          to:
            (place.value.with === undefined ? place.value.at : range.value?.to) ??
            new Date(Math.ceil(Date.parse(whole.to) + 1)).toISOString(),
          revision: revision.value,
        };
  },
  (args, abort) => readWindow(args, abort),
);
