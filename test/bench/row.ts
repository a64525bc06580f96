import type { Figure } from "./measure.ts";

/** What a bound says of a value. */
export interface Bound {
  is: "at most" | "exactly";
  value: number;
}

/** A line of the bench's table. */
export interface Row {
  what: string;
  /** Our figure, with its unit. */
  ours: string;
  /** What it is held against, with its unit. */
  reference?: string;
  /** What the bound speaks of: a ratio, or our figure itself. */
  value: number;
  unit: "×" | "calls" | "rows/s" | "ms" | "MiB" | "KB";
  spread?: number;
  /** Without one, the line is for information. */
  bound?: Bound;
  /** What limits the figure, or how it was measured. */
  note?: string;
}

/** Whether a line holds its bound; null where it has none. */
export function holds({ value, bound }: Pick<Row, "value" | "bound">): boolean | null {
  if (!bound) {
    return null;
  }
  switch (bound.is) {
    case "at most":
      return value <= bound.value;
    case "exactly":
      return value === bound.value;
  }
}

export const atMost = (value: number): Bound => ({ is: "at most", value });
export const exactly = (value: number): Bound => ({ is: "exactly", value });

/** A number in three significant digits, with commas. */
export const digits = (value: number): string =>
  value.toLocaleString("en", { maximumSignificantDigits: value >= 1000 ? 4 : 3 });

/** A measured figure with its unit. */
export const shown = ({ median }: Figure, unit: string): string => `${digits(median)} ${unit}`;
