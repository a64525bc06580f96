import { beforeAll, describe, expect, test } from "vitest";
import { networks } from "../../src/database/tables/index.ts";
import { invalidAt, listed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { database, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { describePaging } from "../helpers/paging.ts";
import { callerOf, networkKind, recordIn } from "../helpers/records.ts";

async function mintWithoutNetworks() {
  const organization = await mintOrganization();
  await sql`delete from networks where organization_id = ${organization.id}`;
  return organization;
}

describePaging(
  "/api/v1/networks",
  async ({ id: organization_id }, created_at) => {
    const id = crypto.randomUUID();
    await database.insert(networks).values({ id, organization_id, name: "Test", created_at });
    return id;
  },
  mintWithoutNetworks,
);

/** Networks by name, each with a different description. */
const samples = {
  "B Über": { description: "first floor" },
  "a 100%": { description: null },
  a_b: { description: "ÄRGER" },
} as const;

async function openScene() {
  const organization = await mintWithoutNetworks();
  const api = openApi();
  const { create, replace } = callerOf(api, organization.keys.admin, networkKind);
  const [first, second] = organization.tags;
  const tagsOf: Record<string, string[]> = { "B Über": [first], "a 100%": [first, second] };
  const ids: Record<string, string> = {};
  for (const [name, sent] of Object.entries(samples)) {
    const answer = await create({ name, ...sent, tags: tagsOf[name] ?? [] });
    ids[name] = recordIn(answer, 201).id;
  }
  const namesOf = async (query: string, key = organization.keys.viewer) => {
    const answer = await api.send("GET", `/api/v1/networks?${query}`, { key });
    expect(answer).toMatchObject({ status: 200 });
    return listed(answer.body).map(({ name }) => name);
  };
  return { organization, api, ids, first, second, replace, namesOf };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  scene = await openScene();
});

const all = Object.keys(samples);

test.each([
  ["q=über", ["B Über"]],
  ["q=ÜBER", ["B Über"]],
  ["q=ärger", ["a_b"]],
  ["q=FIRST", ["B Über"]],
  ["q=%25", ["a 100%"]],
  ["q=_", ["a_b"]],
  ["q=zzz", []],
  ["q=a&q_=", null],
])("%s lists %j", async (query, names) => {
  if (names === null) {
    const answer = await scene.api.send("GET", `/api/v1/networks?${query}`, {
      key: scene.organization.keys.viewer,
    });
    expect(seen(answer)).toEqual(invalidAt("query.q_"));
    return;
  }
  expect(await scene.namesOf(query)).toEqual(names);
});

test("q matches a network by its id, regardless of case", async () => {
  const id = scene.ids["a_b"] ?? "";
  expect(await scene.namesOf(`q=${id.toUpperCase()}`)).toEqual(["a_b"]);
});

test("ids and tag_ids can be repeated and combined", async () => {
  const { ids, first, second, namesOf } = scene;
  expect(await namesOf(`ids=${ids["a_b"]}&ids=${ids["B Über"]?.toUpperCase()}`)).toEqual([
    "B Über",
    "a_b",
  ]);
  expect(await namesOf(`tag_ids=${second}`)).toEqual(["a 100%"]);
  expect(await namesOf(`tag_ids=${first}&tag_ids=${second}`)).toEqual(["B Über", "a 100%"]);
  expect(await namesOf(`tag_ids=${first}&ids=${ids["a 100%"]}&q=a`)).toEqual(["a 100%"]);
  expect(await namesOf(`tag_ids=${crypto.randomUUID()}`)).toEqual([]);
});

test("accepts at most 350 ids, and rejects invalid ones", async () => {
  const { api, organization, namesOf } = scene;
  const query = (count: number) =>
    Array.from({ length: count }, () => `ids=${crypto.randomUUID()}`).join("&");
  expect(await namesOf(query(350))).toEqual([]);
  const get = (path: string) => api.send("GET", path, { key: organization.keys.viewer });
  expect(seen(await get(`/api/v1/networks?${query(351)}`))).toEqual(invalidAt("query.ids"));
  expect(seen(await get("/api/v1/networks?ids=x"))).toEqual(invalidAt("query.ids[0]"));
  expect(seen(await get("/api/v1/networks?tag_ids="))).toEqual(invalidAt("query.tag_ids[0]"));
});

describe("the order", () => {
  test("is the order of creation by default, and names sort by code point", async () => {
    expect(await scene.namesOf("")).toEqual(all);
    expect(await scene.namesOf("order_by=name")).toEqual(["B Über", "a 100%", "a_b"]);
    expect(await scene.namesOf("order_by=name&order_direction=desc")).toEqual([
      "a_b",
      "a 100%",
      "B Über",
    ]);
    expect(await scene.namesOf("group_by=name&order_by=created_at&limit=0")).toEqual(all);
  });

  test("changes after an update if the list is ordered by updated_at", async () => {
    const own = await openScene();
    await own.replace(own.ids["B Über"] ?? "", { name: "B Über" });
    expect(await own.namesOf("order_by=updated_at")).toEqual(["a 100%", "a_b", "B Über"]);
  });

  test.each(["order_by=type", "group_by=tags", "order_direction=down"])(
    "rejects %s",
    async (query) => {
      const { api, organization } = scene;
      const answer = await api.send("GET", `/api/v1/networks?${query}`, {
        key: organization.keys.viewer,
      });
      expect(seen(answer)).toEqual(invalidAt(`query.${query.split("=")[0]}`));
    },
  );
});

test("a key limited to specific networks lists only those networks", async () => {
  const { organization, ids, namesOf } = scene;
  const key = await mintKey(organization.id, {}, [ids["a_b"] ?? ""]);
  expect(await namesOf("", key)).toEqual(["a_b"]);
  expect(await namesOf(`ids=${ids["B Über"]}`, key)).toEqual([]);
  expect(await namesOf("", await mintKey(organization.id, {}, []))).toEqual([]);
});
