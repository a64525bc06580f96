import { describe, expect, test } from "vitest";
import { invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

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

const emptyPage = (limit: number, offset: number) =>
  succeeded([], { pagination: { total_count: 0, limit, offset, has_more: false } });

describe.each(["/api/v1/credentials", "/api/v1/bindings", "/api/v1/daemons"])("GET %s", (path) => {
  async function get(query: string) {
    const api = openApi();
    const { keys } = await mintOrganization();
    const answer = await api.send("GET", `${path}?${query}`, { key: keys.viewer });
    expect(await api.calls()).toBe(1);
    return seen(answer);
  }

  test.each(bad)("refuses $parameter=$value", async ({ parameter, value }) => {
    const query = `${parameter}=${encodeURIComponent(value)}`;
    expect(await get(query)).toEqual(invalidAt(`query.${parameter}`));
  });

  test.each(["limit", "offset"])(
    "refuses %s without a value, and with a plus",
    async (parameter) => {
      expect(await get(parameter)).toEqual(invalidAt(`query.${parameter}`));
      expect(await get(`${parameter}=+5`)).toEqual(invalidAt(`query.${parameter}`));
    },
  );

  test.each(["limit=5&limit=5", "limit=5&limit=6", "limit=5&offset=0&limit=", "limit=5&%6Cimit=5"])(
    "refuses a parameter that is given twice: %s",
    async (query) => {
      const answer = await get(query);
      expect(answer).toEqual(invalidAt("query.limit"));
      expect(answer.body).toMatchObject({
        params: { issues: [{ message: "must be given only once" }] },
      });
    },
  );

  test("says what is right", async () => {
    expect((await get("limit=1001")).body).toMatchObject({
      params: { issues: [{ message: "must be a whole number from 0 to 1000" }] },
    });
    expect((await get("offset=x")).body).toMatchObject({
      params: { issues: [{ message: "must be a whole number from 0 to 2147483647" }] },
    });
  });

  test("names all that is wrong at once", async () => {
    expect(await get("limit=1001&offset=-1")).toEqual(invalidAt("query.limit", "query.offset"));
  });

  test.each([
    { query: "", limit: 50, offset: 0 },
    { query: "limit=0", limit: 0, offset: 0 },
    { query: "limit=1", limit: 1, offset: 0 },
    { query: "limit=1000", limit: 1000, offset: 0 },
    { query: "limit=%35", limit: 5, offset: 0 },
    { query: "offset=0", limit: 50, offset: 0 },
    { query: "offset=2147483647", limit: 50, offset: 2_147_483_647 },
    { query: "limit=0&offset=2147483647", limit: 0, offset: 2_147_483_647 },
    { query: "limit=1000&offset=2147483647", limit: 1000, offset: 2_147_483_647 },
  ])("takes ?$query", async ({ query, limit, offset }) => {
    expect(await get(query)).toEqual(emptyPage(limit, offset));
  });

  test.each([
    ["unknown=1", "unknown"],
    ["unknown", "unknown"],
    ["unknown=1&unknown=2", "unknown"],
    ["Limit=5", "Limit"],
    ["limit[]=5", "limit[]"],
    ["organization_id=5", "organization_id"],
    ["__proto__=x", "__proto__"],
    ["constructor=x", "constructor"],
    ["%", "%"],
  ])("refuses unknown parameters and names the known: %s", async (query, name) => {
    const answer = await get(query);
    expect(answer).toEqual(invalidAt(`query.${name}`));
    expect(answer.body).toMatchObject({
      params: {
        issues: [
          {
            message: expect.stringMatching(
              /^is not a parameter of this request, which takes .*limit, offset$/,
            ),
          },
        ],
      },
    });
  });
});
