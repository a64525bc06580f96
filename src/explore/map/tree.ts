import {
  type Block,
  boundsOf,
  cardHeight,
  cardWidth,
  columnsOf,
  connection,
  gap,
  grid,
  groupItem,
  itemGap,
  newBlock,
  type Point,
  padding,
  pathOf,
  place,
  polyline,
  shelfWidth,
  shelves,
  totalWidth,
} from "./parts.ts";
import { type Adjacency, byName, type Place, sortedPlaces } from "./scene.ts";

/**
 * The space beside a card for its incoming line and the name of the interface at which that line
 * starts.
 */
const gutter = 86;
const columnWidth = gutter + cardWidth;
/** The distance of a line from the left end of its gutter. */
const rail = 14;
/** The space above devices, for the line to them, and for the name of the interface. */
const levelGap = 48;
const busGap = 28;
/** The width of an interface's name above a device: the next line is at least this far away. */
const dropLabel = 130;
/** The space on the left of devices that are in several rows. */
const indent = 20;
const blockGap = 44;

/** All connections between two devices. */
interface Bundle {
  type: Adjacency["type"];
  /** The names of the interfaces of each device, by its id. */
  ports: Map<string, string[]>;
}

/** Returns the most certain of several types of connections. */
const best = (types: readonly Adjacency["type"][]) =>
  (["Link", "Adjacent", "Learned"] as const).find((type) => types.includes(type));

const pairOf = (one: string, other: string) =>
  one < other ? `${one} ${other}` : `${other} ${one}`;

/** Groups the connections that exist at the instant by their two devices. */
function bundlesOf(adjacencies: readonly Adjacency[]): Map<string, Bundle> {
  const bundles = new Map<string, Bundle>();
  for (const { type, ends, ports, isPresent } of adjacencies) {
    if (!isPresent) {
      continue;
    }
    const pair = pairOf(...ends);
    const bundle = bundles.get(pair) ?? { type, ports: new Map<string, string[]>() };
    bundle.type = best([bundle.type, type]) ?? type;
    for (const [index, port] of ports.entries()) {
      const end = ends[index] ?? "";
      const known = bundle.ports.get(end) ?? [];
      known.push(port);
      bundle.ports.set(end, known);
    }
    bundles.set(pair, bundle);
  }
  return bundles;
}

/** A device, with the children below it in its tree, arranged in rows. */
interface Device extends Item {
  kind: "device";
  place: Place;
  below: Device[];
  rows: (Device | Leaves)[][];
}

/** The children of a device that have no children of their own, arranged in columns. */
interface Leaves extends Item {
  kind: "leaves";
  devices: Device[];
  columns: number;
}

interface Item {
  x: number;
  y: number;
  width: number;
  height: number;
  /** The position of the line to the item. */
  middle: number;
}

/**
 * Finds the trees of a network: in each, the host with the most neighbors is at the top, and every
 * device is as close to it as its connections allow.
 * @returns the devices, each after the one above it
 */
function treesOf(places: readonly Place[], adjacencies: readonly Adjacency[]) {
  const beside = new Map<string, Set<string>>();
  const known = new Map(places.map((one, index) => [one.node.id, { one, index }]));
  for (const { ends, isLate } of adjacencies) {
    const [from, to] = ends;
    if (!isLate && known.has(from) && known.has(to)) {
      beside.set(from, (beside.get(from) ?? new Set()).add(to));
      beside.set(to, (beside.get(to) ?? new Set()).add(from));
    }
  }
  const degree = ({ node }: Place) => beside.get(node.id)?.size ?? 0;
  const isUnknown = ({ node }: Place) => Number(node.type === "Unknown");
  const devices: Device[] = [];
  const tops: Device[] = [];
  const found = new Set<string>();
  const add = (of: Place, above: Device | undefined) => {
    if (!found.has(of.node.id)) {
      found.add(of.node.id);
      const device: Device = {
        kind: "device",
        place: of,
        below: [],
        rows: [],
        x: 0,
        y: 0,
        width: cardWidth,
        height: cardHeight,
        middle: cardWidth / 2,
      };
      devices.push(device);
      (above?.below ?? tops).push(device);
    }
  };
  const candidates = places
    .filter((one) => degree(one) > 0)
    .sort((one, other) => isUnknown(one) - isUnknown(other) || degree(other) - degree(one));
  let next = 0;
  for (const top of candidates) {
    add(top, undefined);
    for (let device = devices[next]; device; device = devices[++next]) {
      const neighbors = [...(beside.get(device.place.node.id) ?? [])]
        .flatMap((id) => known.get(id) ?? [])
        .sort((one, other) => one.index - other.index);
      for (const { one } of neighbors) {
        add(one, device);
      }
    }
  }
  return { tops, devices, alone: places.filter(({ node }) => !found.has(node.id)) };
}

