import { computed, signal } from "@preact/signals";
import { type Host, hosts, read } from "../api.ts";
import { resource } from "../resource.ts";
import { session } from "../session.ts";
import { place, revision } from "../state.ts";

export const pageSize = 200;

/** Maximum number of pages that are kept. */
const keptPages = 25;

interface List {
  session: number;
  network: string | undefined;
  q: string | undefined;
  at: string | undefined;
  revision: number;
}

interface Args extends List {
  first: number;
  last: number;
}

export interface Pages {
  total: number;
  pages: ReadonlyMap<number, Host[]>;
}

/** The pages in view. */
export const wanted = signal({ first: 0, last: 0 });

let kept: { list: string; pages: Map<number, Host[]>; total: number } | undefined;

export const queryOf = ({ network, q, at }: Omit<List, "session" | "revision">) => ({
  ...(network && { network_id: network }),
  ...(q && { q }),
  ...(at && { at }),
});

/** The hosts in view, sorted by name. */
export const hostPages = resource<Args, Pages>(
  () => {
    const { network, q, at, view } = place.value;
    return session.value === undefined || view !== "hosts"
      ? undefined
      : { session: session.value, network, q, at, revision: revision.value, ...wanted.value };
  },
  async ({ first, last, ...of }, abort) => {
    const list = JSON.stringify(of);
    if (kept?.list !== list) {
      kept = { list, pages: new Map(), total: 0 };
    }
    const into = kept;
    const missing = [...new Set([first, last])].filter((page) => !into.pages.has(page));
    await Promise.all(
      missing.map(async (page) => {
        const query = {
          ...queryOf(of),
          order_by: "name",
          limit: String(pageSize),
          offset: String(page * pageSize),
        } as const;
        const { data, meta } = await read(hosts.$get({ query }, { init: { signal: abort } }));
        into.pages.set(page, data);
        into.total = meta.pagination.total_count;
      }),
    );
    for (const page of into.pages.keys()) {
      if (into.pages.size > keptPages && (page < first || page > last)) {
        into.pages.delete(page);
      }
    }
    return { total: into.total, pages: new Map(into.pages) };
  },
);

/** The number of hosts in the list. */
export const total = computed(() => hostPages.loaded.value?.data.total);

/** A host's live id, which is the same at every instant. */
export const liveId = ({ id, lineage_id }: { id: string; lineage_id: string | null }) =>
  lineage_id ?? id;
