import { computed, signal } from "@preact/signals";
import { toInstant } from "./dates.ts";

const views = ["hosts", "map", "table", "changes", "compare"] as const;
const layers = ["l3", "l2", "services"] as const;
const maximumDepth = 6;
export const maximumVlan = 4094;

/** The state of the page, which is kept in its URL and nowhere else. */
export interface Place {
  view: (typeof views)[number];
  network?: string | undefined;
  /** The instant that is shown; absent if it is the current time. */
  at?: string | undefined;
  /** The instant with which `at` is compared; absent if it is the current time. */
  with?: string | undefined;
  q?: string | undefined;
  host?: string | undefined;
  /** The layer of the map; absent for layer 3. */
  layer?: (typeof layers)[number] | undefined;
  /** The subnet to which the map is limited. */
  subnet?: string | undefined;
  /** The VLAN to which the map is limited. */
  vlan?: number | undefined;
  /**
   * The maximum number of edges between the host and anything on the map; absent for the whole map.
   */
  depth?: number | undefined;
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const instantOf = (text: string | null) => {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : toInstant(time);
};
/** Parses an integer between 1 and `maximum`; returns undefined for any other text. */
const numberOf = (text: string | null, maximum: number) => {
  const number = Number(text);
  return Number.isInteger(number) && number >= 1 && number <= maximum ? number : undefined;
};
const idOf = (text: string | null) => (text && uuid.test(text) ? text.toLowerCase() : undefined);

function placeOf(search: string): Place {
  const sent = new URLSearchParams(search);
  const host = idOf(sent.get("host"));
  const layer = layers.find((one) => one === sent.get("layer"));
  return {
    view: views.find((view) => view === sent.get("view")) ?? "hosts",
    network: idOf(sent.get("network")),
    at: instantOf(sent.get("at")),
    with: instantOf(sent.get("with")),
    q: sent.get("q")?.slice(0, 200) || undefined,
    host,
    layer: layer === "l3" ? undefined : layer,
    subnet: idOf(sent.get("subnet")),
    vlan: layer === "l2" ? numberOf(sent.get("vlan"), maximumVlan) : undefined,
    depth: host === undefined ? undefined : numberOf(sent.get("depth"), maximumDepth),
  };
}

export const place = signal(placeOf(location.search));

/** The URL of this page with part of its state changed. */
export function hrefOf(changes: Partial<Place>): string {
  const next = { ...place.value, ...changes };
  const search = new URLSearchParams();
  const { view, host, layer, network, subnet, vlan, at, with: other, q, depth } = next;
  const sent = {
    view,
    layer,
    network,
    subnet,
    vlan,
    at,
    with: other,
    q,
    host,
    depth: host && depth,
  };
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined && !(name === "view" && value === "hosts")) {
      search.set(name, String(value));
    }
  }
  const query = search.toString().replaceAll("%3A", ":");
  return query === "" ? "/explore" : `/explore?${query}`;
}

/**
 * The delay before data is requested for a changed state, in milliseconds: a slider or the search
 * text must stop changing first.
 */
export const settleMs = signal(0);
export const restMs = 150;

let moved: ReturnType<typeof setTimeout> | undefined;

/**
 * Changes the state of the page. `choose` adds an entry to the browser's history; `move` replaces
 * the current one.
 */
export function go(changes: Partial<Place>, how: "choose" | "move" = "choose"): void {
  const before = hrefOf({});
  const href = hrefOf(changes);
  settleMs.value = how === "move" ? restMs : 0;
  clearTimeout(moved);
  if (how === "move") {
    // Browsers limit how often a page can change its URL.
    moved = setTimeout(() => history.replaceState(null, "", href), restMs);
  } else {
    history.replaceState(null, "", before);
    if (href !== before) {
      history.pushState(null, "", href);
    }
  }
  place.value = placeOf(new URL(href, location.origin).search);
}

addEventListener("popstate", () => {
  clearTimeout(moved);
  settleMs.value = 0;
  place.value = placeOf(location.search);
});

/**
 * The two instants to compare, the earlier one first; undefined means the current time. Null if
 * both are the current time.
 */
export const range = computed(() => {
  const { at, with: other } = place.value;
  if (at === undefined && other === undefined) {
    return null;
  }
  const [from, to] =
    at !== undefined && (other === undefined || Date.parse(at) <= Date.parse(other))
      ? [at, other]
      : [other, at];
  return from === undefined ? null : { from, to };
});

/** True while the reader drags a slider. */
export const isDragging = signal(false);

/** Increases whenever the inventory changes while the page shows its current state. */
export const revision = signal(0);

/** The sentence that screen readers announce. */
export const announcement = signal("");
