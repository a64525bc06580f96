import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { jsonSchemaOf } from "../../src/mcp/arguments.ts";
import { maximumResponse } from "../../src/mcp/serve.ts";
import { tools } from "../../src/mcp/tools.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { changingNothing } from "../helpers/rows.ts";

let inventory: Inventory;

beforeAll(async () => {
  inventory = await openInventory();
});

const answerSchema = z.object({
  result: z.object({
    content: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]),
    isError: z.boolean(),
  }),
});

/** Calls a tool as a client of revision 2025-11-25 does. */
async function call(name: string, sent: unknown, owner: Inventory = inventory) {
  const api = openApi();
  const { status, text, body } = await api.send("POST", "/mcp", {
    key: owner.organization.keys.member,
    headers: { "MCP-Protocol-Version": "2025-11-25" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: sent } },
  });
  expect([status, text.slice(0, 500)]).toEqual([200, expect.any(String)]);
  const { content, isError } = answerSchema.parse(body).result;
  return {
    bytes: new TextEncoder().encode(text).length,
    calls: await api.calls(),
    isError,
    output: z.record(z.string(), z.unknown()).parse(JSON.parse(content[0].text)),
  };
}

const propertySchema = z.looseObject({
  type: z.string(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minimum: z.int().optional(),
  maximum: z.int().optional(),
  maxItems: z.int().optional(),
  uniqueItems: z.boolean().optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  items: z.looseObject({ pattern: z.string() }).optional(),
});
type Property = z.output<typeof propertySchema>;

/**
 * The schema keywords that {@link beyond} violates. {@link boundless} contains those that are not
 * limits.
 */
const tested = [
  ...["type", "minLength", "maxLength", "minimum", "maximum", "maxItems", "uniqueItems", "enum"],
  ...["format", "pattern", "items"],
];
const boundless = ["description", "default"];

/** Returns this many distinct field names. */
const names = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    `f_${"abcdefghijklmnopqrstuvwxyz"[at % 26]}`.repeat(1 + at / 26),
  );

/** Returns, for each limit in a property's schema, a value just beyond the limit. */
function beyond(property: Property): [string, unknown][] {
  const { minLength, maxLength, minimum, maximum, maxItems } = property;
  return [
    ["type", { "0": 1 }],
    ["type", null],
    ...(property.type === "array" ? [["type", "id"] as [string, unknown]] : []),
    ...(minLength ? ([["minLength", "a".repeat(minLength - 1)]] as [string, unknown][]) : []),
    ...(maxLength ? ([["maxLength", "1".repeat(maxLength + 1)]] as [string, unknown][]) : []),
    ...(minimum === undefined ? [] : ([["minimum", minimum - 1]] as [string, unknown][])),
    ...(maximum === undefined ? [] : ([["maximum", maximum + 1]] as [string, unknown][])),
    ...(maxItems ? ([["maxItems", names(maxItems + 1)]] as [string, unknown][]) : []),
    ...(property.uniqueItems ? ([["uniqueItems", ["id", "id"]]] as [string, unknown][]) : []),
    ...(property.enum ? ([["enum", "constructor"]] as [string, unknown][]) : []),
    ...(property.format ? ([["format", "x"]] as [string, unknown][]) : []),
    ...(property.pattern ? ([["pattern", " \n "]] as [string, unknown][]) : []),
    ...(property.items ? ([["items", ["no such field"]]] as [string, unknown][]) : []),
  ];
}

const bounds = Object.entries(tools).flatMap(([name, { input }]) => {
  const { properties } = z
    .object({ properties: z.record(z.string(), propertySchema) })
    .parse(jsonSchemaOf(input));
  return [
    { name, argument: "no_such_argument", keyword: "additionalProperties", value: 1 },
    ...Object.entries(properties).flatMap(([argument, property]) =>
      beyond(property).map(([keyword, value]) => ({ name, argument, keyword, value })),
    ),
  ];
});

test("every keyword in the tools' schemas is either tested here or not a limit", () => {
  const stated = Object.values(tools).flatMap(({ input }) =>
    Object.values(
      z
        .looseObject({ properties: z.record(z.string(), z.object({}).loose()) })
        .parse(jsonSchemaOf(input)).properties,
    ).flatMap(Object.keys),
  );
  expect(
    [...new Set(stated)].filter((keyword) => ![...tested, ...boundless].includes(keyword)),
  ).toEqual([]);
  for (const { input } of Object.values(tools)) {
    expect(jsonSchemaOf(input)).toMatchObject({ type: "object", additionalProperties: false });
  }
});

