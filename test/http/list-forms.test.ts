import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { chosenFields, withFields } from "../../src/http/list/fields.ts";
import { csvLines, endOfLine, headerLine, labelBy } from "../../src/http/list/formats/csv.ts";
import { jsonLines, jsonOfItems } from "../../src/http/list/formats/json.ts";
import { type NextText, textOfRecords } from "../../src/http/list/formats/text.ts";
import { openApi } from "../helpers/api.ts";
import { comparedTable, linesOf } from "../helpers/csv.ts";
import { operations } from "../helpers/operations.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

const listed = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

/** Strings that are dangerous if they are interpreted as something else. */
const hostile = [
  '=HYPERLINK("https://example.com")',
  "+1",
  "-1+1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "'=1",
  "'",
  '"',
  '""',
  'a "b", c; d',
  "one\r\ntwo\nthree\rfour",
  ",",
  ";",
  "\u0001\u001b[31m",
  "\u2028\u2029",
  "\uFEFFmark",
  "👩‍👩‍👧 \u202Eright to left\u202C שלום",
  "[1]",
  '{"end":{"count":0}}',
  "a;=cmd|'/C calc'!A0",
  "a; =1",
  "a,@SUM(1)",
  "a\t+1",
  "a\u2028-1",
  'a;"=1"',
  "＝1+1",
  "a;＋1;－1;＠1",
  " \u200B=1",
  "a;'b;''c",
];

const lists = operations.filter(({ steps }) =>
  steps.some(({ otherForms }) => otherForms?.includes("text/csv")),
);

/** Operations with an offset that are not lists, or that return several lists. */
const others = ["GET /api/v1/organizations", "GET /api/v1/diff"];

test("every list with an offset is available in all formats", () => {
  const withOffset = operations.filter(
    ({ query, name }) =>
      query instanceof z.ZodObject && "offset" in query.shape && !others.includes(name),
  );
  expect(lists.map(({ name }) => name)).toEqual(withOffset.map(({ name }) => name));
  expect(lists.length).toBeGreaterThan(13);
});

describe.each(lists)("$name", ({ path }) => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  const get = (accept: string, query: string) =>
    openApi().send("GET", `${path}?${query}`, {
      key: organization.keys.owner,
      headers: { Accept: accept },
    });

  test.each(["limit=0", "limit=2"])(
    "returns the same records with %s in every format",
    async (query) => {
      const json = await get("application/json", query);
      const { data } = listed.parse(json.body);
      const lines = await get("application/x-ndjson", query);
      expect(lines.headers.get("content-type")).toBe("application/x-ndjson");
      expect(lines.text.endsWith("\n")).toBe(true);
      const parsed = lines.text
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
      expect(parsed.slice(0, -1)).toEqual(data);
      expect(parsed.at(-1)).toMatchObject({ end: { count: data.length } });
      const csv = await get("text/csv", query);
      expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
      const table = comparedTable(csv.text, data);
      expect(table.lines).toEqual(table.expected);
      expect(table.missing).toEqual([]);
      for (const { headers, status } of [json, lines, csv]) {
        expect(status).toBe(200);
        expect(headers.get("vary")).toMatch(/\bAccept\b/);
        expect(headers.get("content-security-policy")).toBe(
          "default-src 'none'; frame-ancestors 'none'",
        );
      }
    },
  );

  test("returns errors in JSON, even if another format was requested", async () => {
    const answer = await get("text/csv", "limit=-1");
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  test("starts with a byte order mark if requested", async () => {
    const plain = await get("text/csv", "limit=1");
    const marked = await openApi().open("GET", `${path}?limit=1`, {
      key: organization.keys.owner,
      headers: { Accept: "text/csv; header=present; charset=utf-8" },
    });
    const bytes = new Uint8Array(await marked.arrayBuffer());
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(new TextDecoder().decode(bytes)).toBe(plain.text);
    expect(plain.text.startsWith("\uFEFF")).toBe(false);
  });
});

describe("hostile strings", () => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
    const api = openApi();
    const key = organization.keys.owner;
    const network_id = organization.records.networks;
    const texts = hostile.map((text) => text.trim()).filter((text) => text !== "");
    const json = texts.map((name, at) => ({
      network_id,
      name,
      description: texts.at(-at) ?? null,
      services: [{ name, service_definition: name }],
      interfaces: [{ if_index: 1, name }],
    }));
    const answer = await api.send("POST", "/api/v1/hosts/bulk", { key, json });
    expect(answer.status).toBe(201);
  });

  test.each(["limit=0", "limit=1000", "limit=0&include_children=false"])(
    "are unchanged in every format of the host list with %s",
    async (query) => {
      const get = (accept: string) =>
        openApi().send("GET", `/api/v1/hosts?${query}`, {
          key: organization.keys.viewer,
          headers: { Accept: accept },
        });
      const { data } = listed.parse((await get("application/json")).body);
      const table = comparedTable((await get("text/csv")).text, data);
      expect(table.lines).toEqual(table.expected);
      expect(table.formulas).toEqual([]);
      expect(table.missing).toEqual([]);
      expect(table.header.includes("services")).toBe(!query.includes("include_children"));
      const lines = (await get("application/x-ndjson")).text.split("\n");
      expect(lines).toHaveLength(data.length + 2);
      expect(lines.slice(0, -2).map((line): unknown => JSON.parse(line))).toEqual(data);
    },
  );
});

