import { expect, test } from "vitest";
import { listed } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { mintBinding, mintKey, mintOrganization } from "../../helpers/organization.ts";

const past = { valid_from: "2026-01-01T00:00:00.000Z" };
const queries = ["", "?limit=0", "?at=2026-02-01T00:00:00Z", "?limit=0&at=2026-02-01T00:00:00Z"];

/** Returns the ids that a key lists, after checking the total count. */
async function listOf(key: string, query: string) {
  const api = openApi();
  const answer = await api.send("GET", `/api/v1/bindings${query}`, { key });
  const ids = answer.status === 200 ? listed(answer.body).map(({ id }) => id) : [];
  expect(answer).toMatchObject({
    status: 200,
    body: { meta: { pagination: { total_count: ids.length } } },
  });
  expect(await api.calls()).toBe(1);
  return ids.sort();
}

test.each(queries)(
  "a key limited to a network lists and counts only the bindings in it%s",
  async (query) => {
    const { id: organizationId, networks, keys } = await mintOrganization();
    const inside = await mintBinding(organizationId, networks[0], past);
    const outside = await mintBinding(organizationId, networks[1], past);
    const key = await mintKey(organizationId, { role: "Owner" }, [networks[0].id]);
    const both = await mintKey(organizationId, {}, [networks[0].id, networks[1].id]);
    expect(await listOf(key, query)).toEqual([inside]);
    expect(await listOf(both, query)).toEqual([inside, outside].sort());
    expect(await listOf(keys.viewer, query)).toEqual([inside, outside].sort());
  },
);

test.each(["network_id", "service_id", "port_id"] as const)(
  "the %s of a network outside the key's list matches nothing, like an unknown id",
  async (name) => {
    const { id: organizationId, networks } = await mintOrganization();
    const outside = { ...networks[1], network_id: networks[1].id };
    await mintBinding(organizationId, networks[0]);
    await mintBinding(organizationId, networks[1]);
    const key = await mintKey(organizationId, { role: "Owner" }, [networks[0].id]);
    for (const id of [outside[name], crypto.randomUUID()]) {
      expect(await listOf(key, `?${name}=${id}`)).toEqual([]);
    }
  },
);

test.each(queries)("a key without networks lists nothing%s", async (query) => {
  const { id: organizationId, networks } = await mintOrganization();
  await mintBinding(organizationId, networks[0], past);
  const key = await mintKey(organizationId, { role: "Owner" }, []);
  expect(await listOf(key, query)).toEqual([]);
});

test.each(queries)("a key whose only network is deleted lists nothing%s", async (query) => {
  const { id: organizationId, networks } = await mintOrganization();
  await mintBinding(organizationId, networks[0], past);
  await mintBinding(organizationId, networks[1], past);
  const key = await mintKey(organizationId, { role: "Owner" }, [networks[0].id]);
  expect(await listOf(key, query)).toHaveLength(1);
  await sql`delete from networks where id = ${networks[0].id}`;
  expect(await listOf(key, query)).toEqual([]);
});
