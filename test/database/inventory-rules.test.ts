import { describe, expect, test } from "vitest";
import { abortionOf, enter, refusalOf, sql } from "../helpers/database.ts";
import { versionedTables } from "../helpers/inventory-state.ts";
import { mintCredential, mintHost, mintOrganization } from "../helpers/organization.ts";

/** An organization whose first network has a second host, and two subnets of different sizes. */
async function mint() {
  const organization = await mintOrganization();
  const [network] = organization.networks;
  await sql`update ip_addresses set address = '198.51.100.1'
    where organization_id = ${organization.id} and id = ${network.ip_address_ids[0]}`;
  const other = await mintHost(organization.id, network.id);
  const [wide, narrow] = [crypto.randomUUID(), crypto.randomUUID()];
  await sql`
    insert into subnets (organization_id, network_id, id, cidr, name) values
      (${organization.id}, ${network.id}, ${wide}, '10.0.0.0/8', 'Wide'),
      (${organization.id}, ${network.id}, ${narrow}, '10.1.0.0/16', 'Narrow')`;
  return { ...organization, network, other, wide, narrow };
}

type Minted = Awaited<ReturnType<typeof mint>>;

const insertAddress = ({ id }: Minted, host: string, address: string, subnet: string | null) =>
  sql`insert into ip_addresses (organization_id, host_id, address, subnet_id)
    values (${id}, ${host}, ${address}, ${subnet})`;

describe("uniqueness among live records", () => {
  test.each<[string, string, (minted: Minted) => PromiseLike<unknown>, code?: string]>([
    [
      "a CIDR in a network",
      "subnets_cidr_unique",
      ({ id, network }) => sql`insert into subnets (organization_id, network_id, cidr, name)
        values (${id}, ${network.id}, '10.0.0.0/8', 'Twin')`,
    ],
    [
      "a port of a host",
      "ports_host_unique",
      ({ id, network }) => sql`insert into ports (organization_id, host_id, number, protocol)
        values (${id}, ${network.host_id}, 443, 'Tcp')`,
    ],
    [
      "a host's address that is not in a subnet",
      "ip_addresses_host_unique",
      (minted) => insertAddress(minted, minted.network.host_id, "192.0.2.2", null),
      "23P01",
    ],
  ])("%s", async (_, constraint, insertion, code = "23505") => {
    expect(await refusalOf(insertion(await mint()))).toEqual({ code, constraint });
  });

  test("an address in a subnet, across all hosts", async () => {
    const minted = await mint();
    await insertAddress(minted, minted.network.host_id, "10.1.0.1", minted.narrow);
    const twin = insertAddress(minted, minted.other.host_id, "10.1.0.1", minted.narrow);
    expect(await refusalOf(twin)).toEqual({
      code: "23505",
      constraint: "ip_addresses_subnet_unique",
    });
    await insertAddress(minted, minted.other.host_id, "10.1.0.1", minted.wide);
  });

  test("closed records do not conflict", async () => {
    const { id, network } = await mint();
    await sql`delete from ports where organization_id = ${id} and id = ${network.port_id}`;
    await sql`insert into ports (organization_id, host_id, number, protocol)
      values (${id}, ${network.host_id}, 443, 'Tcp')`;
  });
});

test("rejects an address with a prefix length", async () => {
  const minted = await mint();
  const insertion = insertAddress(minted, minted.network.host_id, "10.1.0.1/16", null);
  expect(await refusalOf(insertion)).toEqual({
    code: "23514",
    constraint: "ip_addresses_address_check",
  });
});

test.each([
  ["10.1.2.3", "narrow"],
  ["10.2.2.3", "wide"],
  ["192.0.2.1", null],
] as const)("the smallest subnet that contains %s is %s", async (address, name) => {
  const minted = await mint();
  const [row] = await sql`
    select app.subnet_of(${minted.id}, ${minted.network.id}, ${address}) as subnet`;
  expect(row?.["subnet"]).toBe(name && minted[name]);
});

test("from the timestamp of a subnet's deletion onward, its addresses have no subnet", async () => {
  const minted = await mint();
  await insertAddress(minted, minted.network.host_id, "10.1.0.1", minted.narrow);
  await sql`select app.fix_instant()`;
  await sql`delete from subnets where organization_id = ${minted.id} and id = ${minted.narrow}`;
  const rows = await sql`
    select address.subnet_id, address.valid_from = subnet.valid_to as begins,
      address.valid_to = subnet.valid_to as ends
    from ip_addresses as address
    join subnets as subnet on subnet.live_id = ${minted.narrow}
    where address.organization_id = ${minted.id} and address.address = '10.1.0.1'
    order by address.valid_from`;
  expect(rows).toEqual([
    { subnet_id: minted.narrow, begins: false, ends: true },
    { subnet_id: null, begins: true, ends: null },
  ]);
});

