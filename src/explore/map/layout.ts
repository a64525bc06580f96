import { type Place, type Scene, type SubnetNode, sortedPlaces } from "./scene.ts";

/** Sizes in pixels at a scale of 1. */
const cardWidth = 204;
const widestCard = 250;
const cardHeight = 52;
export const serviceHeight = 19;
const gap = 10;
const padding = 12;
const boxHead = 52;
const emptyHead = 82;
/** The space above the boxes of a network, for its name. */
const networkHead = 40;
const networkGap = 44;
const rowGap = 18;
/** The space between the boxes and any host that is in more than one of them. */
const laneGap = 36;
const itemGap = 30;
const track = 7;
/**
 * Maximum number of parallel lines beside the boxes of a network; additional lines are drawn over
 * these.
 */
const tracks = 24;

export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Box extends Area {
  id: string;
  title: string;
  detail: string;
  /** A sentence that is shown instead of hosts. */
  note: string;
  /** The number of hosts in the box. */
  hosts: number;
  /** `group`: hosts that are in the same subnets, or in none. */
  kind: "subnet" | "absent" | "group";
}

export interface Card extends Area {
  id: string;
  place: Place;
}

export interface Line extends Area {
  type: "Address" | "RunsOn";
  path: string;
  /** The nodes that it connects. */
  ends: [string, string];
}

export interface Label {
  x: number;
  y: number;
  text: string;
}

/** A drawing: a pure function of the scene and the numbers of columns. */
export interface Layout {
  width: number;
  height: number;
  headings: Label[];
  boxes: Box[];
  cards: Card[];
  lines: Line[];
  labels: Label[];
}

/** The maximum number of cards side by side in a network, and on the whole map. */
export interface Columns {
  ofNetwork: number;
  ofMap: number;
}

type Block = Omit<Layout, "headings">;

const widthOf = (columns: number) => columns * (cardWidth + gap) - gap + 2 * padding;

/** The width of a row of boxes that have one column each. */
const shelfWidth = (columns: number) => columns * (widthOf(1) + rowGap) - rowGap;

const heightOf = (place: Place, isServices: boolean) =>
  isServices ? cardHeight + (place.rows > 0 ? place.rows * serviceHeight + 8 : 0) : cardHeight;

/** The number of columns with which a box is about twice as wide as high. */
const columnsOf = (count: number, limit: number) =>
  Math.max(
    1,
    Math.min(limit, Math.ceil(Math.sqrt((count * 2 * (cardHeight + gap)) / (cardWidth + gap)))),
  );

/** Places cards in rows. All cards in a row are as tall as the tallest. */
function grid(places: readonly Place[], columns: number, isServices: boolean) {
  const cards: Card[] = [];
  let y = 0;
  for (let start = 0; start < places.length; start += columns) {
    const row = places.slice(start, start + columns);
    const height = Math.max(...row.map((place) => heightOf(place, isServices)));
    for (const [index, place] of row.entries()) {
      const x = index * (cardWidth + gap);
      cards.push({ id: place.node.id, place, x, y, width: cardWidth, height });
    }
    y += height + gap;
  }
  return { cards, height: Math.max(0, y - gap) };
}

const moved = <A extends { x: number; y: number }>(all: readonly A[], x: number, y: number) =>
  all.map((one) => ({ ...one, x: one.x + x, y: one.y + y }));

const columnCount = (cards: readonly Card[]) => new Set(cards.map(({ x }) => x)).size;

/** The width of a box with the widest cards. */
const widestOf = (cards: readonly Card[]) =>
  columnCount(cards) * (widestCard + gap) - gap + 2 * padding;

/** Widens cards so that they fill a box, up to a limit. */
function widened(cards: readonly Card[], space: number): Card[] {
  const columns = columnCount(cards);
  const width = Math.min(widestCard, Math.floor((space + gap) / columns) - gap);
  return cards.map((card) => {
    const column = Math.round((card.x - padding) / (card.width + gap));
    return { ...card, x: padding + column * (width + gap), width };
  });
}

