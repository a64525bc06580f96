import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { linesOf } from "../helpers/csv.ts";
import { operations } from "../helpers/operations.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

const page = z.object({
  data: z.array(z.record(z.string(), z.unknown())).min(1),
  meta: z.looseObject({}),
});

const lists = operations.filter(
  ({ query }) => query instanceof z.ZodObject && "fields" in query.shape,
);

let organization: PopulatedOrganization;

beforeAll(async () => {
  organization = await mintPopulatedOrganization();
});

const get = (path: string, query: string, accept = "application/json") =>
  openApi().send("GET", `${path}?${query}`, {
    key: organization.keys.owner,
    headers: { Accept: accept },
  });

test("every list of records accepts fields", () => {
  expect(lists.map(({ path }) => path.replace("/api/v1/", "")).sort()).toMatchSnapshot();
});

describe.each(lists)("$name", ({ path }) => {
  test.each(["limit=50", "limit=0"])("returns only the chosen fields, with %s", async (limit) => {
    const { data: whole } = page.parse((await get(path, limit)).body);
    const names = Object.keys(whole[0] ?? {});
    const chosen = [names[0], names.at(-1)].map(String);
    const query = `${limit}&fields=${chosen.join(",")}`;
    const expected = whole.map((record) =>
      Object.fromEntries(chosen.map((name) => [name, record[name]])),
    );
    const { data, meta } = page.parse((await get(path, query)).body);
    expect(data).toEqual(expected);
    expect(meta["pagination"]).toMatchObject({ total_count: whole.length });

    const lines = (await get(path, query, "application/x-ndjson")).text.trim().split("\n");
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual(expected);

    const table = linesOf((await get(path, query, "text/csv")).text);
    const all = linesOf((await get(path, limit, "text/csv")).text);
    const isChosen = (_: string, column: number) =>
      chosen.includes(all[0]?.[column]?.split(".")[0] ?? "");
    expect(table).toEqual(all.map((line) => line.filter(isChosen)));
  });

  test("accepts the names of all fields", async () => {
    const { data } = page.parse((await get(path, "limit=1")).body);
    const names = Object.keys(data[0] ?? {}).join(",");
    expect(page.parse((await get(path, `limit=1&fields=${names}`)).body).data).toEqual(data);
  });

  test("rejects unknown, repeated and empty names", async () => {
    for (const fields of [
      "idd",
      "id,id",
      "",
      "id,",
      "id, created_at",
      "id&fields=id",
      "__proto__",
      "constructor",
      "x".repeat(1000),
      "x".repeat(1001),
    ]) {
      expect(seen(await get(path, `fields=${fields}`))).toEqual(invalidAt("query.fields"));
    }
  });
});

test("the error for an unknown field names the field that was probably meant", async () => {
  const { body } = await get("/api/v1/hosts", "fields=nam");
  expect(body).toMatchObject({ error: expect.stringContaining('"nam" is not a field') });
  expect(body).toMatchObject({ error: expect.stringContaining("did you mean name") });
});

test("a host's children cannot be both chosen and omitted", async () => {
  const query = "include_children=false&fields=name,services";
  expect(seen(await get("/api/v1/hosts", query))).toEqual(invalidAt("query.fields"));
  for (const other of ["include_children=false&fields=name", "fields=name,services"]) {
    expect(await get("/api/v1/hosts", other)).toMatchObject({ status: 200 });
  }
});

test("a page continues with the same fields only", async () => {
  const { id } = organization;
  const first = await get("/api/v1/tags", "limit=1&fields=name");
  const cursor = z
    .object({ meta: z.object({ pagination: z.object({ next_cursor: z.string() }) }) })
    .parse(first.body).meta.pagination.next_cursor;
  expect(id).not.toBe("");
  expect(await get("/api/v1/tags", `limit=1&fields=name&cursor=${cursor}`)).toMatchObject({
    status: 200,
  });
  expect(seen(await get("/api/v1/tags", `limit=1&fields=id&cursor=${cursor}`))).toEqual(
    invalidAt("query.cursor"),
  );
});
