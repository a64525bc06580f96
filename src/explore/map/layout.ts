import {
  type Area,
  type Block,
  type Box,
  type Card,
  cardHeight,
  cardWidth,
  columnsOf,
  connection,
  gap,
  grid,
  groupItem,
  type Item,
  itemGap,
  type Line,
  moved,
  newBlock,
  type Point,
  padding,
  place,
  polyline,
  rowGap,
  serviceHeight,
  shelfWidth,
  shelves,
  totalWidth,
  widthOf,
} from "./parts.ts";
import { type Place, type Scene, type SubnetNode, sortedPlaces } from "./scene.ts";
import { layTrees } from "./tree.ts";

const widestCard = 250;
const boxHead = 52;
const emptyHead = 82;
/** The space above the boxes of a network, for its name. */
const networkHead = 40;
const networkGap = 44;
/** The space between the boxes and any host that is in more than one of them. */
const laneGap = 36;
const track = 7;
/**
 * Maximum number of parallel lines beside the boxes of a network; additional lines are drawn over
 * these.
 */
const tracks = 24;

/** A drawing: a pure function of the scene and the numbers of columns. */
export interface Layout extends Block {
  headings: { x: number; y: number; text: string }[];
}

/** The maximum number of cards side by side in a network, and on the whole map. */
export interface Columns {
  ofNetwork: number;
  ofMap: number;
}

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

/** Spreads items along a line, each as close to its intended center as the others allow. */
function spread(items: readonly { width: number; center: number }[], limit: number): number[] {
  const lefts: number[] = [];
  let cursor = 0;
  for (const { width, center } of items) {
    const left = Math.max(cursor, center - width / 2);
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

/** Lays out items below a row of boxes, each close to the center of its subnets. */
function layLane(
  items: readonly Item[],
  centerOf: (subnet: string) => number | undefined,
  width: number,
  top: number,
): Omit<Lane, "row"> {
  const centered = items
    .map((item) => {
      const centers = item.subnets.flatMap((id) => centerOf(id) ?? []);
      const sum = centers.reduce((total, one) => total + one, 0);
      return { item, width: item.width, center: sum / Math.max(1, centers.length) };
    })
    .sort(
      (one, other) =>
        one.center - other.center || (one.item.subnets.join() < other.item.subnets.join() ? -1 : 1),
    );
  const placed: Placed[] = [];
  let y = top;
  for (const line of shelves(centered, width, itemGap)) {
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
    // The horizontal centers that the boxes of the next row will have.
    const next = new Map(
      sideBySide(rows[row + 1] ?? []).map(({ item, x }) => [item.subnets[0], x + item.width / 2]),
    );
    const centerOf = (subnet: string) => {
      const box = boxOf.get(subnet);
      return box ? box.x + box.width / 2 : next.get(subnet);
    };
    const lane = layLane(between, centerOf, width, y + laneGap);
    lanes.push({ row, ...lane });
    y = lane.bottom;
  }
  return { boxOf, lanes, bottom: y };
}

/**
 * Draws lines from the hosts in several subnets to the boxes of these subnets. Lines to boxes
 * beyond the next row run to the right of all boxes. Returns the width that they take up.
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
          into.lines.push(polyline("Address", corners, [id, subnet]));
          const further = item.cards[0]?.place.further.find((one) => one.subnet === subnet);
          if (item.box === undefined && further && ids.length === 1) {
            const y = isAbove(subnet) ? top - bend + 3 : below + 15;
            into.labels.push({ x: port + 6, y, width: 110, text: further.address });
          }
        }
      }
    }
  }
  return beside === 0 ? 0 : gap + Math.min(beside, tracks) * track;
}

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
  const networks = new Map(scene.places.map(({ node }) => [node.id, node.network_id]));
  const adjacencies = Map.groupBy(scene.adjacencies, ({ ends }) => networks.get(ends[0]) ?? "");
  return networksOf(scene, nameOf).map(({ id, name }) => {
    const own = places.get(id) ?? [];
    const block =
      scene.layer === "l3"
        ? laySubnets(subnets.get(id) ?? [], own, columns)
        : scene.layer === "l2"
          ? layTrees(own, adjacencies.get(id) ?? [], columns)
          : layHosts(own, columns);
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
      layout.lines.push(connection("RunsOn", from, to, fromY, toY, [from.id, to.id]));
    }
  }
  return layout;
}

function movedLine(line: Line, x: number, y: number): Line {
  const movedPath = (path: string) =>
    path.replaceAll(
      /(?<![\d.-])([\d.-]+) ([\d.-]+)/g,
      (_, px: string, py: string) => `${Number(px) + x} ${Number(py) + y}`,
    );
  const { path, whole } = line;
  return {
    ...line,
    path: movedPath(path),
    ...(whole && { whole: movedPath(whole) }),
    x: line.x + x,
    y: line.y + y,
  };
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
  const center = ({ x, y, width, height }: Area) => [x + width / 2, y + height / 2] as const;
  const [fromX, fromY] = center(from);
  let best: { area: A; distance: number } | undefined;
  for (const area of areas) {
    const [x, y] = center(area);
    const along = (x - fromX) * dx + (y - fromY) * dy;
    const across = Math.abs((x - fromX) * dy) + Math.abs((y - fromY) * dx);
    const distance = along + 2 * across;
    if (along > 1 && (best === undefined || distance < best.distance)) {
      best = { area, distance };
    }
  }
  return best?.area;
}