/** A subnet, or hosts that belong together, before it has a position. */
interface Item {
  box: Box | undefined;
  cards: Card[];
  width: number;
  height: number;
  /** The subnets that it is connected to. */
  subnets: string[];
}

const plural = (count: number, one: string) =>
  `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

function subnetItem(
  { node, isPresent }: { node: SubnetNode; isPresent: boolean },
  places: readonly Place[],
  limit: number,
): Item {
  const columns = columnsOf(places.length, limit);
  const { cards, height } = grid(places, columns, false);
  const { hosts, cidr, subnet_type } = node.details;
  const isEmpty = cards.length === 0;
  const size = {
    width: widthOf(columns),
    height: isEmpty ? emptyHead : boxHead + height + padding,
  };
  const title = node.label === cidr ? cidr : node.label;
  const box: Box = {
    id: node.id,
    title,
    detail: [title === cidr ? "" : cidr, subnet_type].filter(Boolean).join(" · "),
    note: !isEmpty
      ? ""
      : !isPresent
        ? "not there"
        : hosts === 0
          ? "no hosts"
          : plural(hosts, "host"),
    hosts: isPresent ? hosts : 0,
    kind: isPresent ? "subnet" : "absent",
    x: 0,
    y: 0,
    ...size,
  };
  return { box, cards: moved(cards, padding, boxHead), subnets: [node.id], ...size };
}

/** Hosts that are in the same subnets: one host is a card, several are a group. */
function groupItem(id: string, title: string, places: readonly Place[], limit: number): Item {
  const subnets = places[0]?.subnets ?? [];
  const columns = columnsOf(places.length, limit);
  const { cards, height } = grid(places, columns, false);
  if (places.length === 1 && subnets.length > 0) {
    return { box: undefined, cards, subnets, width: cardWidth, height };
  }
  const size = { width: widthOf(columns), height: height + 34 + padding };
  const hosts = places.filter(({ isPresent }) => isPresent).length;
  const box: Box = {
    id,
    title,
    detail: "",
    note: "",
    hosts,
    kind: "group",
    x: 0,
    y: 0,
    ...size,
  };
  return { box, cards: moved(cards, padding, 34), subnets, ...size };
}

/** Divides items into rows that are at most as wide as the limit. */
function shelves<T extends { width: number }>(items: readonly T[], limit: number, space: number) {
  const rows: T[][] = [];
  let width = 0;
  for (const item of items) {
    const last = rows.at(-1);
    if (last && width + space + item.width <= limit) {
      last.push(item);
      width += space + item.width;
    } else {
      rows.push([item]);
      width = item.width;
    }
  }
  return rows;
}

const totalWidth = (items: readonly { width: number }[], space: number) =>
  items.reduce((sum, { width }) => sum + width + space, -space);

/** Puts an item at a position. */
function place(item: Item, x: number, y: number, into: Block): void {
  into.cards.push(...moved(item.cards, x, y));
  if (item.box) {
    into.boxes.push({ ...item.box, x, y, width: item.width, height: item.height });
  }
}

type Point = readonly [number, number];

const boundsOf = (points: readonly Point[]): Area => {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

function polyline(points: readonly Point[], ends: [string, string]): Line {
  const path = points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
  return { type: "Address", path, ends, ...boundsOf(points) };
}

/** Spreads items along a line, each as close to its intended centre as the others allow. */
function spread(items: readonly { width: number; centre: number }[], limit: number): number[] {
  const lefts: number[] = [];
  let cursor = 0;
  for (const { width, centre } of items) {
    const left = Math.max(cursor, centre - width / 2);
    lefts.push(left);
    cursor = left + width + itemGap;
  }
  let end = limit;
  for (let index = items.length - 1; index >= 0; index--) {
    const width = items[index]?.width ?? 0;
    lefts[index] = Math.max(0, Math.min(lefts[index] ?? 0, end - width));
    end = (lefts[index] ?? 0) - itemGap;
  }
  return lefts.map(Math.round);
}

interface Placed {
  item: Item;
  x: number;
  y: number;
}

/** The space below a row of boxes, with hosts that are in several subnets. */
interface Lane {
  row: number;
  bottom: number;
  placed: Placed[];
}

/** The positions of items side by side. */
function sideBySide(items: readonly Item[]): { item: Item; x: number }[] {
  let next = 0;
  return items.map((item) => {
    const x = next;
    next += item.width + rowGap;
    return { item, x };
  });
}

/** Lets the boxes in a row share the remaining space, as far as their cards can fill it. */
function widen(row: readonly Item[], width: number): void {
  const rest = (width - totalWidth(row, rowGap)) / row.length;
  for (const item of row) {
    const most = item.cards.length === 0 ? item.width * 3 : widestOf(item.cards);
    const wider = Math.round(Math.min(item.width + rest, most));
    item.cards = widened(item.cards, wider - 2 * padding);
    item.width = wider;
  }
}

/** Lays out items below a row of boxes, each close to the centre of its subnets. */
function layLane(
  items: readonly Item[],
  centreOf: (subnet: string) => number | undefined,
  width: number,
  top: number,
): Omit<Lane, "row"> {
  const centred = items
    .map((item) => {
      const centres = item.subnets.flatMap((id) => centreOf(id) ?? []);
      const sum = centres.reduce((total, one) => total + one, 0);
      return { item, width: item.width, centre: sum / Math.max(1, centres.length) };
    })
    .sort(
      (one, other) =>
        one.centre - other.centre || (one.item.subnets.join() < other.item.subnets.join() ? -1 : 1),
    );
  const placed: Placed[] = [];
  let y = top;
  for (const line of shelves(centred, width, itemGap)) {
    const lefts = spread(line, width);
    for (const [position, { item }] of line.entries()) {
      placed.push({ item, x: lefts[position] ?? 0, y });
    }
    y += Math.max(...line.map(({ item }) => item.height)) + laneGap;
  }
  return { placed, bottom: y };
}

/**
 * Puts the boxes of a network in rows, and leaves space below a row for its connectors.
 * @param connectors the hosts in several subnets, by the row below which they are drawn
 */
function layRows(
  rows: readonly (readonly Item[])[],
  connectors: ReadonlyMap<number, readonly Item[]>,
  width: number,
  into: Block,
) {
  const boxOf = new Map<string, Box>();
  const lanes: Lane[] = [];
  let y = 0;
  for (const [row, items] of rows.entries()) {
    const height = Math.max(...items.map((item) => item.height));
    for (const { item, x } of sideBySide(items)) {
      place({ ...item, height }, x, y, into);
      const box = into.boxes.at(-1);
      if (box) {
        boxOf.set(box.id, box);
      }
    }
    y += height;
    const between = connectors.get(row);
    if (between === undefined) {
      y += rowGap;
      continue;
    }
    // The horizontal centres that the boxes of the next row will have.
    const next = new Map(
      sideBySide(rows[row + 1] ?? []).map(({ item, x }) => [item.subnets[0], x + item.width / 2]),
    );
    const centreOf = (subnet: string) => {
      const box = boxOf.get(subnet);
      return box ? box.x + box.width / 2 : next.get(subnet);
    };
    const lane = layLane(between, centreOf, width, y + laneGap);
    lanes.push({ row, ...lane });
    y = lane.bottom;
  }
  return { boxOf, lanes, bottom: y };
}

/**
 * Draws lines from the hosts in several subnets to the boxes of these subnets. A line to a box
 * beyond the next row passes on the right side of the boxes, which takes the returned width.
 */
function connect(
  lanes: readonly Lane[],
  rowOf: ReadonlyMap<string, number>,
  boxOf: ReadonlyMap<string, Box>,
  width: number,
  into: Block,
): number {
  let beside = 0;
  for (const { row, bottom, placed } of lanes) {
    const isAbove = (subnet: string) => rowOf.get(subnet) === row;
    for (const { item, x, y: top } of placed) {
      const id = item.box?.id ?? item.cards[0]?.id ?? "";
      const below = top + item.height;
      for (const ids of [
        item.subnets.filter(isAbove),
        item.subnets.filter((one) => !isAbove(one)),
      ]) {
        for (const [position, subnet] of ids.entries()) {
          const box = boxOf.get(subnet);
          if (box === undefined) {
            continue;
          }
          const port = Math.round(x + item.width / 2 + (position - (ids.length - 1) / 2) * 28);
          const end = Math.round(Math.max(box.x + 14, Math.min(box.x + box.width - 14, port)));
          const bend = 10 + (position % 3) * 6;
          let corners: Point[];
          if (isAbove(subnet)) {
            const turn = top - bend;
            corners = [
              [port, top],
              [port, turn],
              [end, turn],
              [end, box.y + box.height],
            ];
          } else if (rowOf.get(subnet) === row + 1) {
            const turn = bottom - bend;
            corners = [
              [port, below],
              [port, turn],
              [end, turn],
              [end, box.y],
            ];
          } else {
            const side = width + gap + (beside++ % tracks) * track;
            const [leave, arrive] = [bottom - 10, box.y - 8];
            corners = [
              [port, below],
              [port, leave],
              [side, leave],
              [side, arrive],
              [end, arrive],
              [end, box.y],
            ];
          }
          into.lines.push(polyline(corners, [id, subnet]));
          const further = item.cards[0]?.place.further.find((one) => one.subnet === subnet);
          if (item.box === undefined && further && ids.length === 1) {
            const y = isAbove(subnet) ? top - bend + 3 : below + 15;
            into.labels.push({ x: port + 6, y, text: further.address });
          }
        }
      }
    }
  }
  return beside === 0 ? 0 : gap + Math.min(beside, tracks) * track;
}

const newBlock = (): Block => ({
  width: 0,
  height: 0,
  boxes: [],
  cards: [],
  lines: [],
  labels: [],
});

/** Lays out the hosts of a network in rows. */
function layHosts(places: readonly Place[], columns: number): Block {
  const count = Math.min(columns, places.length);
  const { cards, height } = grid(sortedPlaces(places), count, true);
  const width = Math.max(cardWidth, totalWidth(cards.slice(0, count), gap));
  return { ...newBlock(), cards, width, height };
}

/**
 * Lays out the boxes of a network in rows and, between the rows, the hosts that are in several
 * boxes.
 */
function laySubnets(subnets: Scene["subnets"], places: readonly Place[], columns: number): Block {
  const names = new Map(subnets.map(({ node }) => [node.id, node.label]));
  const homes = Map.groupBy(places, ({ subnets: of }) =>
    of.filter((id) => names.has(id)).join("+"),
  );
  const rows = shelves(
    subnets.map((subnet) =>
      subnetItem(subnet, sortedPlaces(homes.get(subnet.node.id) ?? []), columns),
    ),
    shelfWidth(columns),
    rowGap,
  );
  const rowOf = new Map(
    rows.flatMap((row, index) => row.flatMap(({ subnets: [id = ""] }) => [[id, index] as const])),
  );
  const connectors = [...homes]
    .filter(([home]) => home.includes("+"))
    .map(([home, of]) => {
      const title = home
        .split("+")
        .map((id) => names.get(id))
        .join(", ");
      return groupItem(`group:${home}`, `In ${title}`, sortedPlaces(of), columns);
    });
  const width = Math.max(
    cardWidth,
    ...rows.map((row) => totalWidth(row, rowGap)),
    ...connectors.map((item) => item.width),
  );
  for (const row of rows) {
    widen(row, width);
  }
  const block = newBlock();
  const firstRowOf = (item: Item) => Math.min(...item.subnets.map((id) => rowOf.get(id) ?? 0));
  const { boxOf, lanes, bottom } = layRows(rows, Map.groupBy(connectors, firstRowOf), width, block);
  for (const { item, x, y } of lanes.flatMap(({ placed }) => placed)) {
    place(item, x, y, block);
  }
  const beside = connect(lanes, rowOf, boxOf, width, block);
  block.width = rows.length === 0 ? 0 : width + beside;
  block.height = Math.max(0, bottom - rowGap);
  const alone = homes.get("") ?? [];
  if (alone.length > 0) {
    const item = groupItem("group:none", "In no subnet", sortedPlaces(alone), columns);
    place(item, 0, bottom, block);
    block.width = Math.max(block.width, item.width);
    block.height = bottom + item.height;
  }
  return block;
}

/**
 * Connects two cards: around their right sides if they are in the same column, otherwise directly.
 */
function connection(
  from: Card,
  to: Card,
  fromY: number,
  toY: number,
  ends: [string, string],
): Line {
  const right = from.x + from.width;
  let points: Point[];
  if (from.x === to.x) {
    const out = right + 13;
    points = [
      [right, fromY],
      [out, fromY],
      [out, toY],
      [right, toY],
    ];
  } else {
    const isRight = to.x > from.x;
    const start = isRight ? right : from.x;
    const end = isRight ? to.x : to.x + to.width;
    const middle = (start + end) / 2;
    points = [
      [start, fromY],
      [middle, fromY],
      [middle, toY],
      [end, toY],
    ];
  }
  const [a, b, c, d] = points;
  const path = `M${a}C${b} ${c} ${d}`;
  return { type: "RunsOn", path, ends, ...boundsOf(points) };
}

/** The vertical position of a host, or of one of its services, on its card. */
function middleOf({ place, y, height }: Card, id: string, isServices: boolean): number {
  const index = place.services.findIndex((service) => service.id === id);
  if (!isServices || index === -1) {
    return isServices ? y + 26 : y + height / 2;
  }
  return y + cardHeight + (Math.min(index, place.rows - 1) + 0.5) * serviceHeight;
}

const networksOf = ({ subnets, places }: Scene, nameOf: (network: string) => string) =>
  [...new Set([...subnets, ...places].map(({ node }) => node.network_id))]
    .map((id) => ({ id, name: nameOf(id) }))
    .sort((one, other) => (`${one.name} ${one.id}` < `${other.name} ${other.id}` ? -1 : 1));

const blocksOf = (scene: Scene, columns: number, nameOf: (network: string) => string) => {
  const subnets = Map.groupBy(scene.subnets, ({ node }) => node.network_id);
  const places = Map.groupBy(scene.places, ({ node }) => node.network_id);
  return networksOf(scene, nameOf).map(({ id, name }) => {
    const own = places.get(id) ?? [];
    const block =
      scene.layer === "services"
        ? layHosts(own, columns)
        : laySubnets(subnets.get(id) ?? [], own, columns);
    return { name, block, width: block.width };
  });
};

/** Arranges the blocks of networks in rows. */
function arrange<B extends { block: Block; width: number }>(blocks: readonly B[], limit: number) {
  const arranged: { of: B; x: number; y: number }[] = [];
  let [width, y] = [0, 0];
  for (const row of shelves(blocks, limit, networkGap)) {
    let x = 0;
    for (const of of row) {
      arranged.push({ of, x, y });
      x += of.width + networkGap;
    }
    width = Math.max(width, x - networkGap);
    y += Math.max(...row.map(({ block }) => block.height)) + networkHead + networkGap;
  }
  return { arranged, width, height: Math.max(0, y - networkGap) };
}

const limitOf = ({ ofNetwork, ofMap }: Columns) =>
  (ofMap / ofNetwork) * (shelfWidth(ofNetwork) + networkGap) + tracks * track;

const candidates = [1, 2, 3, 4, 6, 8, 12, 16, 24, 36, 54, 80, 120];

/** The numbers of columns with which a scene best fits a screen. */
export function columnsFor(
  scene: Scene,
  screen: { width: number; height: number },
  nameOf: (network: string) => string,
): Columns {
  let best = { columns: { ofNetwork: 2, ofMap: 2 }, scale: 0 };
  for (const ofNetwork of candidates) {
    const blocks = blocksOf(scene, ofNetwork, nameOf);
    for (const times of [1, 2, 3, 4, 6]) {
      const columns = { ofNetwork, ofMap: ofNetwork * times };
      const { width, height } = arrange(blocks, limitOf(columns));
      const scale = Math.min(screen.width / width, screen.height / height);
      if (scale > best.scale * 1.02) {
        best = { columns, scale };
      }
    }
  }
  return best.columns;
}

/** Lays out a scene. Equal scenes have equal layouts. */
export function layoutOf(
  scene: Scene,
  columns: Columns,
  nameOf: (network: string) => string,
): Layout {
  const isServices = scene.layer === "services";
  const blocks = blocksOf(scene, columns.ofNetwork, nameOf);
  const { arranged, width, height } = arrange(blocks, limitOf(columns));
  const layout: Layout = {
    width,
    height,
    headings: [],
    boxes: [],
    cards: [],
    lines: [],
    labels: [],
  };
  for (const { of, x, y } of arranged) {
    const top = y + networkHead;
    layout.headings.push({ x, y: y + 18, text: of.name });
    layout.boxes.push(...moved(of.block.boxes, x, top));
    layout.cards.push(...moved(of.block.cards, x, top));
    layout.labels.push(...moved(of.block.labels, x, top));
    layout.lines.push(...of.block.lines.map((line) => movedLine(line, x, top)));
  }
  const cardOf = new Map<string, Card>();
  for (const card of layout.cards) {
    if (card.place.isPresent) {
      cardOf.set(card.id, card);
      for (const { id } of card.place.services) {
        cardOf.set(id, card);
      }
    }
  }
  for (const { source, target } of scene.runsOn) {
    const [from, to] = [cardOf.get(source), cardOf.get(target)];
    if (from && to && (from !== to || isServices)) {
      const fromY = middleOf(from, source, isServices);
      const toY = middleOf(to, target, isServices);
      layout.lines.push(connection(from, to, fromY, toY, [from.id, to.id]));
    }
  }
  return layout;
}

function movedLine(line: Line, x: number, y: number): Line {
  const path = line.path.replaceAll(
    /(-?[\d.]+) (-?[\d.]+)/g,
    (_, px: string, py: string) => `${Number(px) + x} ${Number(py) + y}`,
  );
  return { ...line, path, x: line.x + x, y: line.y + y };
}

/** True if two areas have a point in common. */
export const overlaps = (one: Area, other: Area) =>
  one.x <= other.x + other.width &&
  other.x <= one.x + one.width &&
  one.y <= other.y + other.height &&
  other.y <= one.y + one.height;

export type Direction = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown";

const directions = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
} as const;

export const isDirection = (key: string): key is Direction => Object.hasOwn(directions, key);

/** Returns the nearest area in a direction; ties go to the first. */
export function nearest<A extends Area>(
  from: Area,
  areas: readonly A[],
  key: Direction,
): A | undefined {
  const [dx, dy] = directions[key];
  const centre = ({ x, y, width, height }: Area) => [x + width / 2, y + height / 2] as const;
  const [fromX, fromY] = centre(from);
  let best: { area: A; distance: number } | undefined;
  for (const area of areas) {
    const [x, y] = centre(area);
    const along = (x - fromX) * dx + (y - fromY) * dy;
    const across = Math.abs((x - fromX) * dy) + Math.abs((y - fromY) * dx);
    const distance = along + 2 * across;
    if (along > 1 && (best === undefined || distance < best.distance)) {
      best = { area, distance };
    }
  }
  return best?.area;
}
