import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { openApi } from "../helpers/api.ts";
import { paths as describedPaths } from "../helpers/document.ts";
import { limitCases } from "../helpers/limit-cases.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { type Route, routes } from "../helpers/routes.ts";

/** A list that can be ordered, with its parameters as its route declares them. */
interface List {
  path: string;
  fields: readonly string[];
  filters: readonly string[];
  hasHistory: boolean;
  query: z.ZodObject;
}

/** Parameters that are not filters. */
const others = [
  ...["limit", "offset", "cursor", "at"],
  ...["group_by", "order_by", "order_direction", "include_children", "include", "fields"],
];

function listOf({ method, path, query }: Route): List[] {
  const field = query instanceof z.ZodObject ? query.shape["order_by"] : undefined;
  if (method !== "GET" || !(query instanceof z.ZodObject) || !(field instanceof z.ZodOptional)) {
    return [];
  }
  const names = Object.keys(query.shape);
  return [
    {
      path,
      fields: z.array(z.string()).parse(z.instanceof(z.ZodEnum).parse(field.unwrap()).options),
      filters: names.filter((name) => !others.includes(name)),
      hasHistory: names.includes("at"),
      query,
    },
  ];
}

const lists = routes.flatMap(listOf);

const record = z.looseObject({ id: z.string() });
type Item = z.output<typeof record>;

const page = z.object({
  data: z.array(record),
  meta: z.object({
    pagination: z.object({ total_count: z.int(), next_cursor: z.string().nullable() }),
  }),
});

const described = z.record(
  z.string(),
  z.object({
    get: z
      .object({
        parameters: z
          .array(
            z.object({
              name: z.string().optional(),
              examples: z.object({ default: z.object({ value: z.unknown() }) }).optional(),
            }),
          )
          .default([]),
      })
      .optional(),
  }),
);
const paths = described.parse(describedPaths);

/** Returns the OpenAPI document's example for a parameter. */
const exampleOf = ({ path }: List, name: string): unknown => {
  const parameters = paths[path]?.get?.parameters ?? [];
  const example = parameters.find((one) => one.name === name)?.examples?.default.value;
  return Array.isArray(example) ? example[0] : example;
};

/** Yields the values within records, with their field names. */
function* leavesOf(value: unknown, name: string): Generator<[string, string]> {
  if (Array.isArray(value)) {
    for (const one of value) {
      yield* leavesOf(one, name);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [field, one] of Object.entries(value)) {
      yield* leavesOf(one, field);
    }
  } else if (value !== null) {
    yield [name, `${value}`];
  }
}

/** Returns values that a filter might match, most likely first. */
function candidatesOf(list: List, name: string, items: readonly Item[]): string[] {
  const leaves = items.flatMap((item) => [...leavesOf(item, "")]);
  const stem = name.replace(/_(ids?|before|after)$/, "");
  const named = (test: (field: string) => boolean) =>
    leaves.flatMap(([field, value]) => (test(field) ? [value] : []));
  const schema = list.query.shape[name];
  return [
    ...new Set([
      ...named((field) => field === name || field === `${name}s`),
      ...named((field) => field.startsWith(stem) || field.includes(name)),
      ...[exampleOf(list, name)].map(String),
      ...(name === "ids" ? named((field) => field === "id") : []),
      ...named((field) => field === "name"),
      ...leaves.map(([, value]) => value),
    ]),
  ].filter((value) => z.instanceof(z.ZodType).parse(schema).safeParse(value).success);
}

/** The maximum number of values to try for a filter. */
const maximumTrials = 12;

/** Fields whose values are strings in responses, but not in the database. */
const notOrderedAsText = ["cidr", "ip_address", "permissions"];

/** Compares two values of a field: nulls come last, and strings are compared by code point. */
function compared(one: unknown, other: unknown): number {
  if (one === null || other === null) {
    return Number(one === null) - Number(other === null);
  }
  if (typeof one === "number" && typeof other === "number") {
    return one - other;
  }
  return one === other ? 0 : `${one}` < `${other}` ? -1 : 1;
}

