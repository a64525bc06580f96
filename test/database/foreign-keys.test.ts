import { beforeAll, expect, test } from "vitest";
import { refusalOf, sql } from "../helpers/database.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const foreignKeyViolation = "23503";

let own: PopulatedOrganization;
let other: PopulatedOrganization;

beforeAll(async () => {
  own = await mintPopulatedOrganization();
  other = await mintPopulatedOrganization();
});

/** Inserts a row as the database owner, to whom row-level security does not apply. */
function insertion(table: string, row: Record<string, unknown>) {
  const columns = Object.keys(row);
  return sql.query(
    `insert into ${table} (${columns}) values (${columns.map((_, at) => `$${at + 1}`)})`,
    Object.values(row),
  );
}

interface Mixture {
  table: string;
  /**
   * A row of one organization. The columns in `mixed` are replaced with those of another
   * organization.
   */
  row: (from: PopulatedOrganization) => Record<string, unknown>;
  mixed: string[];
  constraint: string;
}

const onHost = ({ network }: PopulatedOrganization) => ({
  network_id: network.id,
  host_id: network.host_id,
});

const mixtures: Mixture[] = [
  {
    table: "hosts",
    row: ({ network }) => ({ network_id: network.id, name: "Test" }),
    mixed: ["network_id"],
    constraint: "hosts_network_fk",
  },
  {
    table: "daemons",
    row: ({ network }) => ({
      network_id: network.id,
      name: "Test",
      url: "https://daemon.example.com",
    }),
    mixed: ["network_id"],
    constraint: "daemons_network_fk",
  },
  {
    table: "daemons",
    row: (from) => ({ ...onHost(from), name: "Test", url: "https://daemon.example.com" }),
    mixed: ["host_id"],
    constraint: "daemons_host_fk",
  },
  ...["ip_addresses", "ports", "interfaces", "services"].flatMap((table) =>
    [["network_id"], ["host_id"], ["network_id", "host_id"]].map((mixed) => ({
      table,
      row: (from: PopulatedOrganization) => ({
        ...onHost(from),
        ...(table === "ip_addresses" ? { address: "192.0.2.9" } : {}),
        ...(table === "ports" ? { number: 22, protocol: "Tcp" } : {}),
        ...(table === "interfaces" ? { if_index: 9 } : {}),
        ...(table === "services" ? { name: "Test" } : {}),
      }),
      mixed,
      constraint: `${table}_host_fk`,
    })),
  ),
  {
    table: "neighbors",
    row: ({ network, records }) => ({
      network_id: network.id,
      interface_id: records.interfaces,
      protocol: "Lldp",
      chassis_subtype: "LocallyAssigned",
      chassis_value: "other",
    }),
    mixed: ["network_id", "interface_id"],
    constraint: "neighbors_host_fk",
  },
  ...[
    { mixed: ["service_id"], constraint: "bindings_host_fk" },
    { mixed: ["port_id"], constraint: "bindings_port_fk" },
    { mixed: ["ip_address_id"], constraint: "bindings_ip_address_fk" },
    {
      mixed: ["network_id", "service_id", "port_id", "ip_address_id"],
      constraint: "bindings_host_fk",
    },
  ].map(({ mixed, constraint }) => ({
    table: "bindings",
    row: ({ network, ip_address_id }: PopulatedOrganization) => ({
      type: "Port",
      network_id: network.id,
      service_id: network.service_id,
      port_id: network.port_id,
      ip_address_id,
    }),
    mixed,
    constraint,
  })),
  ...[
    {
      table: "credential_tags",
      row: ({ tags: [, tag_id] }: PopulatedOrganization) => ({ tag_id }),
      mixed: "tag_id",
      constraint: "credential_tags_tag_fk",
    },
    {
      table: "credential_networks",
      row: ({ networks: [, { id }] }: PopulatedOrganization) => ({ network_id: id }),
      mixed: "network_id",
      constraint: "credential_networks_network_fk",
    },
    {
      table: "credential_hosts",
      row: ({ networks: [, { host_id }] }: PopulatedOrganization) => ({
        host_id,
        is_limited_to_addresses: false,
      }),
      mixed: "host_id",
      constraint: "credential_hosts_host_fk",
    },
    {
      table: "credential_host_ip_addresses",
      row: ({ network }: PopulatedOrganization) => ({
        host_id: network.host_id,
        ip_address_id: network.ip_address_ids[1],
      }),
      mixed: "ip_address_id",
      constraint: "credential_host_ip_addresses_address_fk",
    },
    {
      table: "credential_secret_fields",
      row: () => ({ field: "ssl_key" }),
      mixed: null,
      constraint: null,
    },
    {
      table: "credential_secrets",
      row: () => ({ field: "ssl_key", sealed: "demo.AAAA" }),
      mixed: null,
      constraint: null,
    },
  ].flatMap(({ table, row, mixed, constraint }) => {
    const whole = (from: PopulatedOrganization) => ({
      credential_id: from.credential_id,
      ...row(from),
    });
    const byCredential =
      table === "credential_host_ip_addresses"
        ? "credential_host_ip_addresses_assignment_fk"
        : `${table === "credential_secrets" ? "credential_secret_fields" : table}_credential_fk`;
    return [
      { table, row: whole, mixed: ["credential_id"], constraint: byCredential },
      ...(mixed && constraint ? [{ table, row: whole, mixed: [mixed], constraint }] : []),
    ];
  }),
  {
    table: "user_api_key_networks",
    row: ({ limited_key_id, networks: [, { id }] }) => ({
      api_key_id: limited_key_id,
      network_id: id,
    }),
    mixed: ["network_id"],
    constraint: "user_api_key_networks_network_fk",
  },
  {
    table: "user_api_key_networks",
    row: ({ limited_key_id, networks: [, { id }] }) => ({
      api_key_id: limited_key_id,
      network_id: id,
    }),
    mixed: ["api_key_id"],
    constraint: "user_api_key_networks_key_fk",
  },
];

test.each(mixtures)("rejects $table with $mixed of another organization", async (mixture) => {
  const { table, row, mixed, constraint } = mixture;
  const before = [await rowsOf(own.id), await rowsOf(other.id)];
  const valid = { organization_id: own.id, ...row(own) };
  const foreign: Record<string, unknown> = row(other);
  const mixedRow = { ...valid, ...Object.fromEntries(mixed.map((name) => [name, foreign[name]])) };
  expect(await refusalOf(insertion(table, mixedRow))).toEqual({
    code: foreignKeyViolation,
    constraint,
  });
  expect([await rowsOf(own.id), await rowsOf(other.id)]).toEqual(before);
  // The unmixed row is accepted once no other binding conflicts with it, so the mixed columns are
  // the only thing wrong with the mixed row.
  const accepted = [
    sql`delete from bindings where organization_id = ${own.id} and valid_to is null`,
    insertion(table, valid),
    sql`select 1 / 0`,
  ];
  await expect(sql.transaction(accepted)).rejects.toMatchObject({ code: "22012" });
});

test("every foreign key between tenants' records includes the organization", async () => {
  const keys = await sql`
    select conname from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace
      and confrelid <> 'organizations'::regclass
      and not exists (
        select from unnest(conkey) as key (attnum)
        join pg_attribute as attribute using (attnum)
        where attribute.attrelid = conrelid and attribute.attname = 'organization_id')
    order by conname`;
  expect(keys).toEqual([]);
});
