import { expect, test, vi } from "vitest";
import { maximumOfHost } from "../../../src/discovery/ingest/result.ts";
import { importResult } from "../../../src/imports/model.ts";
import { sql } from "../../helpers/database.ts";
import { openInventory } from "../../helpers/inventory.ts";
import { raiseScanner, wireHost } from "../../helpers/protocol.ts";

// Each test creates thousands of records.
vi.setConfig({ testTimeout: 90_000 });

const newId = () => crypto.randomUUID();

/**
 * Statements that run as the database owner, so that their rows are not counted. Each statement
 * adds one child to a host for every number from $4 to $5.
 */
const fillings = {
  "ip-addresses": `insert into ip_addresses (organization_id, network_id, host_id, address)
    select $1, $2, $3, inet '172.16.0.0' + number from generate_series($4::int, $5::int) as number`,
  ports: `insert into ports (organization_id, network_id, host_id, number, protocol)
    select $1, $2, $3, number, 'Tcp' from generate_series($4::int, $5::int) as number`,
  interfaces: `insert into interfaces (organization_id, network_id, host_id, if_index)
    select $1, $2, $3, number from generate_series($4::int, $5::int) as number`,
  services: `insert into services (organization_id, network_id, host_id, name)
    select $1, $2, $3, 'Service ' || number from generate_series($4::int, $5::int) as number`,
} as const;

/**
 * Creates a host with one address, one interface, one service and port 65535, and returns a
 * function that adds children to it.
 */
async function openHost(inventory?: Awaited<ReturnType<typeof openInventory>>) {
  const opened = inventory ?? (await openInventory());
  const { organization, network_id } = opened;
  const [address, service, port] = [newId(), newId(), newId()];
  const { id } = await opened.create("hosts", {
    name: "Large",
    ip_addresses: [{ id: address, ip_address: "10.0.0.1" }],
    ports: [{ id: port, number: 65_535, protocol: "Tcp" }],
    interfaces: [{ if_index: 65_535 }],
    services: [{ id: service, name: "web" }],
  });
  const fill = (kind: keyof typeof fillings, from: number, to: number) =>
    sql.query(fillings[kind], [organization.id, network_id, id, from, to]);
  return { ...opened, id, address, service, port, fill };
}

const tooMany = (what: string) => ({
  status: 400,
  body: {
    code: "validation_failed",
    params: {
      issues: [
        {
          path: "body",
          code: "too_big",
          message: `would exceed the maximum of 5,000 ${what} of one host: remove some first`,
        },
      ],
    },
  },
});

test.each([
  ["ip-addresses", "addresses", (place: number) => ({ ip_address: `10.0.1.${place}` })],
  ["ports", "ports", (place: number) => ({ number: 60_000 + place, protocol: "Udp" })],
  ["interfaces", "interfaces", (place: number) => ({ if_index: 60_000 + place })],
  ["services", "services", (place: number) => ({ name: `new ${place}` })],
] as const)("a host has at most 5,000 %s", async (kind, what, make) => {
  const { id: host_id, fill, send, create, remove } = await openHost();
  await fill(kind, 1, maximumOfHost - 2);
  const last = await create(kind, { host_id, ...make(1) });
  expect(await send("POST", kind, { host_id, ...make(2) })).toMatchObject(tooMany(what));
  expect(await send("POST", `${kind}/bulk`, [{ host_id, ...make(3) }])).toMatchObject(
    tooMany(what),
  );
  await remove(kind, last.id);
  await create(kind, { host_id, ...make(2) });
});

test("a host has at most 5,000 bindings", async () => {
  const { id, organization, network_id, fill, send, address, service, port } = await openHost();
  await fill("ports", 1, maximumOfHost - 1);
  await sql.query(
    `insert into bindings (organization_id, network_id, host_id, service_id, type, port_id)
     select $1, $2, $3, $4, 'Port', port.id from ports as port
     where port.organization_id = $1 and port.host_id = $3 and port.id <> $5`,
    [organization.id, network_id, id, service, port],
  );
  const last = { type: "Port", service_id: service, port_id: port };
  expect(await send("POST", "bindings", last)).toMatchObject({ status: 201 });
  const [other] = await sql`insert into services (organization_id, network_id, host_id, name)
    values (${organization.id}, ${network_id}, ${id}, 'Other') returning id`;
  const beyond = { type: "IPAddress", service_id: other?.["id"], ip_address_id: address };
  expect(await send("POST", "bindings", beyond)).toMatchObject(tooMany("bindings"));
});

