import { expect, test } from "vitest";
import { instant, timestamp } from "../../src/http/input/timestamp.ts";
import { issuesOf } from "../helpers/issues.ts";

const notIso = "ISO 8601 date-time with an offset";
const outOfRange = "years 0001 to 9999";

test.each<[string, unknown, string]>([
  ["no offset", "2026-04-22T15:57:37", notIso],
  ["no offset, with a fraction", "2026-04-22T15:57:37.843", notIso],
  ["an unencoded plus", "2026-04-22T15:57:37 02:00", "write + as %2B"],
  ["the Postgres constant now", "now", notIso],
  ["the Postgres constant infinity", "infinity", notIso],
  ["the Postgres constant -infinity", "-infinity", notIso],
  ["the Postgres constant today", "today", notIso],
  ["the Postgres constant epoch", "epoch", notIso],
  ["nothing", "", notIso],
  ["a blank", " ", notIso],
  ["the word null", "null", notIso],
  ["a date", "2026-04-22", notIso],
  ["a date with an offset", "2026-04-22Z", notIso],
  ["a time", "15:57:37Z", notIso],
  ["seconds since the epoch", "1776873457", notIso],
  ["a space instead of the letter T", "2026-04-22 15:57:37Z", notIso],
  ["surrounding spaces", " 2026-04-22T15:57:37Z ", notIso],
  ["a time zone name", "2026-04-22T15:57:37 Europe/Berlin", notIso],
  ["an offset with one digit", "2026-04-22T15:57:37+2", notIso],
  ["an offset with three digits", "2026-04-22T15:57:37+020", notIso],
  ["an offset with a colon and no minutes", "2026-04-22T15:57:37+02:", notIso],
  ["an offset of 60 minutes", "2026-04-22T15:57:37+0260", notIso],
  ["65 characters", `2026-04-22T15:57:37.${"0".repeat(44)}Z`, notIso],
  ["100,000 characters", `2026-04-22T15:57:37.${"0".repeat(99_979)}Z`, notIso],
  ["an offset of 24 hours", "2026-04-22T15:57:37+24:00", notIso],
  ["the 30th of February", "2026-02-30T00:00:00Z", notIso],
  ["29 February in a year that is not a leap year", "2026-02-29T00:00:00Z", notIso],
  ["the 29th of February of 1900", "1900-02-29T00:00:00Z", notIso],
  ["the 31st of April", "2026-04-31T00:00:00Z", notIso],
  ["month 13", "2026-13-01T00:00:00Z", notIso],
  ["month 0", "2026-00-01T00:00:00Z", notIso],
  ["day 0", "2026-04-00T00:00:00Z", notIso],
  ["hour 24", "2026-04-22T24:00:00Z", notIso],
  ["minute 60", "2026-04-22T23:60:00Z", notIso],
  ["second 61", "2026-04-22T23:59:61Z", notIso],
  ["a year with two digits", "26-04-22T15:57:37Z", notIso],
  ["a year with five digits", "12026-04-22T15:57:37Z", notIso],
  ["a year with a sign", "+002026-04-22T15:57:37Z", notIso],
  ["a year before the common era", "-0001-04-22T15:57:37Z", notIso],
  ["the year 0000", "0000-06-15T00:00:00Z", outOfRange],
  ["an offset that leads into the year 0000", "0001-01-01T00:00:00+14:00", outOfRange],
  ["an offset that leads into the year 10000", "9999-12-31T23:59:59-14:00", outOfRange],
  ["NUL", "2026-04-22T15:57:37Z\0", notIso],
  ["SQL", "2026-04-22T15:57:37Z'::timestamptz--", notIso],
  ["the same instant twice", ["2026-04-22T15:57:37Z", "2026-04-22T15:57:37Z"], "only once"],
  ["an instant and an empty value", ["2026-04-22T15:57:37Z", ""], "only once"],
])("%s is not a timestamp", (_, at, message) => {
  expect(issuesOf(timestamp, at)).toMatchObject([{ message: expect.stringContaining(message) }]);
});

test.each<[string, () => number]>([
  ["2026-04-22", () => Date.UTC(2026, 3, 22)],
  ["2024-02-29", () => Date.UTC(2024, 1, 29)],
  ["2026-04-22T15:57:37+02:00", () => Date.UTC(2026, 3, 22, 13, 57, 37)],
  ["-0m", () => Date.now()],
  ["-90m", () => Date.now() - 90 * 60_000],
  ["-24h", () => Date.now() - 24 * 3_600_000],
  ["-7d", () => Date.now() - 7 * 86_400_000],
  ["-99999d", () => Date.now() - 99_999 * 86_400_000],
])("a query accepts %s as an instant", (text, expected) => {
  const before = expected();
  const milliseconds = Date.parse(instant.parse(text));
  expect(milliseconds).toBeGreaterThanOrEqual(before);
  expect(milliseconds).toBeLessThanOrEqual(expected());
});

test.each([
  "2026-02-29",
  "2026-4-2",
  "2026-04",
  "-24",
  "24h",
  "+24h",
  "-24H",
  "-1w",
  "-1.5h",
  "- 24h",
  "-100000d",
  "--1d",
  "yesterday",
])("a query rejects %s as an instant, and names the formats", (text) => {
  expect(issuesOf(instant, text)).toMatchObject([
    { message: expect.stringMatching(/-24h or -7d/) },
  ]);
});

test("a body does not accept dates or relative instants", () => {
  for (const text of ["2026-04-22", "-24h"]) {
    expect(issuesOf(timestamp, text)).toHaveLength(1);
  }
});
