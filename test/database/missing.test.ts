import { expect, test } from "vitest";
import { entities } from "../../src/database/collection.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintHost, mintOrganization } from "../helpers/organization.ts";

/** Returns the ids of records that a key cannot see. */
const missing = async (key: string, entity: string, ids: readonly string[]) => {
  const [, rows] = await sql.transaction([
    enter(key),
    sql`select app.missing(${entity}, ${[...ids]}::uuid[]) as ids`,
  ]);
  return rows?.[0]?.["ids"];
};

test.each(entities)("returns ids for which there is no %s", async (entity) => {
  const { keys } = await mintOrganization();
  const ids = [crypto.randomUUID(), crypto.randomUUID()];
  expect(await missing(keys.viewer, entity, ids)).toEqual(ids);
});

test("returns ids for which the organization does not have a live record", async () => {
  const [own, other] = [await mintOrganization(), await mintOrganization()];
  const [live, foreign] = [own.networks[0].host_id, other.networks[0].host_id];
  const { host_id: closed } = await mintHost(own.id, own.networks[0].id);
  await sql`delete from hosts where id = ${closed} and valid_to is null`;
  const ids = [foreign, live, closed];
  expect(await missing(own.keys.viewer, "Host", ids)).toEqual([foreign, closed]);
  expect(await missing(own.keys.viewer, "Organization", [own.id, other.id])).toEqual([other.id]);
});