test.each(bounds)(
  "$name rejects $argument beyond $keyword, and names the argument",
  async ({ name, argument, value }) => {
    const { isError, output, calls } = await changingNothing(inventory.organization.id, () =>
      call(name, { [argument]: value }),
    );
    expect({ isError, output }).toMatchObject({
      isError: true,
      output: { error: expect.stringContaining(argument) },
    });
    expect(calls).toBe(1);
  },
);

test("every string, list and number that a tool accepts has a limit", () => {
  const unbounded = Object.entries(tools).flatMap(([name, { input }]) =>
    Object.entries(
      z.object({ properties: z.record(z.string(), propertySchema) }).parse(jsonSchemaOf(input))
        .properties,
    ).flatMap(([argument, { type, maxLength, maxItems, enum: values, format, maximum }]) =>
      (type === "string" && !(maxLength || values || format)) ||
      (type === "array" && !maxItems) ||
      (type === "integer" && maximum === undefined)
        ? `${name}.${argument}`
        : [],
    ),
  );
  expect(unbounded).toEqual([]);
});

describe("fields", () => {
  const withFields = Object.entries(tools).flatMap(([name, { input }]) =>
    "fields" in input.shape ? name : [],
  );
  const needed: Readonly<Record<string, object>> = {
    get_host: { id: crypto.randomUUID() },
    timeline: { id: crypto.randomUUID() },
  };

  test.each(withFields)(
    "of %s are rejected cheaply if a field is repeated thousands of times",
    async (name) => {
      const repeated = Array.from({ length: 5400 }, () => "listens");
      const { bytes, isError } = await call(name, { ...needed[name], fields: repeated });
      expect(isError).toBe(true);
      expect(bytes).toBeLessThan(2048);
    },
  );

  test.each(withFields)("of %s are validated even if there is no record", async (name) => {
    const { isError, output } = await call(name, { ...needed[name], fields: ["hidden_away"] });
    expect({ isError, output }).toMatchObject({
      isError: true,
      output: {
        error: expect.stringMatching(/Unknown field "hidden_away". The fields are id, /),
      },
    });
  });

  test("can list any known fields, up to 40", async () => {
    const { output } = await call("find", { fields: ["nonsense"] });
    const known =
      String(output["error"]).split("The fields are ")[1]?.slice(0, -1).split(", ") ?? [];
    expect(known.length).toBeGreaterThan(30);
    const { isError } = await call("find", { fields: known.slice(0, 40) });
    expect(isError).toBe(false);
  });
});

test("the error for an unknown argument lists the tool's arguments, and is short whatever the input", async () => {
  const { output } = await call("get_host", { host: "nas" });
  expect(output["error"]).toContain(
    'Unknown argument "host": the arguments are id, name, ip, at, fields.',
  );
  const many = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`argument_${at}`, at]));
  expect((await call("get_host", many)).bytes).toBeLessThan(2048);
  const long = await call("get_host", { [`a${"\u0001".repeat(8000)}`]: 1 });
  expect(long.bytes).toBeLessThan(4096);
});

test("a response is at most 1 MiB, and the error for a larger response advises the caller to request less", async () => {
  const large = await openInventory();
  const controls = "\u0001";
  await sql`insert into hosts (organization_id, network_id, name, management_url, sys_descr, sys_name, sys_contact, model, sys_location)
    select ${large.organization.id}, ${large.network_id}, 'host ' || number, repeat(${controls}, 2048),
      repeat(${controls}, 255), repeat(${controls}, 255), repeat(${controls}, 255), repeat(${controls}, 255),
      repeat(${controls}, 255)
    from generate_series(1, 60) as number`;
  const fields = [
    "id",
    "management_url",
    "sys_descr",
    "sys_name",
    "sys_contact",
    "model",
    "sys_location",
  ];
  const whole = await call("find", { fields }, large);
  expect(whole).toMatchObject({
    isError: true,
    output: { error: expect.stringContaining("lower limit, or request fewer fields") },
  });
  expect(whole.bytes).toBeLessThan(2048);
  const part = await call("find", { fields, limit: 40 }, large);
  expect(part.isError).toBe(false);
  expect(part.bytes).toBeLessThanOrEqual(maximumResponse);
  expect(part.bytes).toBeGreaterThan(maximumResponse / 2);
});