test("replaces the children of a full host and consolidates it within the maximum", async () => {
  const full = await openHost();
  await full.fill("ports", 1, maximumOfHost - 1);
  const other = await openHost(full);
  const { id: host_id, send } = full;
  const ports = [{ number: 7, protocol: "Udp" }];
  expect(
    await send("PUT", `hosts/${other.id}`, {
      network_id: full.network_id,
      name: "Other",
      ports: [...ports, { number: 8, protocol: "Udp" }],
    }),
  ).toMatchObject({ status: 200 });
  expect(await send("PUT", `hosts/${host_id}/consolidate/${other.id}`)).toMatchObject(
    tooMany("ports"),
  );
  // A list replaces all existing children, regardless of their number.
  expect(await full.replace("hosts", host_id, { name: "Large", ports })).toMatchObject({ ports });
  expect(await send("PUT", `hosts/${host_id}/consolidate/${other.id}`)).toMatchObject({
    status: 200,
  });
});

test("an import skips children beyond a host's maximum, and reports an issue, even in a dry run", async () => {
  const { id, fill, send, network_id, list } = await openHost();
  await fill("ports", 1, maximumOfHost - 3);
  const report = {
    hosts: [
      {
        addresses: [{ ip_address: "10.0.0.1" }],
        ports: [6001, 6002, 6003, 6004].map((number) => ({ number, protocol: "Tcp" })),
      },
      { addresses: [{ ip_address: "10.0.0.2" }] },
    ],
  };
  const take = async (query: string) => {
    const answer = await send("POST", `networks/${network_id}/imports${query}`, report);
    expect(answer).toMatchObject({ status: 200 });
    return importResult.parse(Object(answer.body)["data"]);
  };
  const issues = [
    {
      path: "hosts[0]",
      code: "too_many",
      message:
        "would exceed the maximum of 5,000 ports of one host (omitted: 2): remove some first",
    },
  ];
  const expected = [
    { outcome: "changed", host_id: id, issues },
    { outcome: "created", issues: [] },
  ];
  expect((await take("?dry_run=true")).hosts).toMatchObject(expected);
  expect((await take("")).hosts).toMatchObject(expected);
  const bindings = await list("bindings", { limit: "10" });
  expect(bindings).toHaveLength(2);
  const again = [
    { outcome: "unchanged", issues },
    { outcome: "unchanged", issues: [] },
  ];
  expect((await take("")).hosts).toMatchObject(again);
});

test("a daemon's report is recorded without the children beyond a host's maximum", async () => {
  const scanner = await raiseScanner();
  const { organization, networkId } = scanner;
  await scanner.report({ hosts: [wireHost(networkId, "10.77.0.3", [80])] });
  await scanner.visit();
  const [host] = await sql`select id from hosts where organization_id = ${organization.id}
    and source = 'Discovery' and valid_to is null`;
  await sql.query(fillings.ports, [organization.id, networkId, host?.["id"], 1001, 5998]);
  const hosts = [wireHost(networkId, "10.77.0.3", [80, 81, 82]), wireHost(networkId, "10.77.0.4")];
  await scanner.report({ hosts });
  await scanner.visit();
  const [row] = await sql`select
      (select count(*)::int from ports where host_id = ${host?.["id"]} and valid_to is null) as ports,
      (select count(*)::int from hosts where organization_id = ${organization.id}
        and source = 'Discovery' and valid_to is null) as hosts`;
  expect(row).toEqual({ ports: maximumOfHost, hosts: 2 });
  expect((await scanner.confirmed()).hosts).toHaveLength(2);
});

test("a host's assignments have at most 5,000 addresses across all credentials", async () => {
  const { organization, id, fill, send, api } = await openHost();
  await fill("ip-addresses", 1, 999);
  const addresses = await sql`select id from ip_addresses
    where organization_id = ${organization.id} and live_host_id = ${id} order by id`;
  const ip_address_ids = addresses.map((address) => String(address["id"]));
  expect(ip_address_ids).toHaveLength(1000);
  const assign = async (to: readonly string[]) => {
    const answer = await api.send("POST", "/api/v1/credentials", {
      key: organization.keys.admin,
      json: {
        id: newId(),
        organization_id: organization.id,
        name: "Test",
        tags: [],
        assigned_network_ids: [],
        host_assignments: [{ host_id: id, ip_address_ids: to }],
        credential_type: { type: "DockerSocket" },
      },
    });
    return answer;
  };
  for (let credentials = 0; credentials < 5; credentials++) {
    expect(await assign(ip_address_ids)).toMatchObject({ status: 201 });
  }
  expect(await assign(ip_address_ids.slice(0, 1))).toMatchObject(tooMany("assigned addresses"));
  expect(await send("GET", `hosts/${id}`)).toMatchObject({ status: 200 });
});
