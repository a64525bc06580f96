import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialIn, putCredential, updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization, type Organization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

/** Adds records until there are 1,001 of each kind that a credential refers to. Returns their ids. */
async function mintMany({ id, networks: [{ id: network, host_id }] }: Organization) {
  const idsOf = (rows: Record<string, unknown>[]) => rows.map((row) => String(row["id"]));
  const tags = await sql`
    insert into tags (organization_id, name)
    select ${id}, 'Tag ' || number from generate_series(1, 1001) as number returning id`;
  const networks = await sql`
    insert into networks (organization_id, name)
    select ${id}, 'Tag ' || number from generate_series(1, 1001) as number returning id`;
  const hosts = await sql`
    insert into hosts (organization_id, network_id, name)
    select ${id}, ${network}, 'Test' from generate_series(1, 1001) returning id`;
  const addresses = await sql`
    insert into ip_addresses (organization_id, network_id, host_id, address)
    select ${id}, ${network}, ${host_id}, inet '10.0.0.0' + number
    from generate_series(1, 1001) as number returning id`;
  return {
    tags: idsOf(tags),
    networks: idsOf(networks),
    hosts: idsOf(hosts),
    addresses: idsOf(addresses),
    host_id,
  };
}

/** An update in which one set has so many members. */
const sets: {
  set: string;
  path: string;
  sent: (many: Awaited<ReturnType<typeof mintMany>>, size: number) => Record<string, unknown>;
}[] = [
  { set: "tags", path: "body.tags", sent: ({ tags }, size) => ({ tags: tags.slice(0, size) }) },
  {
    set: "networks",
    path: "body.assigned_network_ids",
    sent: ({ networks }, size) => ({ assigned_network_ids: networks.slice(0, size) }),
  },
  {
    set: "hosts",
    path: "body.host_assignments",
    sent: ({ hosts }, size) => ({
      host_assignments: hosts.slice(0, size).map((host_id) => ({ host_id, ip_address_ids: null })),
    }),
  },
  {
    set: "addresses of a host",
    path: "body.host_assignments[0].ip_address_ids",
    sent: ({ addresses, host_id }, size) => ({
      host_assignments: [{ host_id, ip_address_ids: addresses.slice(0, size) }],
    }),
  },
];

test.each(sets)("1,000 $set are taken and come back sorted, 1,001 refused", async (row) => {
  const api = openApi();
  const organization = await mintOrganization();
  const many = await mintMany(organization);
  const id = await mintCredential(organization.id);
  const put = (size: number) =>
    putCredential(
      api,
      organization.keys.admin,
      id,
      updateOf(organization.id, row.sent(many, size)),
    );
  const sorted = {
    tags: many.tags.slice(0, 1000).sort(),
    networks: many.networks.slice(0, 1000).sort(),
    hosts: many.hosts.slice(0, 1000).sort(),
    addresses: many.addresses.slice(0, 1000).sort(),
    host_id: many.host_id,
  };
  expect(credentialIn(await put(1000))).toMatchObject(row.sent(sorted, 1000));
  const before = await rowsOf(organization.id);
  expect(await put(1001)).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: {
        issues: [{ path: row.path, message: "must have at most 1000 members", code: "too_big" }],
      },
    },
  });
  expect(await rowsOf(organization.id)).toEqual(before);
});
