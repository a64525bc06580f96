import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { recordsIn } from "../helpers/records.ts";

/** Statements that make each of an organization's hosts about 40 KB of JSON. */
const large = {
  tags: (id: string) => [
    sql`insert into tags (organization_id, name)
      select ${id}, 'Large ' || number from generate_series(1, 990) as number`,
    sql`insert into host_tags (organization_id, host_id, tag_id)
      select ${id}, hosts.id, tags.id from hosts join tags using (organization_id)
      where organization_id = ${id} and tags.name like 'Large %'`,
  ],
  "service's tags": (id: string) => [
    sql`insert into tags (organization_id, name)
      select ${id}, 'Large ' || number from generate_series(1, 990) as number`,
    sql`insert into services (organization_id, host_id, name)
      select ${id}, hosts.id, 'Service' from hosts where organization_id = ${id}`,
    sql`insert into service_tags (organization_id, service_id, tag_id)
      select ${id}, services.id, tags.id from services join tags using (organization_id)
      where organization_id = ${id} and tags.name like 'Large %'`,
  ],
  "credential assignments": (id: string) => [
    sql`insert into credentials (organization_id, name, settings)
      select ${id}, 'Credential ' || number, '{"type": "DockerSocket"}'
      from generate_series(1, 480) as number`,
    sql`insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
      select ${id}, credentials.id, hosts.id, false from credentials join hosts using (organization_id)
      where organization_id = ${id}`,
  ],
  "services' texts": (id: string) => [
    sql`insert into services (organization_id, host_id, name, service_definition)
      select ${id}, hosts.id, 'Service ' || number, repeat('d', 255)
      from hosts, generate_series(1, 40) as number where organization_id = ${id}`,
  ],
};

/** Creates a network of twenty hosts, with the records that `arrange` adds to the organization. */
async function mintNetwork(arrange: (id: string) => ReturnType<typeof sql>[]) {
  const { id, keys } = await mintOrganization();
  const network_id = await mintEmptyNetwork(id);
  await sql.transaction([
    sql`insert into hosts (organization_id, network_id, name, description)
      select ${id}, ${network_id}, 'Host ' || number, repeat('d', 500)
      from generate_series(1, 20) as number`,
    ...arrange(id),
  ]);
  const api = openApi();
  return {
    api,
    list: async (collection: string, query: string) => {
      const path = `/api/v1/${collection}?network_id=${network_id}${query}`;
      return recordsIn(await api.send("GET", path, { key: keys.viewer }));
    },
  };
}

test.each(Object.entries(large))("limits a chunk of hosts by their %s", async (_, arrange) => {
  const { api, list } = await mintNetwork(arrange);
  const hosts = await list("hosts", "&limit=0");
  // About thirteen hosts fit in the first chunk of 512 KiB, and the rest in the next one.
  expect(await api.calls()).toBe(2);
  expect(hosts).toHaveLength(20);
  expect(hosts).toEqual(await list("hosts", ""));
});

test("does not limit a chunk of hosts by the size of their children if the children are omitted", async () => {
  const { api, list } = await mintNetwork(large["services' texts"]);
  expect(await list("hosts", "&limit=0&include_children=false")).toHaveLength(20);
  expect(await api.calls()).toBe(1);
});

test("limits a chunk of services by their tags", async () => {
  const { api, list } = await mintNetwork(large["service's tags"]);
  const services = await list("services", "&limit=0");
  expect(await api.calls()).toBe(2);
  expect(services).toHaveLength(20);
});

test("limits a chunk of subnets by their tags", async () => {
  const { api, list } = await mintNetwork((id) => [
    sql`insert into tags (organization_id, name)
      select ${id}, 'Large ' || number from generate_series(1, 990) as number`,
    sql`insert into subnets (organization_id, network_id, name, cidr)
      select ${id}, networks.id, 'Large', ('10.' || number || '.0.0/16')::cidr
      from networks, generate_series(1, 20) as number
      where organization_id = ${id} and networks.name = 'Empty'`,
    sql`insert into subnet_tags (organization_id, subnet_id, tag_id)
      select ${id}, subnets.id, tags.id from subnets join tags using (organization_id)
      where organization_id = ${id} and tags.name like 'Large %'`,
  ]);
  const subnets = await list("subnets", "&limit=0");
  expect(await api.calls()).toBe(2);
  expect(subnets).toHaveLength(20);
});
