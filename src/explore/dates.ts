const inUtc = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
  // Some versions of the locale's data abbreviate only this month to four letters.
  return (instant: string | number) => format.format(new Date(instant)).replace("Sept", "Sep");
};

/** `10 May 2025` */
export const day = inUtc({ day: "numeric", month: "short", year: "numeric" });

export const clock = inUtc({ hour: "2-digit", minute: "2-digit" });

/** `10 May 2025, 00:00 UTC` */
export const minute = (instant: string | number) => `${day(instant)}, ${clock(instant)} UTC`;

export const month = inUtc({ month: "short" });
export const year = inUtc({ year: "numeric" });

/** The time on the reader's own clock: `12:03`. */
export const localClock = (time: number) =>
  new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(time);

/** An instant in the API's format, without milliseconds if they are zero. */
export const toInstant = (time: number | string) =>
  new Date(time).toISOString().replace(".000Z", "Z");

const units = [
  [60, "minute"],
  [24, "hour"],
  [7, "day"],
  [4.35, "week"],
  [12, "month"],
  [Number.POSITIVE_INFINITY, "year"],
] as const;

/** `3 weeks ago` */
export function ago(instant: string, now = Date.now()): string {
  let amount = (Date.parse(instant) - now) / 60_000;
  for (const [size, unit] of units) {
    if (Math.abs(amount) < size) {
      return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(
        Math.round(amount),
        unit,
      );
    }
    amount /= size;
  }
  return day(instant);
}
