import { describe, expect, test } from "vitest";
import * as z from "zod";
import { pageQuery } from "../../src/http/input/page.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";
import { routes } from "../helpers/routes.ts";

const schema = z.strictObject(pageQuery);

const badIntegers = [
  "",
  "1e3",
  "0x10",
  "0b1",
  "-0",
  "-1",
  " 5",
  "5 ",
  "5.0",
  ".5",
  "+5",
  "1_000",
  "1,000",
  "05",
  "٥",
  "５",
  "NaN",
  "Infinity",
  "null",
  "all",
  "[]",
  "5\0",
  "5\n",
  "9007199254740993",
  "99999999999999999999",
];

const bad = [
  ...badIntegers.flatMap((value) => [
    { parameter: "limit", value },
    { parameter: "offset", value },
  ]),
  { parameter: "limit", value: "1001" },
  { parameter: "limit", value: "2147483647" },
  { parameter: "offset", value: "2147483648" },
  { parameter: "offset", value: "4294967296" },
];

test.each(bad)("rejects $parameter=$value", ({ parameter, value }) => {
  expect(pathsOf(schema, { [parameter]: value })).toEqual([parameter]);
});

test.each([
  [{ limit: ["5", "5"] }, "must be given only once"],
  [{ limit: "1001" }, "must be a whole number from 0 to 1000"],
  [{ offset: "x" }, "must be a whole number from 0 to 2147483647"],
])("the issue for %j describes valid values", (query, message) => {
  expect(issuesOf(schema, query)).toMatchObject([{ message }]);
});

test.each([
  [{}, { limit: 50, offset: 0 }],
  [{ limit: "0" }, { limit: 0, offset: 0 }],
  [{ limit: "1" }, { limit: 1, offset: 0 }],
  [{ limit: "1000" }, { limit: 1000, offset: 0 }],
  [{ offset: "0" }, { limit: 50, offset: 0 }],
  [{ offset: "2147483647" }, { limit: 50, offset: 2_147_483_647 }],
])("parses %j as %j", (query, expected) => {
  expect(schema.parse(query)).toEqual(expected);
});

const paged = routes.flatMap(({ name, query }) =>
  query instanceof z.ZodObject && "limit" in query.shape ? [{ name, shape: query.shape }] : [],
);
// An operation that accepts list parameters but returns one record ignores them.
const lists = paged.filter(
  ({ name, shape }) => "offset" in shape && name !== "GET /api/v1/organizations",
);
/** The operations whose `limit` chooses the best or lowest results, of which there are no pages. */
const unpaged = ["GET /api/v1/search", "GET /api/v1/subnets/:id/available-ips"];
const walks = paged.filter(({ name, shape }) => !("offset" in shape || unpaged.includes(name)));

test("paged operations without an offset have a cursor", () => {
  expect(walks.filter(({ shape }) => !("cursor" in shape))).toEqual([]);
  expect(walks).not.toEqual([]);
});

describe.each(lists)("$name", ({ shape }) => {
  test("has the same paging parameters as every other list", () => {
    expect(shape).toMatchObject(pageQuery);
  });
});
