import { computed } from "@preact/signals";
import { type Difference, diff, read } from "../api.ts";
import { resource } from "../resource.ts";
import { session } from "../session.ts";
import { place, range, revision } from "../state.ts";

/** Maximum number of differences that one request reads. */
const limit = 1000;

export interface Differences {
  items: Difference[];
  total: number;
  counts: { added: number; removed: number; changed: number; returned: number };
}

/** A comparison, and the revision of the inventory that it reads. */
export interface Compared {
  session: number;
  from: string;
  to: string | undefined;
  network: string | undefined;
  revision: number;
}

/** The comparison that the URL selects; undefined if there is none, or if there is no key. */
export const compared = (): Compared | undefined =>
  session.value === undefined || range.value === null
    ? undefined
    : {
        session: session.value,
        ...range.value,
        network: place.value.network,
        revision: revision.value,
      };

async function readDifferences(
  { from, to, network }: Pick<Compared, "from" | "to"> & { network?: string | undefined },
  host: string | undefined,
  abort?: AbortSignal,
): Promise<Differences> {
  const query = {
    from,
    ...(to && { to }),
    ...(network && { network_id: network }),
    ...(host && { host_id: host }),
    limit: String(limit),
  };
  const { data, meta } = await read(diff.$get({ query }, abort && { init: { signal: abort } }));
  const counts = { added: 0, removed: 0, changed: 0, returned: 0 };
  for (const ofKind of Object.values(data.counts)) {
    counts.added += ofKind.added;
    counts.removed += ofKind.removed;
    counts.changed += ofKind.changed;
    counts.returned += ofKind.returned;
  }
  const items = data.items.flatMap((item) => ("entity" in item ? [item] : []));
  return { items, total: meta.pagination.total_count, counts };
}

/** The first differences between the two instants, while the page compares them. */
export const differences = resource<Compared, Differences>(
  () => (place.value.view === "compare" ? compared() : undefined),
  (args, abort) => readDifferences(args, undefined, abort),
);

/** The differences of the open host. */
export const hostDifferences = resource<Compared & { host: string }, Differences>(
  () => {
    const between = compared();
    const { host } = place.value;
    return between && host !== undefined ? { ...between, network: undefined, host } : undefined;
  },
  (args, abort) => readDifferences(args, args.host, abort),
);

/** Reads the differences of one host in a comparison that is too long for one request. */
export async function differencesOf(host: string): Promise<Difference[]> {
  const between = range.peek();
  return between === null ? [] : (await readDifferences(between, host)).items;
}

const count = (amount: number, name: string) =>
  amount === 0 ? [] : [`${amount.toLocaleString("en")} ${name}`];

/** `16 records differ: 6 added, 4 removed, 6 changed` */
export const comparison = computed(() => {
  const found = differences.loaded.value?.data;
  if (found === undefined) {
    return "";
  }
  const { total, counts } = found;
  if (total === 0) {
    return "nothing differs";
  }
  const parts = (["added", "removed", "changed", "returned"] as const).flatMap((kind) =>
    count(counts[kind], kind),
  );
  return `${total.toLocaleString("en")} ${total === 1 ? "record differs" : "records differ"}: ${parts.join(", ")}`;
});
