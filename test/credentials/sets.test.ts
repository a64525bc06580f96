import { expect, test } from "vitest";
import { invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { credentialIn, putCredential, updateOf } from "../helpers/credentials.ts";
import { refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization, type Organization } from "../helpers/organization.ts";
import { callerOf, credentialKind, recordIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

test("returns sets sorted by id, regardless of their order in the request", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const sorted = {
    tags: [...tags].sort(),
    assigned_network_ids: networks.map((network) => network.id).sort(),
    host_assignments: networks
      .map(({ host_id, ip_address_ids }) => ({
        host_id,
        ip_address_ids: [...ip_address_ids].sort(),
      }))
      .sort((a, b) => (a.host_id < b.host_id ? -1 : 1)),
  };
  const reversed = {
    tags: sorted.tags.toReversed(),
    assigned_network_ids: sorted.assigned_network_ids.toReversed(),
    host_assignments: sorted.host_assignments
      .map(({ host_id, ip_address_ids }) => ({
        host_id,
        ip_address_ids: ip_address_ids.toReversed(),
      }))
      .reverse(),
  };
  for (const sent of [sorted, reversed]) {
    const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, sent));
    expect(credentialIn(answer)).toMatchObject(sorted);
  }
});

test("accepts ids in upper case, and returns them in lower case", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [{ id: network, host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const sent = {
    id,
    organization_id,
    tags: [tags[0]],
    assigned_network_ids: [network],
    host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }],
  };
  const upper: unknown = JSON.parse(
    JSON.stringify(sent).replace(/[0-9a-f-]{36}/g, (uuid) => uuid.toUpperCase()),
  );
  const answer = await putCredential(
    api,
    keys.admin,
    id.toUpperCase(),
    Object.assign(updateOf(organization_id), upper),
  );
  expect(credentialIn(answer)).toMatchObject(sent);
});

test.each([
  { name: "omitted", sent: {}, returned: null },
  { name: "null", sent: { ip_address_ids: null }, returned: null },
])("ip_address_ids $name assigns the whole host", async ({ sent, returned }) => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const limited = { host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }] };
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, limited)));
  const whole = { host_assignments: [{ host_id, ...sent }] };
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, whole));
  expect(credentialIn(answer).host_assignments).toEqual([{ host_id, ip_address_ids: returned }]);
});

test("rejects an empty list of addresses, and keeps the assignment", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const limited = { host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }] };
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, limited)));
  const empty = updateOf(organization_id, { host_assignments: [{ host_id, ip_address_ids: [] }] });
  const answer = await changingNothing(organization_id, () =>
    putCredential(api, keys.admin, id, empty),
  );
  expect(seen(answer)).toEqual(invalidAt("body.host_assignments[0].ip_address_ids"));
});

/** Creates 1,000 records of each kind that a credential refers to, and returns their ids. */
async function mintMany({ id, networks: [{ id: network, host_id }] }: Organization) {
  const idsOf = (rows: Record<string, unknown>[]) => rows.map((row) => String(row["id"]));
  const tags = await sql`
    insert into tags (organization_id, name)
    select ${id}, 'Test ' || number from generate_series(1, 1000) as number returning id`;
  const networks = await sql`
    insert into networks (organization_id, name)
    select ${id}, 'Test' from generate_series(1, 1000) returning id`;
  const hosts = await sql`
    insert into hosts (organization_id, network_id, name)
    select ${id}, ${network}, 'Test' from generate_series(1, 1000) returning id`;
  const addresses = await sql`
    insert into ip_addresses (organization_id, network_id, host_id, address)
    select ${id}, ${network}, ${host_id}, inet '10.0.0.0' + number
    from generate_series(1, 1000) as number returning id`;
  return {
    tags: idsOf(tags),
    networks: idsOf(networks),
    hosts: idsOf(hosts),
    addresses: idsOf(addresses),
    host_id,
  };
}