describe("bindings that callers create", () => {
  /** Creates a binding as a caller does. The port or the address may be null. */
  const bind = (
    { id, keys }: Minted,
    [type, service, port, address]: [string, string, string | null, string | null],
  ) =>
    sql.transaction([
      enter(keys.member),
      sql`insert into bindings (organization_id, type, service_id, port_id, ip_address_id)
        values (${id}, ${type}, ${service}, ${port}, ${address}) returning id`,
    ]);

  /** Creates a second service on the host. */
  const mintService = async ({ id, network }: Minted) => {
    const [row] = await sql`insert into services (organization_id, host_id, name)
      values (${id}, ${network.host_id}, 'Second') returning id`;
    return String(row?.["id"]);
  };

  test.each([
    ["the same port twice on one address", ["Port", "first", "a"], ["Port", "first", "a"]],
    ["a port of two services on one address", ["Port", "first", "a"], ["Port", "second", "a"]],
    [
      "a port on one address and on all addresses",
      ["Port", "first", "a"],
      ["Port", "second", null],
    ],
    ["a port on all addresses and on one address", ["Port", "first", null], ["Port", "first", "b"]],
    ["an address and its port", ["IPAddress", "first", "a"], ["Port", "first", "a"]],
    [
      "a port on all addresses and an address",
      ["Port", "first", null],
      ["IPAddress", "first", "b"],
    ],
  ] as const)("conflict: %s", async (_, before, after) => {
    const minted = await mint();
    const { network } = minted;
    const services = { first: network.service_id, second: await mintService(minted) };
    const addresses = { a: network.ip_address_ids[0], b: network.ip_address_ids[1] };
    const of = ([type, service, address]: typeof before | typeof after) =>
      bind(minted, [
        type,
        services[service],
        type === "Port" ? network.port_id : null,
        address && addresses[address],
      ]);
    const [, [made] = []] = await of(before);
    expect((await abortionOf(of(after))).detail).toMatchObject({
      code: "binding_conflict",
      params: { id: made?.["id"] },
    });
  });

  test("conflict for the database owner as well, regardless of its settings", async () => {
    const minted = await mint();
    const { id, network } = minted;
    const second = await mintService(minted);
    const bindAsOwner = (service: string) => sql`
      insert into bindings (organization_id, type, service_id, port_id)
      values (${id}, 'Port', ${service}, ${network.port_id}) returning id`;
    const [made] = await bindAsOwner(network.service_id);
    // An earlier schema had this setting.
    const attempt = sql.transaction([
      sql`select set_config('app.seeds_conflicts', 'on', true)`,
      bindAsOwner(second),
    ]);
    expect((await abortionOf(attempt)).detail).toMatchObject({
      code: "binding_conflict",
      params: { id: made?.["id"] },
    });
  });

  test("do not conflict on different addresses, or after the other binding has ended", async () => {
    const minted = await mint();
    const { service_id, port_id, ip_address_ids } = minted.network;
    await bind(minted, ["Port", service_id, port_id, ip_address_ids[0]]);
    await bind(minted, ["IPAddress", service_id, null, ip_address_ids[1]]);
    await sql`delete from bindings where organization_id = ${minted.id} and valid_to is null`;
    await bind(minted, ["Port", service_id, port_id, null]);
  });

  test("must have a port, an address and a service on the same host", async () => {
    const minted = await mint();
    const { network, other } = minted;
    expect(
      await refusalOf(bind(minted, ["Port", network.service_id, other.port_id, null])),
    ).toEqual({ code: "23503", constraint: "bindings_port_fk" });
    expect(
      await refusalOf(
        bind(minted, ["IPAddress", network.service_id, null, other.ip_address_ids[0]]),
      ),
    ).toEqual({ code: "23503", constraint: "bindings_ip_address_fk" });
  });
});

