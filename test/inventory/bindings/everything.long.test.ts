import { expect, test } from "vitest";
import { chunkFactors } from "../../../src/http/limits/stream-limits.ts";
import { chunkSizes } from "../../../src/http/list/read-by-key.ts";
import { listed } from "../../helpers/answers.ts";
import { type Api, openApi } from "../../helpers/api.ts";
import { mintManyBindings, passedInstant } from "../../helpers/binding-versions.ts";
import { sql } from "../../helpers/database.ts";
import { mintBinding, mintNetwork, mintOrganization } from "../../helpers/organization.ts";

const path = "/api/v1/bindings";
const { first } = chunkSizes;
/** The chunk size while no other list is being streamed. */
const next = chunkFactors.few * chunkSizes.next;

/** Reads the whole list page by page. */
async function everyPage(key: string, query = "") {
  const records = [];
  for (let more = true; more; ) {
    const url = `${path}?limit=1000&offset=${records.length}${query}`;
    const answer = await openApi().send("GET", url, { key });
    const page = listed(answer.body);
    records.push(...page);
    more = page.length === 1000;
  }
  return records;
}

/** Opens the whole list, reads its first chunk, and returns a function that reads the rest. */
async function openEverything(api: Api, key: string, query = "") {
  const response = await api.open("GET", `${path}?limit=0${query}`, { key });
  expect(response.status).toBe(200);
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  const first = await reader?.read();
  let text = decoder.decode(first?.value, { stream: true });
  return async (): Promise<unknown> => {
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) {
        return JSON.parse(text);
      }
      text += decoder.decode(chunk.value, { stream: true });
    }
  };
}

test.each([
  ["nothing", 0, 1],
  ["just below a chunk", first - 1, 1],
  ["exactly one chunk", first, 2],
  ["just above a chunk", first + 1, 2],
  ["exactly two chunks", first + next, 3],
  ["more than two chunks", first + next + 300, 3],
])("limit=0 equals paging: %s", async (_, count, calls) => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintManyBindings(organizationId, networks[0], count);
  const answer = await api.send("GET", `${path}?limit=0`, { key: keys.viewer });
  expect(answer.status).toBe(200);
  expect(answer.body, answer.text.slice(-200)).toMatchObject({
    success: true,
    meta: {
      pagination: { total_count: count, limit: 0, offset: 0, has_more: false, next_cursor: null },
    },
  });
  expect(listed(answer.body)).toEqual(await everyPage(keys.viewer));
  expect(listed(answer.body)).toHaveLength(count);
  expect(await api.calls()).toBe(calls);
});

test("limit=0 with an offset beyond the end returns the total count", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintManyBindings(organizationId, networks[0], 3);
  const answer = await api.send("GET", `${path}?limit=0&offset=5`, { key: keys.viewer });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      data: [],
      meta: {
        pagination: { total_count: 3, limit: 0, offset: 5, has_more: false, next_cursor: null },
      },
    },
  });
  expect(await api.calls()).toBe(1);
});

test("limit=0 with an offset skips only the first bindings", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintManyBindings(organizationId, networks[0], 2600);
  const answer = await api.send("GET", `${path}?limit=0&offset=734`, { key: keys.viewer });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    meta: {
      pagination: { total_count: 2600, limit: 0, offset: 734, has_more: false, next_cursor: null },
    },
  });
  expect(listed(answer.body)).toEqual((await everyPage(keys.viewer)).slice(734));
});

test("limit=0 applies the filters in every chunk", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintManyBindings(organizationId, networks[0], 1600);
  await mintManyBindings(organizationId, networks[1], 1600);
  const query = `&network_id=${networks[1].id}`;
  const answer = await api.send("GET", `${path}?limit=0${query}`, { key: keys.viewer });
  expect(answer.status).toBe(200);
  expect(listed(answer.body)).toHaveLength(1600);
  expect(listed(answer.body)).toEqual(await everyPage(keys.viewer, query));
});

test("limit=0 with an instant equals paging, with closed versions in every chunk", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintManyBindings(organizationId, networks[0], 2600);
  const at = await passedInstant();
  await sql`delete from bindings where organization_id = ${organizationId} and get_byte(uuid_send(id), 0) < 160`;
  await sql`update bindings set ip_address_id = ${networks[0].ip_address_ids[0]}
    where organization_id = ${organizationId} and valid_to is null
      and get_byte(uuid_send(id), 0) < 176`;
  const answer = await api.send("GET", `${path}?limit=0&at=${at}`, { key: keys.viewer });
  expect(answer.status).toBe(200);
  expect(listed(answer.body)).toHaveLength(2600);
  expect(listed(answer.body)).toEqual(await everyPage(keys.viewer, `&at=${at}`));
  const closed = listed(answer.body).filter(({ valid_to }) => valid_to !== null);
  expect(closed.length).toBeGreaterThan(1300);
});

test.each(["", "&at=2999-01-01T00:00:00Z"])(
  "limit=0 does not reflect concurrent writes%s",
  async (query) => {
    const api = openApi();
    const { id: organizationId, keys, networks } = await mintOrganization();
    const [network] = networks;
    await mintManyBindings(organizationId, network, 3100);
    const before = await everyPage(keys.viewer);
    const readOn = await openEverything(api, keys.viewer, query);

    const added = await mintNetwork(organizationId);
    const [address] = network.ip_address_ids;
    await sql.transaction([
      sql`update bindings set ip_address_id = ${address}
        where organization_id = ${organizationId} and get_byte(uuid_send(id), 0) % 16 = 0`,
      sql`delete from bindings
        where organization_id = ${organizationId} and get_byte(uuid_send(id), 0) % 3 = 1
          and valid_to is null`,
    ]);
    // The new bindings sort between the existing ones.
    await mintManyBindings(organizationId, added, 1000, new Date().toISOString());
    await sql`delete from services where organization_id = ${organizationId} and id = ${added.service_id}`;
    await mintBinding(organizationId, network);

    const body = await readOn();
    expect(body).toMatchObject({ meta: { pagination: { total_count: 3100 } } });
    expect(listed(body)).toEqual(before);
    expect(listed((await openApi().send("GET", path, { key: keys.viewer })).body)).not.toEqual(
      before.slice(0, 50),
    );
    expect(await api.calls()).toBe(1 + Math.ceil((3100 - first) / next));
  },
);