describe("list parameters", () => {
  let organization: PopulatedOrganization;
  let past: string;
  /** Records from all lists, as values for filters on other kinds of records. */
  const pool: Item[] = [];
  const api = openApi();

  const send = (path: string, query: Record<string, string>) =>
    api.send("GET", `${path}?${new URLSearchParams(query)}`, { key: organization.keys.owner });

  /**
   * Reads the records in a list: the first two as the first page, and the others with its cursor.
   */
  async function read(path: string, query: Record<string, string>): Promise<Item[]> {
    const first = await send(path, { ...query, limit: "2" });
    expect({ query, status: first.status, text: first.status === 200 || first.text }).toEqual({
      query,
      status: 200,
      text: true,
    });
    const { data, meta } = page.parse(first.body);
    const { next_cursor: cursor, total_count } = meta.pagination;
    if (cursor !== null) {
      const next = await send(path, { ...query, limit: "1000", cursor });
      expect({ query, status: next.status }).toEqual({ query, status: 200 });
      data.push(...page.parse(next.body).data);
    }
    expect({ query, count: data.length }).toEqual({ query, count: total_count });
    return data;
  }

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
    const { key, network } = { key: organization.keys.owner, network: organization.network.id };
    const report = (round: number) => ({
      hosts: [1, 2, 3].map((host) => ({
        name: `Reported ${4 - host}`,
        hostname: host === 2 ? null : `reported-${host + round}.example.com`,
        addresses: [
          { ip_address: `198.51.100.${10 + host}`, mac_address: `02:00:5E:00:00:0${host}` },
        ],
        ports: [
          { number: 443, protocol: "Tcp", service: { name: `Web ${host}`, definition: "Nginx" } },
          { number: 8000 + host, protocol: "Tcp" },
          { number: 53, protocol: "Udp", service: { name: "DNS", definition: "DNS Server" } },
        ],
        interfaces: [{ if_index: host, name: `eth${host}`, ip_addresses: [] }],
      })),
    });
    const reportTo = async (round: number) =>
      expect(
        await api.send("POST", `/api/v1/networks/${network}/imports`, { key, json: report(round) }),
      ).toMatchObject({ status: 200 });
    await reportTo(0);
    past = new Date().toISOString();
    await reportTo(1);
    for (const name of ["B", "a", "C"]) {
      for (const [path, json] of [
        ["networks", { name }],
        ["tags", { name }],
        ["subnets", { network_id: network, cidr: `10.${name.charCodeAt(0)}.0.0/16`, name }],
      ] as const) {
        expect(await api.send("POST", `/api/v1/${path}`, { key, json })).toMatchObject({
          status: 201,
        });
      }
    }
    for (const { path } of lists) {
      pool.push(...(await read(path, {})));
    }
  }, 60_000);

  test("are tested on more than ten lists", () => {
    expect(lists.length).toBeGreaterThan(10);
  });

  test.each(lists)(
    "$path: every order works with every filter across pages, with and without q and at",
    { timeout: 120_000 },
    async (list) => {
      const { path, fields, filters, hasHistory, query } = list;
      const childless = query.shape["include_children"] ? { include_children: "false" } : {};
      for (const instant of hasHistory ? [{}, { at: past }] : [{}]) {
        const at = { ...childless, ...instant };
        const records = await read(path, at);
        const chosen = new Map<string, { sent: Record<string, string>; ids: Set<string> }>();
        for (const name of filters) {
          const candidates = candidatesOf(list, name, [...records, ...pool]).slice(
            0,
            maximumTrials,
          );
          expect({ path, name, candidates }).not.toEqual({ path, name, candidates: [] });
          for (const value of candidates) {
            const sent = { [name]: value };
            const ids = new Set((await read(path, { ...at, ...sent })).map(({ id }) => id));
            if (!chosen.get(name)?.ids.size || ids.size > 0) {
              chosen.set(name, { sent, ids });
            }
            if (ids.size > 0 && ids.size < records.length) {
              break;
            }
          }
        }
        const q = chosen.get("q");
        const selections = [
          { sent: {}, ids: null, searched: null },
          ...[...chosen].flatMap(([name, { sent, ids }]) => [
            { sent, ids, searched: null },
            ...(q && name !== "q" ? [{ sent: { ...sent, ...q.sent }, ids, searched: q.ids }] : []),
          ]),
        ];
        for (const [index, order_by] of limitCases([...fields.entries()], 2)) {
          const group_by = fields[(index + 1) % fields.length] ?? order_by;
          const order = { order_by, group_by, order_direction: index % 2 === 0 ? "asc" : "desc" };
          const sorted = (await read(path, { ...at, order_by })).map((item) => item[order_by]);
          if (
            !notOrderedAsText.includes(order_by) &&
            sorted.every((one) => typeof one !== "object")
          ) {
            expect({ order_by, sorted }).toEqual({ order_by, sorted: [...sorted].sort(compared) });
          }
          const inOrder = (await read(path, { ...at, ...order })).map(({ id }) => id);
          expect(new Set(inOrder)).toEqual(new Set(records.map(({ id }) => id)));
          for (const { sent, ids, searched } of selections) {
            const selected = (await read(path, { ...at, ...sent, ...order })).map(({ id }) => id);
            const expected = inOrder.filter(
              (id) => (ids?.has(id) ?? true) && (searched?.has(id) ?? true),
            );
            expect({ sent, order, selected }).toEqual({ sent, order, selected: expected });
          }
        }
      }
    },
  );
});
