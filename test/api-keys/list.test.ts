import { expect, test } from "vitest";
import { listed } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { keyIdOf } from "../helpers/api-keys.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";

const path = "/api/v1/auth/keys";

async function open() {
  const api = openApi();
  const organization = await mintOrganization();
  const { id, keys, networks } = organization;
  const [backup, disabled] = [crypto.randomUUID(), crypto.randomUUID()];
  await mintKey(id, { id: backup, name: "Nightly backup" }, [networks[0].id, networks[1].id]);
  await mintKey(id, { id: disabled, name: "Old", is_enabled: false });
  const list = async (query: string, key = keys.viewer) =>
    listed((await api.send("GET", path + query, { key })).body);
  return { api, organization, backup, disabled, list };
}

test("filters match keys by id, state and text, and are combined with AND", async () => {
  const { backup, disabled, list } = await open();
  const ids = async (query: string) => (await list(query)).map(({ id }) => id);
  expect(await ids(`?ids=${backup}&ids=${disabled}&order_by=name`)).toEqual([backup, disabled]);
  expect(await ids("?is_enabled=false")).toEqual([disabled]);
  expect(await ids("?is_enabled=true")).toHaveLength(5);
  expect(await ids("?q=BACKUP")).toEqual([backup]);
  expect(await ids(`?q=${disabled}`)).toEqual([disabled]);
  expect(await ids("?q=backup&is_enabled=false")).toEqual([]);
});

test("a key limited to specific networks sees only its own networks in the network_ids of other keys", async () => {
  const { organization, backup, list } = await open();
  const { id, networks } = organization;
  const limited = await mintKey(id, {}, [networks[0].id]);
  const own = await keyIdOf(limited);
  expect(await list(`?ids=${backup}&ids=${own}&order_by=name`, limited)).toMatchObject([
    { id: backup, network_ids: [networks[0].id] },
    { id: own, network_ids: [networks[0].id] },
  ]);
});
