import { expect, test } from "vitest";
import { listed } from "../helpers/answers.ts";
import { type Api, openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";

/** For each listed kind: the number of hosts and the number of records of that kind. */
const counts = [
  ["hosts", 250, 250],
  ["services", 2600, 2600],
  ["subnets", 0, 2200],
  ["ip-addresses", 900, 1800],
  ["ports", 600, 2400],
] as const;
type Kind = (typeof counts)[number][0];

/** Creates a network with records of one kind. Hosts, services and subnets have a tag. */
async function mintNetwork(kind: Kind, hosts: number, count: number) {
  const { id, keys, tags } = await mintOrganization();
  const network = await mintEmptyNetwork(id);
  const its = sql`from hosts where organization_id = ${id} and network_id = ${network}`;
  const parts = {
    subnets: [
      sql`insert into subnets (organization_id, network_id, name, cidr)
        select ${id}, ${network}, 'Subnet', set_masklen('10.0.0.0'::inet + 256 * number, 24)::cidr
        from generate_series(1, ${count}::int) as number`,
      sql`insert into subnet_tags (organization_id, subnet_id, tag_id) select ${id}, id, ${tags[0]}
        from subnets where organization_id = ${id} and network_id = ${network}`,
    ],
    "ip-addresses": [
      sql`insert into ip_addresses (organization_id, host_id, address)
        select ${id}, own.id, '10.0.0.1'::inet + number
        from (select id ${its}) as own, generate_series(1, 2) as number`,
    ],
    ports: [
      sql`insert into ports (organization_id, host_id, number, protocol)
        select ${id}, own.id, number, 'Tcp' from (select id ${its}) as own, generate_series(1, 4) as number`,
    ],
    services: [
      sql`insert into services (organization_id, host_id, name) select ${id}, id, 'Web' ${its}`,
      sql`insert into service_tags (organization_id, service_id, tag_id) select ${id}, id, ${tags[0]}
        from services where organization_id = ${id} and network_id = ${network}`,
    ],
    bindings: [
      sql`insert into bindings (organization_id, host_id, service_id, type, port_id)
        select ${id}, ports.host_id, services.id, 'Port', ports.id
        from ports join services on services.organization_id = ${id}
          and services.live_host_id = ports.live_host_id
        where ports.organization_id = ${id} and ports.network_id = ${network} and ports.number = 1`,
    ],
  };
  const { subnets: _, ...ofHosts } = parts;
  await sql.transaction([
    sql`insert into hosts (organization_id, network_id, name, description)
      select ${id}, ${network}, 'Host ' || number, repeat('d', 500)
      from generate_series(1, ${hosts}::int) as number`,
    sql`insert into host_tags (organization_id, host_id, tag_id) select ${id}, id, ${tags[0]} ${its}`,
    ...(kind === "hosts" ? Object.values(ofHosts).flat() : parts[kind]),
  ]);
  return { id, key: keys.viewer, network, tags };
}

/** Changes, deletes and adds some records of every kind, each kind in its own transaction. */
async function changeAll({ id, network, tags }: Awaited<ReturnType<typeof mintNetwork>>) {
  const part = (rest: number) => sql.unsafe(`get_byte(uuid_send(id), 0) % 8 = ${rest}`);
  const its = sql`organization_id = ${id} and network_id = ${network} and valid_to is null`;
  await sql`delete from hosts where ${its} and ${part(0)}`;
  await sql`delete from subnets where ${its} and ${part(0)}`;
  await sql`delete from bindings where ${its} and ${part(1)}`;
  await sql`update services set name = 'Changed' where ${its} and ${part(1)}`;
  await sql`update ports set number = number + 80 where ${its} and ${part(1)}`;
  await sql`update ip_addresses set mac_address = '02:00:00:00:00:01' where ${its} and ${part(1)}`;
  await sql`update hosts set name = 'Changed' where ${its} and ${part(1)}`;
  await sql`update subnets set name = 'Changed' where ${its} and ${part(1)}`;
  await sql`delete from tags where organization_id = ${id} and id = ${tags[0]}`;
  await sql`insert into hosts (organization_id, network_id, name)
    select ${id}, ${network}, 'Added' from generate_series(1, 20)`;
  await sql`insert into ports (organization_id, host_id, number, protocol)
    select ${id}, id, 443, 'Tcp' from hosts where ${its} and name = 'Added'`;
}

/** Opens the whole list, reads its first bytes, and returns a function that reads the rest. */
async function openEverything(api: Api, key: string, path: string) {
  const response = await api.open("GET", path, { key });
  expect(response.status).toBe(200);
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let text = decoder.decode((await reader?.read())?.value, { stream: true });
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

/** Fields that versions do not have: the time of the last change to a record or its children. */
const unkept = new Set(["updated_at"]);
const kept = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (key, value) => (unkept.has(key) ? undefined : value)));

test.each(counts)(
  "a complete list of %s and its total count do not reflect concurrent writes",
  { timeout: 60_000 },
  async (name, hosts, count) => {
    const network = await mintNetwork(name, hosts, count);
    const path = `/api/v1/${name}?network_id=${network.network}&order_by=updated_at`;
    const before: unknown[] = [];
    for (let offset = 0; offset < count; offset += 1000) {
      const page = await openApi().send("GET", `${path}&limit=1000&offset=${offset}`, network);
      before.push(...listed(page.body));
    }
    expect(before).toHaveLength(count);
    const api = openApi();
    const readOn = await openEverything(api, network.key, `${path}&limit=0`);
    await changeAll(network);
    const body = await readOn();
    expect(await api.calls()).toBeGreaterThan(2);
    expect(body).toMatchObject({ meta: { pagination: { total_count: count } } });
    expect(kept(listed(body))).toEqual(kept(before));
    const after = await openApi().send("GET", `${path}&limit=0`, network);
    expect(after.body).toMatchObject({
      meta: { pagination: { total_count: listed(after.body).length } },
    });
    expect(kept(listed(after.body))).not.toEqual(kept(before));
  },
);
