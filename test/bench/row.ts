import type { Figure } from "./measure.ts";

/** A limit for a value. */
export interface Bound {
  is: "at most" | "exactly";
  value: number;
}

/** A row in the bench's table. */
export interface Row {
  what: string;
  /** Our value, with its unit. */
  ours: string;
  /** The reference's value, with its unit. */
  reference?: string;
  /** The value that the bound applies to: a ratio, or our value itself. */
  value: number;
  unit: "×" | "calls" | "rows/s" | "ms" | "MiB" | "KB";
  spread?: number;
  /** Without a bound, the row is informational. */
  bound?: Bound;
  /** An explanation of the value, or of its measurement. */
  note?: string;
}

/** True if a row's bound holds; null if the row has no bound. */
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

/** Formats a number to three significant digits (four from 1,000), with commas. */
export const digits = (value: number): string =>
  value.toLocaleString("en", { maximumSignificantDigits: value >= 1000 ? 4 : 3 });

/** Formats a measured value with its unit. */
export const withUnit = ({ median }: Figure, unit: string): string => `${digits(median)} ${unit}`;
