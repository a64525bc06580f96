import { Cron } from "croner";
import * as z from "zod";
import { textOf } from "../http/input/text.ts";

/**
 * Matches five fields of numbers, names, ranges, lists and steps. The extensions of cron dialects
 * are not supported.
 */
const fiveFields = /^[\d*,/A-Za-z-]{1,100}( +[\d*,/A-Za-z-]{1,100}){4}$/;
const names = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)?$/i;

/** The `is_full_scan` parameter of a requested scan (API contract, section 10). */
export const isFullScan = z.boolean().nullable().default(null).meta({
  description:
    "`true` scans all TCP ports; `false` scans well-known ports and the ports that its credentials need. With null, the daemon's first scan is full, and then every third scan.",
});

/** A valid schedule: a cron expression in a time zone. */
interface ScanSchedule {
  cron: string;
  timezone: string;
}

/**
 * Returns the next time at which a schedule is due (POSIX cron: if both day fields are restricted,
 * either one matches). A time that a clock change skips is due right after the change; a time that
 * it repeats is due once, unless the schedule runs every hour.
 * @returns null if it will never be due again
 * @throws if the schedule is malformed
 */
export const nextRun = ({ cron, timezone }: ScanSchedule, after: Date): Date | null =>
  new Cron(cron, { timezone, mode: "5-part", paused: true }).nextRun(after);

const isCron = (text: string): boolean => {
  const words = text.match(/[A-Za-z]+/g) ?? [];
  if (!fiveFields.test(text) || !words.every((word) => names.test(word))) {
    return false;
  }
  try {
    return nextRun({ cron: text, timezone: "UTC" }, new Date()) !== null;
  } catch {
    return false;
  }
};

const isTimezone = (text: string): boolean => {
  try {
    // Accepts only names: offsets such as +02:00, which Intl accepts as well, have no daylight
    // saving time.
    return (
      /^[A-Za-z][\w+/-]*$/.test(text) && Boolean(new Intl.DateTimeFormat("en", { timeZone: text }))
    );
  } catch {
    return false;
  }
};

/** The schedule of a daemon's scans (API contract, section 10). */
export const scanSchedule = z
  .strictObject({
    cron: z
      .string()
      .trim()
      .pipe(
        textOf(1, 100).refine(isCron, {
          error: "must be five cron fields that match some date, such as 30 2 * * 1-5",
        }),
      )
      .meta({
        minLength: 1,
        maxLength: 100,
        description:
          "Five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). Numbers, names, `*`, lists, ranges and steps.",
      }),
    timezone: textOf(1, 64)
      .refine(isTimezone, { error: "must be an IANA time zone such as Europe/Berlin" })
      .default("UTC")
      .meta({ description: "A name from the IANA time zone database." }),
    is_full_scan: isFullScan,
  })
  .meta({
    id: "ScanScheduleInput",
    description:
      "The schedule of the daemon's scans. If scans came due while the service was down, one scan makes up for them.",
  });
