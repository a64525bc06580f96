import { computed, effect, signal } from "@preact/signals";
import { hosts, Problem, read, type Topology, topology } from "../api.ts";
import { liveId } from "../hosts/pages.ts";
import { type Resource, resource } from "../resource.ts";
import { session } from "../session.ts";
import { isDragging, type Place, place, revision } from "../state.ts";
import { type Scene, sceneOf, withPlacesOf } from "./scene.ts";

/** The part of the inventory that the map shows, whatever the instant. */
type Selection = Pick<Place, "network" | "subnet" | "vlan" | "layer" | "depth"> & {
  session: number;
  /** The host whose surroundings the map shows. */
  around: string | undefined;
};

interface Args {
  selection: Selection;
  at: string | undefined;
  revision: number;
}

export const isMap = computed(() => place.value.view === "map" || place.value.view === "table");

function selected(): Selection | undefined {
  const { network, subnet, vlan, layer, depth, host } = place.value;
  if (!isMap.value || session.value === undefined) {
    return undefined;
  }
  const around = depth === undefined ? undefined : host;
  return { session: session.value, network, subnet, vlan, layer, depth, around };
}

const queryOf = (
  { network, subnet, vlan, layer, depth, around }: Selection,
  at: string | undefined,
) => ({
  ...(network && { network_id: network }),
  ...(subnet && { subnet_id: subnet }),
  ...(vlan && { vlan: String(vlan) }),
  ...(layer && { layer }),
  ...(around && { host_id: around, depth: String(depth) }),
  ...(at && { at }),
});

/** The query for the map that the URL selects. */
export function currentQuery() {
  const selection = selected();
  return selection && queryOf(selection, place.value.at);
}

/** The selections for which only the subnets can be drawn. */
const reduced = new Set<string>();

async function load({ selection, at }: Args, abort: AbortSignal): Promise<Topology> {
  const query = queryOf(selection, at);
  const init = { init: { signal: abort } };
  const name = JSON.stringify(selection);
  const canReduce = selection.layer === undefined && selection.around === undefined;
  if (!reduced.has(name)) {
    try {
      return (await read(topology.$get({ query }, init))).data;
    } catch (error) {
      if (!(error instanceof Problem && error.code === "topology_too_large" && canReduce)) {
        throw error;
      }
    }
  }
  const map = await read(topology.$get({ query: { ...query, detail: "subnets" } }, init));
  reduced.add(name);
  return map.data;
}

/** The map at the instant. */
export const current = resource<Args, Topology>(() => {
  const selection = selected();
  return selection && { selection, at: place.value.at, revision: revision.value };
}, load);

/** The map at the instant with which the page is compared: its hosts keep their places. */
const other = resource<Args, Topology>(() => {
  const selection = selected();
  const { at, with: instant } = place.value;
  return selection === undefined || at === instant
    ? undefined
    : { selection, at: instant, revision: revision.value };
}, load);

const loadedFor = (of: Resource<Args, Topology>, name: string) => {
  const loaded = of.loaded.value;
  return loaded && JSON.stringify(loaded.args.selection) === name ? loaded.data : undefined;
};

interface Drawn {
  /** The name of the selection. */
  name: string;
  scene: Scene;
  /** The scene that determines the number of columns, which is the same at every instant. */
  basis: Scene;
}

/** The scene to draw. */
export const drawn = signal<Drawn | undefined>(undefined);

effect(() => {
  const loaded = current.loaded.value;
  if (loaded === undefined) {
    drawn.value = undefined;
    return;
  }
  const name = JSON.stringify(loaded.args.selection);
  const before = drawn.peek();
  const isSame = before?.name === name && before.scene.detail === loaded.data.detail;
  const isMoving = isDragging.value || current.isLoading.value || other.isLoading.value;
  const now = sceneOf(loaded.data);
  if (isMoving && isSame) {
    drawn.value = { ...before, scene: withPlacesOf(now, before.scene, true) };
    return;
  }
  const compared = loadedFor(other, name);
  if (compared === undefined && other.isLoading.value) {
    return;
  }
  if (compared?.detail !== now.detail) {
    drawn.value = { name, scene: now, basis: now };
    return;
  }
  const basis = sceneOf(compared);
  const isSmall = basis.places.length * 2 < now.places.length;
  drawn.value = { name, scene: withPlacesOf(now, basis, false), basis: isSmall ? now : basis };
});

/** Maximum number of hosts that a search marks. */
const matchLimit = 1000;

/** The hosts that match the search. */
export const matches = resource<
  { session: number; q: string; network: string | undefined; at: string | undefined },
  ReadonlySet<string>
>(
  () => {
    const { q, network, at } = place.value;
    return session.value === undefined || !isMap.value || q === undefined
      ? undefined
      : { session: session.value, q, network, at };
  },
  async ({ q, network, at }, abort) => {
    const query = {
      q,
      ...(network && { network_id: network }),
      ...(at && { at }),
      limit: String(matchLimit),
      include_children: "false",
    } as const;
    const { data } = await read(hosts.$get({ query }, { init: { signal: abort } }));
    return new Set(data.map(liveId));
  },
);

/** The number of hosts on the map, or of those that match the search. */
export const mapTotal = computed(() => {
  if (!isMap.value) {
    return undefined;
  }
  return place.value.q === undefined
    ? current.loaded.value?.data.counts.hosts
    : matches.loaded.value?.data.size;
});

/** The hosts on the map, if it is limited to a subnet, a VLAN or the surroundings of a host. */
export const hostsOnPart = computed(() => {
  const loaded = current.loaded.value;
  if (loaded === undefined) {
    return undefined;
  }
  const { subnet, vlan, around } = loaded.args.selection;
  if (!(subnet ?? vlan ?? around)) {
    return undefined;
  }
  return loaded.data.nodes.flatMap(({ type, record }) => (type === "Host" ? [record.id] : []));
});
