import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { operations } from "../helpers/operations.ts";
import { mintKey, mintOrganization, type Organization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

const page = z.object({
  data: z.array(z.looseObject({ id: z.guid() })),
  meta: z.object({
    pagination: z.object({
      total_count: z.int(),
      offset: z.int(),
      limit: z.int(),
      has_more: z.boolean(),
      next_cursor: z.string().nullable(),
    }),
    etags: z.array(z.string()).optional(),
  }),
});
type Page = z.output<typeof page>;

/** Reads all pages of a list, each with the cursor from the previous page. */
async function walk(
  path: string,
  key: string,
  query: string,
  between: (pages: number) => Promise<void> = async () => {},
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const api = openApi();
    const sent = cursor === "" ? query : `${query}&cursor=${cursor}`;
    const answer = await api.send("GET", `${path}?${sent}`, { key });
    expect(answer).toMatchObject({ status: 200 });
    expect(await api.calls()).toBe(1);
    const parsed = page.parse(answer.body);
    const link = answer.headers.get("link");
    cursor = parsed.meta.pagination.next_cursor;
    expect(link === null).toBe(cursor === null);
    expect(parsed.meta.pagination.has_more).toBe(cursor !== null);
    if (link !== null) {
      const [, target = ""] = /^<(.+)>; rel="next"$/.exec(link) ?? [];
      const { pathname, searchParams } = new URL(target, "https://api.example.com");
      expect(pathname).toBe(path);
      const expected = new URLSearchParams(query);
      expected.delete("offset");
      expected.append("cursor", cursor ?? "");
      expect([...searchParams]).toEqual([...expected]);
    }
    pages.push(parsed);
    await between(pages.length);
  }
  return pages;
}

const recordsOf = (pages: Page[]) => pages.flatMap(({ data }) => data);

const lists = operations.filter(
  ({ query, path, method }) =>
    method === "GET" &&
    query instanceof z.ZodObject &&
    "cursor" in query.shape &&
    "offset" in query.shape &&
    // Only operators list organizations (`organizations/operators`).
    !("all" in query.shape) &&
    !path.includes(":"),
);

describe.each(lists)("$name", ({ path, query }) => {
  let organization: PopulatedOrganization;
  let all: z.output<typeof page>;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
    const api = openApi();
    all = page.parse(
      (await api.send("GET", `${path}?limit=1000`, { key: organization.keys.owner })).body,
    );
  });

  const shape = query instanceof z.ZodObject ? query.shape : {};
  const orders = [
    "limit=1",
    ...("order_direction" in shape
      ? ["limit=1&order_direction=desc", "limit=1&order_by=updated_at"]
      : []),
    ...("at" in shape ? ["limit=1&at="] : []),
  ];

  test.each(orders)("the pages add up to the whole list, with %s", async (query) => {
    const { keys } = organization;
    const sent = query.endsWith("at=") ? query + new Date().toISOString() : query;
    const whole = await openApi().send("GET", `${path}?${sent.replace("limit=1", "limit=1000")}`, {
      key: keys.owner,
    });
    const { data, meta } = page.parse(whole.body);
    const pages = await walk(path, keys.owner, sent);
    expect(recordsOf(pages)).toEqual(data);
    expect(pages.flatMap(({ meta: { etags = [] } }) => etags)).toEqual(meta.etags ?? []);
    expect(pages.map((one) => one.meta.pagination)).toMatchObject(
      pages.map((_, offset) => ({ total_count: data.length, limit: 1, offset })),
    );
    expect(data).toHaveLength(all.data.length);
  });

  test("rejects a cursor from another list", async () => {
    const { keys } = organization;
    const [first] = await walk("/api/v1/auth/keys", keys.owner, "limit=1");
    const cursor = first?.meta.pagination.next_cursor ?? "";
    const get = async (sent: string, key = keys.owner) =>
      seen(await openApi().send("GET", `${path}?${sent}`, { key }));
    const other = path === "/api/v1/auth/keys" ? "is_enabled=true&" : "";
    expect(await get(`${other}limit=1&cursor=${cursor}`)).toEqual(invalidAt("query.cursor"));
    expect(await get("cursor=x")).toEqual(invalidAt("query.cursor"));
    expect(await get("cursor=")).toEqual(invalidAt("query.cursor"));
    expect(await get("cursor=x&offset=1&limit=0")).toEqual(
      invalidAt("query.offset", "query.limit"),
    );
  });
});

