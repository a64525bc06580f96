import { beforeAll, expect, test } from "vitest";
import { tags } from "../../src/database/tables/index.ts";
import { invalidAt, listed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { database, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization, type Organization } from "../helpers/organization.ts";
import { describePaging } from "../helpers/paging.ts";
import { callerOf, recordsIn, tagKind } from "../helpers/records.ts";

async function mintWithoutTags() {
  const organization = await mintOrganization();
  await sql`delete from tags where organization_id = ${organization.id}`;
  return organization;
}

describePaging(
  "/api/v1/tags",
  async ({ id: organization_id }, created_at) => {
    const id = crypto.randomUUID();
    await database.insert(tags).values({ id, organization_id, name: id, created_at });
    return id;
  },
  mintWithoutTags,
);

let organization: Organization;
let ids: string[];

beforeAll(async () => {
  organization = await mintWithoutTags();
  const { createMany } = callerOf(openApi(), organization.keys.admin, tagKind);
  const created = await createMany([
    { name: "Über", color: "Yellow", description: "ÄRGER" },
    { name: "b", color: "Amber", description: "100%" },
    { name: "a", color: "Amber" },
  ]);
  ids = recordsIn(created, 201).map(({ id }) => id);
});

const get = (query: string, key = organization.keys.viewer) =>
  openApi().send("GET", `/api/v1/tags?${query}`, { key });

const namesOf = async (query: string, key?: string) => {
  const answer = await get(query, key);
  expect(answer).toMatchObject({ status: 200 });
  return listed(answer.body).map(({ name }) => name);
};

test.each([
  ["q=über", ["Über"]],
  ["q=ÜBER", ["Über"]],
  ["q=ärger", ["Über"]],
  ["q=%25", ["b"]],
  ["q=_", []],
  ["q=A&order_by=name", ["a"]],
  ["order_by=name", ["a", "b", "Über"]],
  ["order_by=name&order_direction=desc", ["Über", "b", "a"]],
  ["order_by=color&order_direction=desc", ["Über", "a", "b"]],
  ["group_by=color&order_by=name", ["a", "b", "Über"]],
  ["group_by=color&order_by=name&order_direction=desc&limit=0", ["b", "a", "Über"]],
])("%s lists %j", async (query, names) => {
  const list = await namesOf(query);
  // Tags with the same color are ordered by id.
  expect(query.startsWith("order_by=color") ? [list[0], ...list.slice(1).sort()] : list).toEqual(
    names,
  );
});

test("ids filter the list", async () => {
  expect((await namesOf(`ids=${ids[0]}&ids=${ids[2]?.toUpperCase()}`)).sort()).toEqual([
    "a",
    "Über",
  ]);
  expect(await namesOf(`q=${ids[1]}`)).toEqual(["b"]);
});

test("rejects parameters of other lists", async () => {
  expect(seen(await get("tag_ids=x"))).toEqual(invalidAt("query.tag_ids"));
  expect(seen(await get("color=Red"))).toEqual(invalidAt("query.color"));
});

test("a key limited to specific networks lists all tags", async () => {
  expect(await namesOf("order_by=name", await mintKey(organization.id, {}, []))).toEqual([
    "a",
    "b",
    "Über",
  ]);
});