const member = z.object({ name: z.string() });
labelBy(member, ({ name }) => `${name}`);
const schema = z.object({
  text: z.string().nullable(),
  ids: z.array(z.string()),
  network_ids: z.array(z.string()).nullable(),
  object: z.object({ a: z.string(), b: z.object({ c: z.boolean() }).nullable() }).nullable(),
  union: z.discriminatedUnion("type", [
    z.object({ type: z.literal("A"), x: z.int() }),
    z.object({ type: z.literal("B"), y: z.string().optional() }),
  ]),
  others: z.array(z.object({ key: z.string() })),
  services: z.array(member),
});

const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", ";", "\t", "'", "=", "＠", " ", "a") }),
);
const record = fc.record({
  text: fc.option(text),
  ids: fc.array(fc.uuid(), { maxLength: 3 }),
  network_ids: fc.option(fc.array(fc.uuid(), { maxLength: 3 })),
  object: fc.option(fc.record({ a: text, b: fc.option(fc.record({ c: fc.boolean() })) })),
  union: fc.oneof(
    fc.record({ type: fc.constant("A"), x: fc.integer() }),
    fc.record({ type: fc.constant("B"), y: text }, { requiredKeys: ["type"] }),
  ),
  others: fc.array(fc.record({ key: text }), { maxLength: 2 }),
  services: fc.array(fc.record({ name: text }), { maxLength: 3 }),
});

const tableOf = (records: readonly unknown[]) =>
  headerLine({ schema }) + csvLines({ schema }).records(records, true) + endOfLine;

test("a table contains the records' values, and no formulas", () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 5 }), (records) => {
      const { lines, expected, formulas } = comparedTable(tableOf(records), records);
      expect(lines).toEqual(expected);
      expect(formulas).toEqual([]);
    }),
  );
});

test("a table truncated after its header is malformed unless it is truncated at a separator", () => {
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 3 }), fc.nat(), (records, at) => {
      const table = tableOf(records);
      let cut = at % table.length;
      while (cut > 0 && /["\r\n,]/.test(table.charAt(cut - 1))) {
        cut--;
      }
      fc.pre(cut >= headerLine({ schema }).length);
      // End the truncated line, as if it were the last line.
      expect(() => linesOf(`${table.slice(0, cut)}\r\n`)).toThrow();
    }),
    { numRuns: 1000 },
  );
});

test.each([
  undefined,
  ["services"],
  ["text"],
  ["union"],
  ["text", "services"],
  ["object", "others", "services"],
])(
  "a record that is read in parts is formatted like a whole record, in every format, with the fields %j",
  async (fields) => {
    const records = [
      {
        text: "=1",
        ids: [],
        network_ids: [],
        object: null,
        union: { type: "A", x: 1 },
        others: [],
      },
      { text: "2", ids: [], network_ids: [], object: null, union: { type: "B" }, others: [] },
    ];
    const services = [{ name: "=a" }, { name: '=b "c"' }, { name: "d;=e" }, { name: "'f" }];
    const whole = records.map((own) => ({ ...own, services }));
    const table = { schema, fields };
    const text = async (next: NextText) => {
      let written = "";
      for (let piece = await next(); piece !== null; piece = await next()) {
        written += piece;
      }
      return written;
    };
    const largeRecords = () =>
      records.map((head) => {
        const chunks = [services.slice(0, 1), services.slice(1), null];
        return {
          head,
          parts: [{ field: "services", open: async () => async () => chunks.shift() ?? null }],
        };
      });
    for (const syntax of [csvLines(table), jsonLines].map((one) => withFields(one, fields))) {
      const large = largeRecords();
      const { next } = textOfRecords(async () => large.shift() ?? null, syntax);
      expect(await text(next)).toBe(syntax.records(whole, true));
    }
    const large = largeRecords();
    const { next } = jsonOfItems(async () => large.shift() ?? null, fields);
    expect(`[${await text(next)}]`).toBe(JSON.stringify(chosenFields(whole, fields)));
  },
);
