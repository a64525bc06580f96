import { Cron } from "croner";
import * as z from "zod";
import { textOf } from "../http/input/text.ts";

/** Five fields of numbers, names, ranges, lists and steps: nothing that dialects of cron add. */
const fiveFields = /^[\d*,/A-Za-z-]{1,100}( +[\d*,/A-Za-z-]{1,100}){4}$/;
const names = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)?$/i;

/** Whether a scan that is asked for is full (API contract, section 10). */
export const isFullScan = z.boolean().nullable().default(null).meta({
  description:
    "`true` looks at all TCP ports, `false` at well-known ones and those that its credentials need. null: the first scan that the daemon takes is full, and then every third.",
});

/** When a daemon is to scan by itself. */
interface ScanSchedule {
  cron: string;
  timezone: string;
}

/**
 * When a schedule next comes due (cron as POSIX has it: where both days are limited, either counts). A
 * time that a change of the clocks skips comes due right after it, and one that it repeats comes once,
 * unless the schedule means every hour.
 * @returns null where it never does
 * @throws when the schedule is malformed
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
    // Names alone: what is accepted as an offset has no rules of its own.
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
          error: "must be five fields of cron that come due some day, such as 30 2 * * 1-5",
        }),
      )
      .meta({
        minLength: 1,
        maxLength: 100,
        description:
          "Five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). Numbers, names, `*`, lists, ranges and steps.",
      }),
    timezone: textOf(1, 64)
      .refine(isTimezone, { error: "must be a time zone of IANA such as Europe/Berlin" })
      .default("UTC")
      .meta({ description: "A name of the IANA time zone database." }),
    is_full_scan: isFullScan,
  })
  .meta({
    id: "ScanScheduleInput",
    description:
      "When the service is to ask the daemon for a scan. One that came due while the service did not run is made up for once.",
  });