/** Arranges everything below a device in rows; two or more leaves form one block. */
function measure(device: Device, limit: number): void {
  if (device.below.length === 0) {
    return;
  }
  const leaves = device.below.filter(({ below }) => below.length === 0);
  const items: (Device | Leaves)[] = device.below.filter(({ below }) => below.length > 0);
  if (leaves.length === 1) {
    items.push(...leaves);
  } else if (leaves.length > 1) {
    const most = Math.max(1, Math.floor((limit - padding) / columnWidth));
    const columns = columnsOf(leaves.length, most, columnWidth);
    const width = columns * columnWidth + padding;
    const height = Math.ceil(leaves.length / columns) * (cardHeight + gap) - gap + 2 * padding;
    items.push({
      kind: "leaves",
      devices: leaves,
      columns,
      x: 0,
      y: 0,
      width,
      height,
      middle: width / 2,
    });
  }
  const rows = shelves(items, limit, itemGap);
  const start = rows.length > 1 ? indent : 0;
  device.width = Math.max(cardWidth, ...rows.map((row) => start + totalWidth(row, itemGap)));
  for (const row of rows) {
    let x = start || Math.round((device.width - totalWidth(row, itemGap)) / 2);
    for (const item of row) {
      item.x = x;
      item.y = device.height + levelGap;
      x += item.width + itemGap;
    }
    device.height += levelGap + Math.max(...row.map((item) => item.height));
  }
  device.rows = rows;
  const [first, last] = [rows[0]?.[0], rows[0]?.at(-1)];
  const middle = first && last ? (first.x + first.middle + last.x + last.middle) / 2 : 0;
  const half = cardWidth / 2;
  device.middle = Math.round(Math.max(half, Math.min(device.width - half, middle)));
}