test("stores 1,000 members in every set, and returns them sorted", async () => {
  const organization = await mintOrganization();
  const many = await mintMany(organization);
  const id = await mintCredential(organization.id);
  const wholeHosts = ({ tags, networks, hosts }: typeof many) => ({
    tags,
    assigned_network_ids: networks,
    host_assignments: hosts.map((host_id) => ({ host_id, ip_address_ids: null })),
  });
  const oneHost = ({ host_id, addresses }: typeof many) => ({
    host_assignments: [{ host_id, ip_address_ids: addresses }],
  });
  const sorted = {
    tags: many.tags.toSorted(),
    networks: many.networks.toSorted(),
    hosts: many.hosts.toSorted(),
    addresses: many.addresses.toSorted(),
    host_id: many.host_id,
  };
  for (const setsOf of [wholeHosts, oneHost]) {
    const sent = updateOf(organization.id, setsOf(many));
    const answer = await putCredential(openApi(), organization.keys.admin, id, sent);
    expect(credentialIn(answer)).toMatchObject(setsOf(sorted));
  }
});

/**
 * Creates three hosts with 400 addresses each, and returns a function that lists their ids in
 * order.
 */
async function openScene() {
  const { id: organization_id, keys, networks } = await mintOrganization();
  const network_id = networks[0].id;
  const hosts = await sql`
    insert into hosts (organization_id, network_id, name)
    select ${organization_id}, ${network_id}, 'Test' from generate_series(1, 3) returning id`;
  const assignments: { host_id: string; ip_address_ids: string[] }[] = [];
  for (const host_id of hosts.map(({ id }) => String(id)).sort()) {
    const rows = await sql`
      insert into ip_addresses (organization_id, network_id, host_id, address)
      select ${organization_id}, ${network_id}, ${host_id}, inet '10.0.0.0' + number
      from generate_series(1, 400) as number returning id`;
    assignments.push({ host_id, ip_address_ids: rows.map(({ id }) => String(id)).sort() });
  }
  const id = await mintCredential(organization_id);
  /** The first `count` addresses of all three hosts. */
  const first = (count: number) =>
    assignments.map(({ host_id, ip_address_ids }, position) => ({
      host_id,
      ip_address_ids: ip_address_ids.slice(0, position < 2 ? 400 : count - 800),
    }));
  return { organization_id, key: keys.admin, id, first };
}

test("the database rejects the 1,001st address from every writer", async () => {
  const { organization_id, key, id, first } = await openScene();
  const sent = updateOf(organization_id, { host_assignments: first(999) });
  credentialIn(await putCredential(openApi(), key, id, sent));
  const [host] = first(1001).slice(-1);
  const add = (position: number) => sql`
    insert into credential_host_ip_addresses (organization_id, credential_id, host_id, ip_address_id)
    values (${organization_id}, ${id}, ${host?.host_id}, ${host?.ip_address_ids[position]})`;
  await add(199);
  expect(await refusalOf(add(200))).toEqual({
    code: "23514",
    constraint: "credential_host_ip_addresses_maximum",
  });
});

test("a network has at most 1,000 credentials", async () => {
  const organization = await mintOrganization();
  const [{ id: network }] = organization.networks;
  await sql`
    with made as (
      insert into credentials (organization_id, name, settings)
      select ${organization.id}, 'Many', '{"type": "DockerSocket"}' from generate_series(1, 999)
      returning organization_id, id)
    insert into credential_networks (organization_id, network_id, credential_id)
    select organization_id, ${network}, id from made`;
  const caller = callerOf(openApi(), organization.keys.admin, credentialKind);
  const body = updateOf(organization.id, { assigned_network_ids: [network] });
  const { id } = recordIn(await caller.create(body), 201);
  const other = await mintCredential(organization.id);
  await changingNothing(organization.id, async () => {
    const answer = await caller.create(body);
    expect(seen(answer)).toEqual(invalidAt("body.assigned_network_ids"));
    expect(answer.text).toContain("which already has 1000 credentials: remove one of them first");
    const field = "assigned_network_ids";
    expect(seen(await caller.replace(other, body))).toEqual(invalidAt(`body.${field}`));
    expect(seen(await caller.createMany([updateOf(organization.id), body]))).toEqual(
      invalidAt(`body[1].${field}`),
    );
  });
  recordIn(await caller.replace(id, body));
});
