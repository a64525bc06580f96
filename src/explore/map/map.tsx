import { computed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { comparedWith, marks } from "../hosts/marks.ts";
import { Link } from "../link.tsx";
import { Failure } from "../problems.tsx";
import { networkList, networkName } from "../session.ts";
import { go, place, range } from "../state.ts";
import { Drawing, type Look } from "./drawing.tsx";
import { Nothing } from "./empty.tsx";
import { current, drawn, matches } from "./graph.ts";
import { columnsFor, isDirection, type Layout, layoutOf, nearest, overlaps } from "./layout.ts";
import type { Area, Card } from "./parts.ts";
import { hostOf, neighborsOf } from "./scene.ts";
import { svgOf } from "./svg.tsx";
import { Toolbar } from "./toolbar.tsx";
import { areaOf, attachZoom, scales, type View, type Zoom } from "./zoom.ts";

const phone = matchMedia("(max-width: 45rem)");

/** The free space around the map, in pixels. */
const margin = 24;
/** The height of the legend, in pixels. */
const legendHeight = 48;

/** The height of everything but the map, in pixels. */
const frameHeight = 260;

/** The least scale at which a subnet with too many hosts for the screen is opened. */
const closeScale = 0.6;

/** Maximum numbers of hosts that are drawn, and of the elements that represent them. */
const bounds = { hosts: 400, elements: 1250 };

const columns = computed(() => {
  const basis = drawn.value?.basis;
  if (basis === undefined) {
    return undefined;
  }
  const screen = { width: innerWidth, height: innerHeight - frameHeight };
  return phone.matches ? { ofNetwork: 2, ofMap: 2 } : columnsFor(basis, screen, networkName);
});

/** The layout, once the names of the networks, which determine their order, are known. */
const layout = computed<Layout | undefined>(() => {
  const areNamed = networkList.loaded.value !== undefined || networkList.problem.value;
  return areNamed && drawn.value && columns.value
    ? layoutOf(drawn.value.scene, columns.value, networkName)
    : undefined;
});

const isLayer2 = computed(() => drawn.value?.scene.layer === "l2");

const neighbors = computed(() =>
  drawn.value && isLayer2.value ? neighborsOf(drawn.value.scene) : undefined,
);

interface Screen {
  width: number;
  height: number;
}

/**
 * Returns the view that shows a whole area. On a phone, only the area's width has to fit: the rest
 * may extend below the screen.
 */
function viewOf({ x, y, width, height }: Area, screen: Screen, least: number = scales.least): View {
  const space = { width: screen.width - 2 * margin, height: screen.height - margin - legendHeight };
  const across = space.width / width;
  const fitting = phone.matches ? across : Math.min(across, space.height / height);
  const k = Math.max(least, Math.min(1.15, fitting));
  const restX = Math.max(0, space.width - width * k) / 2;
  const restY = phone.matches ? 0 : Math.max(0, space.height - height * k) / 3;
  return { x: margin + restX - x * k, y: margin / 2 + restY - y * k, k };
}

const isDiffering = (id: string | undefined) =>
  range.value !== null && id !== undefined && (marks.loaded.value?.data.hosts.has(id) ?? false);

/** The hosts in an area, or undefined if there are too many to draw. */
function cardsIn({ cards }: Layout, area: Area): Card[] | undefined {
  const found: Card[] = [];
  let elements = 0;
  for (const card of cards) {
    if (overlaps(card, area)) {
      found.push(card);
      const { node, rows } = card.place;
      // In layer 2, the line to a card can have a label.
      elements += 3 + rows + (isDiffering(hostOf(node)) ? 1 : 0) + (isLayer2.value ? 1 : 0);
      if (found.length > bounds.hosts || elements > bounds.elements) {
        return undefined;
      }
    }
  }
  return found;
}

/**
 * The margins that are drawn beyond each side of the screen, so that moving shows no gaps. They are
 * fractions of the screen's size, and the next one is used if the previous one has too many hosts.
 */
const overscan = [0.3, 0];

interface Seen {
  area: Area;
  cards: Card[];
  isReduced: boolean;
}

/** The elements to draw for a view: hosts, or subnets with counts if there are too many hosts. */
function seenAt(of: Layout, view: View, screen: Screen): Seen {
  for (const by of overscan) {
    const area = areaOf(view, screen, by);
    const cards = cardsIn(of, area);
    if (cards) {
      const isReduced = drawn.peek()?.scene.detail === "subnets";
      return { area, cards, isReduced };
    }
  }
  return { area: areaOf(view, screen, 0.1), cards: [], isReduced: true };
}

/** The types of lines between hosts, with their classes and meanings. */
const lineWords = [
  ["RunsOn", "dashed", "runs on"],
  ["Link", "", "cable between two interfaces"],
  ["Adjacent", "dashed", "neighbor whose interface is not known"],
  ["Learned", "dotted", "learned from a forwarding table"],
] as const;

function Legend({ of, isReduced }: { of: Layout; isReduced: boolean }) {
  const detail = drawn.value?.scene.detail;
  const types = new Set(of.lines.map(({ type }) => type));
  const hasAbsent = of.cards.some((card) => !card.place.isPresent);
  return (
    <ul class="legend" aria-label="Legend">
      {range.value && !isReduced && (
        <li class="differs">
          <i aria-hidden="true" /> differs from {comparedWith.value}
        </li>
      )}
      {types.has("Address") && <li class="of-line">address in a subnet</li>}
      {!isReduced &&
        lineWords.map(
          ([type, name, words]) =>
            types.has(type) && (
              <li key={type} class={`of-line ${name}`}>
                {words}
              </li>
            ),
        )}
      {of.cards.some(({ place: { node, isPresent } }) => isPresent && node.type === "Unknown") &&
        !isReduced && <li class="of-unknown">unknown: no host matches, or several do</li>}
      {isLayer2.value && !isReduced && of.lines.length === 0 && (
        <li>No neighbor was reported at this time.</li>
      )}
      {hasAbsent && !isReduced && <li class="of-vacancy">not there at this time</li>}
      {detail === "subnets" ? (
        <li>
          This map has more hosts than can be drawn at once: choose a subnet to see its hosts.
        </li>
      ) : (
        isReduced && (
          <li>
            Too many hosts are in view: zoom in{isLayer2.value ? "" : ", or choose a subnet,"} to
            see them.
          </li>
        )
      )}
    </ul>
  );
}

/** The map as a drawing, of which only the visible part is in the document. */
export function MapView() {
  const svg = useRef<SVGSVGElement>(null);
  const group = useRef<SVGGElement>(null);
  const zoom = useRef<Zoom | undefined>(undefined);
  const view = useRef<View>({ x: 0, y: 0, k: 1 });
  const fitted = useRef<string | undefined>(undefined);
  const focusMoved = useRef(false);
  const screen = useSignal<Screen | undefined>(undefined);
  const active = useSignal<string | undefined>(undefined);
  /** The view for which the drawing was made. */
  const drawnView = useSignal<View>(view.current);
  const isReady = layout.value !== undefined;
  const isEmpty =
    (layout.value?.boxes.length === 0 && layout.value.cards.length === 0) ||
    (isLayer2.value && drawn.value?.scene.adjacencies.length === 0);
  const of = layout.value;
  const seen = of && screen.value ? seenAt(of, drawnView.value, screen.value) : undefined;
  const seenNow = useRef(seen);
  seenNow.current = seen;

  useEffect(() => {
    const element = svg.current;
    if (!element) {
      return undefined;
    }
    const observer = new ResizeObserver(([entry]) => {
      if (entry) {
        const { width, height } = entry.contentRect;
        screen.value = { width, height };
      }
    });
    observer.observe(element);
    zoom.current = attachZoom(element, (next) => {
      const isScaled = next.k !== view.current.k;
      view.current = next;
      group.current?.setAttribute("transform", `translate(${next.x} ${next.y}) scale(${next.k})`);
      const size = screen.peek();
      const area = size && areaOf(next, size);
      const known = seenNow.current?.area;
      const isKnown =
        area &&
        known &&
        area.x >= known.x &&
        area.y >= known.y &&
        area.x + area.width <= known.x + known.width &&
        area.y + area.height <= known.y + known.height;
      if (isScaled || !isKnown) {
        drawnView.value = next;
      }
    });
    return () => {
      observer.disconnect();
      zoom.current?.detach();
      fitted.current = undefined;
    };
  }, [isReady, isEmpty]);

  const fitAll = () => {
    if (of && screen.value) {
      zoom.current?.set(viewOf({ x: 0, y: 0, width: of.width, height: of.height }, screen.value));
    }
  };

  /** Moves the map just far enough to bring an area into view. */
  const reveal = (area: Area) => {
    const size = screen.peek();
    if (!size) {
      return;
    }
    const { x, y, k } = view.current;
    const outside = (start: number, length: number, end: number) =>
      start < 8 ? 8 - start : start + length > end ? Math.max(8 - start, end - start - length) : 0;
    const dx = outside(area.x * k + x, area.width * k, size.width - 8);
    const dy = outside(area.y * k + y, area.height * k, size.height - legendHeight);
    if (dx !== 0 || dy !== 0) {
      zoom.current?.moveBy(dx / k, dy / k);
    }
  };

  const { host } = place.value;
  const selected = host && `host:${host}`;
  const name = drawn.value?.name;
  // When the map changes, fit it to the screen before revealing the selected host. When only the
  // instant changes, the map stays where it is.
  useLayoutEffect(() => {
    if (of && screen.value && name !== undefined && fitted.current !== name) {
      fitted.current = name;
      active.value = undefined;
      fitAll();
    }
    const card = of?.cards.find(({ id }) => id === selected);
    if (card && screen.value && fitted.current === name) {
      reveal(card);
    }
  }, [name, isReady, screen.value, selected]);

  const targets: readonly (Area & { id: string })[] =
    of === undefined
      ? []
      : seen?.isReduced
        ? [...of.boxes.filter(({ kind }) => kind === "subnet" || kind === "leaves"), ...seen.cards]
        : of.cards.filter((card) => card.place.isPresent);
  const found = matches.loaded.value?.data;
  const first =
    found &&
    of?.cards.find(({ place: at }) => at.isPresent && found.has(hostOf(at.node) ?? ""))?.id;
  const inTabOrder = [active.value, selected, first].find(
    (id) => id !== undefined && targets.some((one) => one.id === id),
  );
  const activeId = inTabOrder ?? targets[0]?.id;

  useLayoutEffect(() => {
    if (focusMoved.current) {
      focusMoved.current = false;
      svg.current?.querySelector<SVGElement>(`[data-id="${activeId}"]`)?.focus();
    }
  });

  const open = (id: string) => {
    const [type, record] = id.split(":");
    if (type === "host") {
      go({ host: record === host ? undefined : record });
    } else if (drawn.value?.scene.detail === "subnets") {
      if (type === "subnet") {
        go({ subnet: record });
      }
    } else {
      const box = of?.boxes.find((one) => one.id === id);
      if (box && screen.value) {
        zoom.current?.set(viewOf(box, screen.value, closeScale));
      }
    }
  };

  const pressed = (event: KeyboardEvent) => {
    const id = event.target instanceof Element && event.target.getAttribute("data-id");
    if (!id || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(id);
    } else if (isDirection(event.key)) {
      event.preventDefault();
      const from = targets.find((one) => one.id === id);
      const next = from && nearest(from, targets, event.key);
      if (next) {
        active.value = next.id;
        focusMoved.current = true;
        reveal(next);
      }
    }
  };

  const { problem } = current;
  if (problem.value && (of === undefined || problem.value.retryAfterMs === undefined)) {
    return <Failure problem={problem.value} />;
  }
  // The host in the tab order is drawn even when it is out of view.
  const activeCard = of?.cards.find(({ id }) => id === activeId);
  const cards =
    seen && activeCard && !seen.isReduced && !seen.cards.includes(activeCard)
      ? [...seen.cards, activeCard]
      : (seen?.cards ?? []);
  const look: Look | undefined = seen && {
    ...seen,
    cards,
    scale: drawnView.value.k,
    selected,
    active: activeId,
    differs: (node) => isDiffering(hostOf(node)),
    comparedWith: comparedWith.value,
    matches: found,
    neighbors: neighbors.value,
  };
  return (
    <section class="map" aria-label="Map" aria-busy={current.isLoading.value}>
      <Link class="skip" to={{ view: "table" }}>
        Read the map as a table
      </Link>
      <Toolbar draw={of && look ? () => svgOf(of, look) : undefined}>
        <button
          type="button"
          class="icon"
          aria-label="Zoom out"
          title="Zoom out"
          onClick={() => zoom.current?.scaleBy(1 / 1.4)}
        >
          −
        </button>
        <button
          type="button"
          class="icon"
          aria-label="Zoom in"
          title="Zoom in"
          onClick={() => zoom.current?.scaleBy(1.4)}
        >
          +
        </button>
        <button type="button" onClick={fitAll}>
          Fit
        </button>
      </Toolbar>
      {of === undefined ? (
        <p class="soft page">Loading…</p>
      ) : isEmpty ? (
        <Nothing />
      ) : (
        <div class="canvas">
          {/* biome-ignore lint/a11y/useSemanticElements: SVG has no element for a group of controls */}
          <svg
            ref={svg}
            role="group"
            aria-label={`${isLayer2.value ? "Hosts and their neighbors" : "Hosts and subnets"}: arrow keys go to the nearest host`}
            onClick={(event) => {
              const id = event.target instanceof Element && event.target.getAttribute("data-id");
              if (id) {
                active.value = id;
                open(id);
              }
            }}
            onKeyDown={pressed}
          >
            <g ref={group}>{look && <Drawing layout={of} look={look} />}</g>
          </svg>
          <Legend of={of} isReduced={seen?.isReduced ?? false} />
        </div>
      )}
    </section>
  );
}