describe("a cursor", () => {
  let organization: Organization;
  let cursor: string;
  const path = "/api/v1/tags";

  beforeAll(async () => {
    organization = await mintOrganization();
    await sql`insert into tags (organization_id, name, created_at)
      select ${organization.id}, 'Tag ' || number, timestamptz '2026-01-01' + number * interval '1 s'
      from generate_series(1, 5) as number`;
    const [first] = await walk(path, organization.keys.admin, "limit=2&q=Tag");
    cursor = first?.meta.pagination.next_cursor ?? "";
  });

  const get = async (query: string, key = organization.keys.admin) =>
    seen(await openApi().send("GET", `${path}?${query}`, { key }));

  test("accepts a different limit, and accepts its parameters in any order", async () => {
    expect(await get(`cursor=${cursor}&q=Tag&limit=3`)).toMatchObject({
      status: 200,
      body: { data: [{ name: "Tag 3" }, { name: "Tag 4" }, { name: "Tag 5" }] },
    });
  });

  test("in a Link header preserves a question mark in a parameter and omits the offset", async () => {
    const { id, keys } = await mintOrganization();
    await sql`insert into tags (organization_id, name)
      select ${id}, 'Who? ' || number from generate_series(1, 3) as number`;
    const pages = await walk(path, keys.viewer, "q=Who?&order_by=name&limit=1&offset=0");
    expect(recordsOf(pages)).toMatchObject([
      { name: "Who? 1" },
      { name: "Who? 2" },
      { name: "Who? 3" },
    ]);
  });

  test.each(["", "q=tag&", "q=Tag&order_by=name&", "q=Tag&order_direction=desc&"])(
    "is rejected with parameters other than its own: '%s'",
    async (query) => {
      expect(await get(`${query}cursor=${cursor}`)).toEqual(
        failed("validation_failed", {
          issues: [
            {
              path: "query.cursor",
              code: "custom",
              message: expect.stringMatching(
                /^is not a cursor of this request: .*with the parameters/,
              ),
            },
          ],
          issue_count: 1,
        }),
      );
    },
  );

  test("is rejected if it was forged or truncated", async () => {
    const flipped = cursor.slice(0, 40) + (cursor.at(40) === "A" ? "B" : "A") + cursor.slice(41);
    for (const other of [flipped, cursor.slice(0, -4), cursor.slice(3), "now"]) {
      expect(await get(`q=Tag&cursor=${other}`)).toEqual(invalidAt("query.cursor"));
    }
  });

  test("from the change feed is rejected by lists, and one from a list is rejected by the change feed", async () => {
    const key = organization.keys.viewer;
    const changes = await openApi().send("GET", "/api/v1/changes", { key });
    const { meta } = z.object({ meta: z.object({ next_cursor: z.string() }) }).parse(changes.body);
    expect(await get(`q=Tag&cursor=${meta.next_cursor}`)).toEqual(invalidAt("query.cursor"));
    const listed = await openApi().send("GET", `/api/v1/changes?cursor=${cursor}`, { key });
    expect(seen(listed)).toEqual(invalidAt("query.cursor"));
  });

  test("is valid only with the key that received it", async () => {
    const stranger = await mintOrganization();
    const colleague = await mintKey(organization.id, { role: "Admin" });
    for (const key of [stranger.keys.admin, colleague]) {
      expect(await get(`q=Tag&cursor=${cursor}`, key)).toEqual(invalidAt("query.cursor"));
    }
  });

  test("returns exactly once each record that exists throughout, even if records are renamed, created and deleted", async () => {
    const { id, keys } = await mintOrganization();
    const made = await sql`insert into tags (organization_id, name, created_at)
      select ${id}, 'Tag ' || number, timestamptz '2026-01-01' + (number % 3) * interval '1 s'
      from generate_series(1, 20) as number returning id`;
    const [deleted, ...kept] = made.map((row) => String(row["id"]));
    const pages = await walk(path, keys.viewer, "limit=3", async (count) => {
      await sql`update tags set name = ${`${count} `} || name where organization_id = ${id}`;
      await sql`insert into tags (organization_id, name) values (${id}, ${`New ${count}`})
        on conflict do nothing`;
      await sql`delete from tags where organization_id = ${id} and id = ${deleted}`;
      if (count > 20) {
        throw new Error("The walk does not end.");
      }
    });
    const ids = recordsOf(pages).map((record) => record.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(kept.filter((one) => !ids.includes(one))).toEqual([]);
  });
});

describe("reading all pages of records with history", () => {
  test.each(["", "&order_direction=desc", "&order_by=name", "&include_children=false"])(
    "with '%s', returns one snapshot even if records are renamed, created and deleted",
    async (order) => {
      const { id, keys } = await mintOrganization();
      const network = await mintEmptyNetwork(id);
      const api = openApi();
      const key = keys.member;
      const hosts = Array.from({ length: 12 }, (_, number) => ({
        network_id: network,
        name: `Host ${number}`,
        ports: [{ number: 22, protocol: "Tcp" }],
      }));
      const created = await api.send("POST", "/api/v1/hosts/bulk", { key, json: hosts });
      expect(created.status).toBe(201);
      const path = "/api/v1/hosts";
      const { data } = page.parse(
        (await api.send("GET", `${path}?limit=1000${order}`, { key })).body,
      );
      const pages = await walk(path, key, `limit=5${order}`, async () => {
        const names = data.map((host) => host.id);
        const last = names.at(-1);
        await api.send("PATCH", `${path}/${last}`, { key, json: { name: `A ${Math.random()}` } });
        await api.send("PUT", `${path}/${names.at(-2)}`, { key, json: { name: "B", ports: [] } });
        await api.send("DELETE", `${path}/${names.at(-3)}`, { key });
        await api.send("POST", path, { key, json: { network_id: network, name: "A new one" } });
      });
      // Values whose changes do not start a version are returned as of the time of reading.
      const stable = ({ updated_at: _, ...host }: Page["data"][number]) => host;
      expect(recordsOf(pages).map(stable)).toEqual(data.map(stable));
    },
  );

  test("resolves relative instants once, for all pages", async () => {
    const { id, keys } = await mintOrganization();
    const network = await mintEmptyNetwork(id);
    const api = openApi();
    const key = keys.member;
    const path = "/api/v1/hosts";
    const hosts = [1, 2, 3].map((number) => ({ network_id: network, name: `Host ${number}` }));
    await api.send("POST", `${path}/bulk`, { key, json: hosts });
    const pages = await walk(
      path,
      key,
      "at=-0m&last_seen_before=-0d&q=Host&order_by=name&limit=1",
      async () => {
        // The instants must not move on with the clock.
        await new Promise((resolve) => setTimeout(resolve, 20));
        const listed = page.parse((await api.send("GET", path, { key })).body);
        for (const { id } of listed.data) {
          await api.send("PATCH", `${path}/${id}`, { key, json: { name: `Other ${id}` } });
        }
      },
    );
    expect(recordsOf(pages)).toMatchObject(hosts);
    const cursor = pages[0]?.meta.pagination.next_cursor;
    const other = `at=-1m&last_seen_before=-0d&q=Host&order_by=name&cursor=${cursor}`;
    expect(seen(await api.send("GET", `${path}?${other}`, { key }))).toEqual(
      invalidAt("query.cursor"),
    );
  });
});