test.each(versionedTables)(
  "changing any writable column of %s starts a new version, with a few exceptions",
  async (table) => {
    const [row] = await sql`
    select array_agg(attname::text order by attname) filter (
        where pg_get_triggerdef(pg_trigger.oid) !~ ('\\mnew\\."?' || attname || '\\M')) as not_watched
    from pg_attribute
    join pg_trigger on tgrelid = attrelid and tgname = 'history_3_version'
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;
    const never = ["created_at", "first_discovery_id", "id", "last_discovery_id", "last_seen_at"];
    const own = {
      hosts: ["discovered", "evidence", "hidden"],
      interfaces: [
        ...["discovered", "evidence"],
        ...["lldp_read_at", "cdp_read_at", "fdb_read_at", "vlans_read_at"],
      ],
      neighbors: ["discovered", "evidence"],
      ip_addresses: ["discovered", "evidence", "position"],
      services: ["discovered", "evidence", "position"],
      // Derived from the binding's service.
      bindings: ["host_id"],
    };
    expect(row?.["not_watched"]).toEqual(
      [
        ...never,
        "lineage_id",
        "organization_id",
        "revision",
        "updated_at",
        "valid_from",
        "valid_to",
        ...(Object.entries(own).find(([name]) => name === table)?.[1] ?? []),
      ].sort(),
    );
  },
);

test("callers cannot backdate a record, either with columns or with settings", async () => {
  const { id, keys, network } = await mint();
  const past = "2020-01-01T00:00:00.000Z";
  await sql.transaction([
    enter(keys.member),
    sql`select set_config('app.changed_at', ${past}, true)`,
    sql`insert into hosts (organization_id, network_id, name, created_at, valid_from, valid_to,
        lineage_id, last_seen_at)
      values (${id}, ${network.id}, 'Forged', ${past}, ${past}, ${past}, ${id}, ${past})`,
  ]);
  const [row] = await sql`
    select valid_to, lineage_id, least(created_at, valid_from, last_seen_at, updated_at) > ${past}
      as is_new
    from hosts where organization_id = ${id} and name = 'Forged'`;
  expect(row).toEqual({ valid_to: null, lineage_id: null, is_new: true });
});

test.each(["hosts", "subnets"])("the network of %s cannot change", async (table) => {
  const { id, networks } = await mint();
  const change = sql.query(`update ${table} set network_id = $1 where organization_id = $2`, [
    networks[1].id,
    id,
  ]);
  expect(await refusalOf(change)).toMatchObject({ code: "23001" });
});

test("a reference must refer to a live record", async () => {
  const { id, network } = await mint();
  const credential = await mintCredential(id);
  await sql`update hosts set name = 'New' where organization_id = ${id} and id = ${network.host_id}`;
  const [closed] = await sql`
    select id from hosts where organization_id = ${id} and lineage_id = ${network.host_id}`;
  const assignment = sql`
    insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
    values (${id}, ${credential}, ${closed?.["id"]}, false)`;
  expect(await refusalOf(assignment)).toEqual({
    code: "23503",
    constraint: "credential_hosts_host_fk",
  });
});

test("a change to a child changes its host's revision, but does not start a new version of the host", async () => {
  const { id, network } = await mint();
  const host = async () => {
    const rows = await sql`select revision::int from hosts
      where organization_id = ${id} and live_id = ${network.host_id}`;
    expect(rows).toHaveLength(1);
    return Number(rows[0]?.["revision"]);
  };
  for (const statement of [
    sql`update ports set number = 8443 where organization_id = ${id} and id = ${network.port_id}`,
    sql`insert into services (organization_id, host_id, name)
      select ${id}, ${network.host_id}, 'Many' from generate_series(1, 5)`,
    sql`delete from ip_addresses where organization_id = ${id} and id = ${network.ip_address_ids[1]}`,
  ]) {
    const before = await host();
    await statement;
    expect(await host()).toBe(before + 1);
  }
});

test.each([
  ["Manual", []],
  ["Discovery", ["FirstHostDiscovered"]],
  ["Import", ["FirstHostDiscovered"]],
])("a host with the source %s reaches the milestones %j", async (source, milestones) => {
  const { id, network } = await mint();
  await sql`insert into hosts (organization_id, network_id, name, source)
    values (${id}, ${network.id}, 'Found', ${source})`;
  const [row] = await sql`select onboarding from organizations where id = ${id}`;
  expect(row?.["onboarding"]).toEqual(milestones);
});

test("records can move between hosts together with their bindings in one transaction", async () => {
  const { id, network, other } = await mint();
  await sql`insert into bindings (organization_id, type, service_id, port_id)
    values (${id}, 'Port', ${network.service_id}, ${network.port_id})`;
  await sql`update ports set number = 22 where organization_id = ${id} and id = ${other.port_id}`;
  await sql.transaction([
    sql`set constraints all deferred`,
    sql`update services set host_id = ${other.host_id}
      where organization_id = ${id} and id = ${network.service_id}`,
    sql`update ports set host_id = ${other.host_id}
      where organization_id = ${id} and id = ${network.port_id}`,
    sql`update bindings set host_id = ${other.host_id}
      where organization_id = ${id} and service_id = ${network.service_id} and valid_to is null`,
  ]);
  const rows = await sql`select distinct live_host_id as host from bindings
    where organization_id = ${id} and valid_to is null`;
  expect(rows).toEqual([{ host: other.host_id }]);
});