/** Puts a device and the leaves below it at the device's position, and connects it. */
function draw(device: Device, bundles: Map<string, Bundle>, into: Block): void {
  const { x, y, middle, place: of, rows } = device;
  const { id } = of.node;
  const card = (at: Place, left: number, top: number) =>
    into.cards.push({
      id: at.node.id,
      place: at,
      x: left,
      y: top,
      width: cardWidth,
      height: cardHeight,
    });
  card(of, x + middle - cardWidth / 2, y);
  const firstBus = y + cardHeight + levelGap - busGap;
  const stem: Point[] = [
    [x + middle, y + cardHeight],
    [x + middle, firstBus],
  ];
  /** The longest of the parts that lines share, by where they leave the bus. */
  const shared = new Map<string, { end: number; points: Point[] }>();
  const types: Adjacency["type"][] = [];
  for (const items of rows) {
    const bus = y + (items[0]?.y ?? 0) - busGap;
    const trunk: Point[] =
      bus === firstBus ? stem : [...stem, [x + indent / 2, firstBus], [x + indent / 2, bus]];
    /** Draws the line from the bus over a corner to a device, if they are connected. */
    const connect = (to: string, corner: Point, end: Point, width: number) => {
      const pair = pairOf(id, to);
      const bundle = bundles.get(pair);
      bundles.delete(pair);
      if (bundle === undefined) {
        return;
      }
      const { type, ports } = bundle;
      const all: Point[] = [...trunk, [corner[0], bus], corner];
      types.push(type);
      const from = `${corner[0]} ${bus}`;
      if (corner[1] >= (shared.get(from)?.end ?? 0)) {
        shared.set(from, { end: corner[1], points: all });
      }
      const line = polyline(type, [corner, end], [id, to]);
      into.lines.push({ ...line, whole: pathOf([...all, end]) });
      const text = (ports.get(id) ?? []).filter(Boolean).sort(byName.compare).join(", ");
      if (text) {
        into.labels.push({ x: corner[0] + 6, y: end[1] - 6, width, text });
      }
    };
    for (const item of items) {
      item.x += x;
      item.y += y;
      if (item.kind === "device") {
        const left = item.x + item.middle;
        connect(item.place.node.id, [left, bus], [left, item.y], dropLabel);
        continue;
      }
      const { devices, columns, width, height } = item;
      const hosts = devices.filter(
        ({ place: { node, isPresent } }) => isPresent && node.type === "Host",
      );
      into.boxes.push({
        id: `leaves:${id}`,
        title: of.node.label,
        detail: "",
        note: "",
        hosts: hosts.length,
        kind: "leaves",
        x: item.x,
        y: item.y,
        width,
        height,
      });
      for (const [index, leaf] of devices.entries()) {
        const left = item.x + (index % columns) * columnWidth;
        const top = item.y + padding + Math.floor(index / columns) * (cardHeight + gap);
        const end = top + cardHeight / 2;
        connect(leaf.place.node.id, [left + rail, end], [left + gutter, end], gutter - rail - 10);
        card(leaf.place, left + gutter, top);
      }
    }
  }
  const type = best(types);
  if (type) {
    const parts = [...shared.values()].map(({ points }) => points);
    const path = parts.map(pathOf).join("");
    into.lines.push({ type, path, ends: [id, id], ...boundsOf(parts.flat()) });
  }
}

/**
 * Lays out a network of layer 2: its devices as trees, then hosts without neighbors. Devices
 * that were added while the instant was moving come last.
 */
export function layTrees(
  all: readonly Place[],
  adjacencies: readonly Adjacency[],
  columns: number,
): Block {
  const limit = shelfWidth(columns);
  const places = sortedPlaces(all.filter(({ isLate }) => !isLate));
  const { tops, devices, alone } = treesOf(places, adjacencies);
  for (const device of devices.toReversed()) {
    measure(device, limit);
  }
  const block = newBlock();
  for (const row of shelves(tops, limit, itemGap)) {
    let x = 0;
    for (const top of row) {
      [top.x, top.y] = [x, block.height];
      x += top.width + itemGap;
    }
    block.width = Math.max(block.width, x - itemGap);
    block.height += Math.max(...row.map(({ height }) => height)) + blockGap;
  }
  const bundles = bundlesOf(adjacencies);
  const leaves = new Set(
    devices.flatMap(({ rows }) =>
      rows.flat().flatMap((one) => (one.kind === "leaves" ? one.devices : [])),
    ),
  );
  for (const device of devices) {
    if (!leaves.has(device)) {
      draw(device, bundles, block);
    }
  }
  const [first] = alone;
  if (first) {
    const item = groupItem(
      `alone:${first.node.network_id}`,
      "Without a known neighbor",
      alone,
      columns,
    );
    place(item, 0, block.height, block);
    block.width = Math.max(block.width, item.width);
    block.height += item.height + blockGap;
  }
  const late = sortedPlaces(all.filter(({ isLate }) => isLate));
  const { cards, height } = grid(late, columns, false);
  for (const card of cards) {
    block.cards.push({ ...card, y: card.y + block.height });
    block.width = Math.max(block.width, card.x + card.width);
  }
  block.height = late.length > 0 ? block.height + height : Math.max(0, block.height - blockGap);
  const cardOf = new Map(block.cards.map((card) => [card.id, card]));
  // The connections that are not part of a tree.
  for (const [pair, { type }] of bundles) {
    const [from, to] = pair.split(" ").map((id) => cardOf.get(id));
    if (from && to) {
      const middles = [from.y + cardHeight / 2, to.y + cardHeight / 2] as const;
      block.lines.push(connection(type, from, to, ...middles, [from.id, to.id]));
    }
  }
  return block;
}
