import type { Adjacency, Place } from "./scene.ts";

/** Sizes in pixels at a scale of 1. */
export const cardWidth = 204;
export const cardHeight = 52;
export const serviceHeight = 19;
export const gap = 10;
export const padding = 12;
export const rowGap = 18;
export const itemGap = 30;

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
  /**
   * `group`: hosts that are in the same subnets, or in none. `leaves`: the hosts below a device in
   * layer 2.
   */
  kind: "subnet" | "absent" | "group" | "leaves";
}

export interface Card extends Area {
  id: string;
  place: Place;
}

export interface Line extends Area {
  type: "Address" | "RunsOn" | Adjacency["type"];
  path: string;
  /** The path together with what it shares with other lines; undefined if it shares nothing. */
  whole?: string;
  /** The ids of the nodes at both ends. */
  ends: [string, string];
}

export interface Label {
  x: number;
  y: number;
  /** The maximum width of the text. */
  width: number;
  text: string;
}

/** A part of a drawing. */
export interface Block {
  width: number;
  height: number;
  boxes: Box[];
  cards: Card[];
  lines: Line[];
  labels: Label[];
}

export const widthOf = (columns: number) => columns * (cardWidth + gap) - gap + 2 * padding;

/** The width of a row of boxes that have one column each. */
export const shelfWidth = (columns: number) => columns * (widthOf(1) + rowGap) - rowGap;

const heightOf = (place: Place, isServices: boolean) =>
  isServices ? cardHeight + (place.rows > 0 ? place.rows * serviceHeight + 8 : 0) : cardHeight;

/** The number of columns with which a box is about twice as wide as high. */
export const columnsOf = (count: number, limit: number, columnWidth = cardWidth + gap) =>
  Math.max(
    1,
    Math.min(limit, Math.ceil(Math.sqrt((count * 2 * (cardHeight + gap)) / columnWidth))),
  );

/** Places cards in rows. All cards in a row are as tall as the tallest. */
export function grid(places: readonly Place[], columns: number, isServices: boolean) {
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

export const moved = <A extends { x: number; y: number }>(
  all: readonly A[],
  x: number,
  y: number,
) => all.map((one) => ({ ...one, x: one.x + x, y: one.y + y }));

/** A subnet, or hosts that belong together, before it has a position. */
export interface Item {
  box: Box | undefined;
  cards: Card[];
  width: number;
  height: number;
  /** The ids of the subnets that the item is connected to. */
  subnets: string[];
}

/** Hosts that are in the same subnets: one host is a card, several are a group. */
export function groupItem(
  id: string,
  title: string,
  places: readonly Place[],
  limit: number,
): Item {
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
export function shelves<T extends { width: number }>(
  items: readonly T[],
  limit: number,
  space: number,
) {
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

export const totalWidth = (items: readonly { width: number }[], space: number) =>
  items.reduce((sum, { width }) => sum + width + space, -space);

/** Puts an item at a position. */
export function place(item: Item, x: number, y: number, into: Block): void {
  into.cards.push(...moved(item.cards, x, y));
  if (item.box) {
    into.boxes.push({ ...item.box, x, y, width: item.width, height: item.height });
  }
}

export type Point = readonly [number, number];

export const boundsOf = (points: readonly Point[]): Area => {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
};

export const pathOf = (points: readonly Point[]) =>
  points.map(([x, y], index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");

export function polyline(
  type: Line["type"],
  points: readonly Point[],
  ends: [string, string],
): Line {
  return { type, path: pathOf(points), ends, ...boundsOf(points) };
}

export const newBlock = (): Block => ({
  width: 0,
  height: 0,
  boxes: [],
  cards: [],
  lines: [],
  labels: [],
});

/**
 * Connects two cards: around their right sides if they are in the same column, otherwise directly.
 */
export function connection(
  type: Line["type"],
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
  const [first, ...curve] = points.map((point) => point.join(" "));
  const path = `M${first}C${curve.join(" ")}`;
  return { type, path, ends, ...boundsOf(points) };
}
