import type { InventoryKey, Statement } from "./inventory.ts";

/** The number of hosts, each with the children of {@link perHost}. */
export interface NetworkSize {
  /** A prefix for ids and names: two inventories in one database need different prefixes. */
  namespace: string;
  /** The number of hosts in the first organization; the second has a tenth as many. */
  hosts: number;
  /** The number of hosts in each subnet, which is a /24. */
  hostsOfSubnet: number;
  /**
   * One in this many records has a closed version before its live version. By default, a record has
   * one closed version on average.
   */
  oneClosedOf?: number;
}

/**
 * The number of children of each host. A service has one binding, to its port on the host's first
 * address.
 */
export const perHost = { addresses: 2, ports: 5, services: 5, bindings: 5 } as const;

const networks = 10;
const tags = 20;

const kinds = ["web", "mail", "nas", "printer", "switch", "camera", "phone", "proxy"];
const portNumbers = [22, 80, 443, 161, 8000];

const idOf = (...parts: string[]) => `md5(concat_ws(':', $1::text, ${parts.join(", ")}))::uuid`;

const times = ["created_at", "updated_at", "last_seen_at", "valid_from", "valid_to"];

/**
 * The statement that fills one table. Each record has a live version, preceded by closed versions.
 * All of them have equal fields, so that a condition matches either all versions of a record or
 * none.
 * @param options.closed the number of closed versions of a record, as an SQL expression that can
 * use `host` and `number`
 * @param options.key the parts of the record's id
 * @param options.number an SQL expression that distinguishes the records of one host
 * @param options.columns the values of columns, as SQL expressions that can use `organization`,
 * `host` and `number`
 */
function versionsOf(
  table: string,
  from: string,
  {
    key,
    number = "0",
    columns,
    closed,
  }: { key: string[]; number?: string; columns: Record<string, string>; closed: string },
): string {
  const names = Object.keys(columns);
  const live = idOf(`'${table}'`, "organization", ...key);
  return `
    insert into ${table} (id, lineage_id, organization_id, ${times.join(", ")}, ${names.join(", ")})
    select case when is_live then live_id
        else ${idOf(`'${table}'`, "organization", ...key, "version")} end,
      case when not is_live then live_id end, ${idOf("'organization'", "organization")},
      created_at, valid_from, coalesce(valid_to, timestamptz '2026-01-01'), valid_from, valid_to,
      ${names.map((name) => `own_${name}`).join(", ")}
    from (
      select organization, host, number, version, created_at, version = last_version as is_live,
        created_at + version * interval '100 days' as valid_from,
        case when version < last_version then created_at + (version + 1) * interval '100 days' end
          as valid_to,
        ${live} as live_id, ${names.map((name) => `${columns[name]} as own_${name}`).join(", ")}
      from ${from},
        lateral (select ${number} as number offset 0) as numbered,
        lateral (select timestamptz '2024-01-01' + host * least(interval '10 minutes', interval '139 days' / hosts) as created_at,
          ${closed} as last_version offset 0) as life,
        generate_series(0, last_version) as version
      offset 0) as versions`;
}

/**
 * The statements that create an inventory of hosts with children. Each statement inserts many rows.
 * Run them with `session_replication_role = replica`. Records are created in 2024, and changes
 * continue through 2025.
 */
export function networkInventory(
  { namespace, hosts, hostsOfSubnet, oneClosedOf }: NetworkSize,
  keys: readonly InventoryKey[],
): Statement[] {
  const organizations = `(values (1, ${hosts}), (2, ${Math.ceil(hosts / 10)})) as size (organization, hosts)`;
  const each = `${organizations}, generate_series(0, hosts - 1) as host`;
  // A subnet is identified by its first host.
  const everySubnet = `${organizations}, generate_series(0, hosts - 1, ${hostsOfSubnet}) as host`;
  const every = (kind: keyof typeof perHost) =>
    `${each}, generate_series(0, ${perHost[kind] - 1}) as part`;
  const network = idOf("'network'", "organization", `host / ${hostsOfSubnet} % ${networks}`);
  const hostId = idOf("'hosts'", "organization", "host");
  const part = (table: string, number: string) =>
    idOf(`'${table}'`, "organization", "host", number);
  const name = `(array['${kinds.join("','")}'])[1 + host % ${kinds.length}] || '-' || lpad(host::text, greatest(5, length(host::text)), '0')`;
  const on = { network_id: network, host_id: hostId };
  const closed = oneClosedOf
    ? `((host + number) % ${oneClosedOf} = 0)::int`
    : "(host + number) % 3";
  const organizationId = idOf("'organization'", "organization");
  const tagged = (table: string, column: string, of: string, id: string) => `
    insert into ${table} (organization_id, ${column}, tag_id, valid_from)
    select ${organizationId}, ${id}, ${idOf("'tag'", "organization", `host % ${tags}`)}, '2024-01-01'
    from ${of}`;
  const texts = [
    `insert into organizations (id, name) select ${organizationId}, $1 || ' ' || organization
      from ${organizations}`,
    `insert into networks (id, organization_id, name)
      select ${idOf("'network'", "organization", "network")}, ${organizationId}, 'Network ' || network
      from ${organizations}, generate_series(0, ${networks - 1}) as network`,
    `insert into tags (id, organization_id, name)
      select ${idOf("'tag'", "organization", "tag")}, ${organizationId}, 'Tag ' || tag
      from ${organizations}, generate_series(0, ${tags - 1}) as tag`,
    versionsOf("subnets", everySubnet, {
      key: ["host"],
      closed,
      columns: {
        network_id: network,
        cidr: `network(set_masklen(inet '10.0.0.0' + host / ${hostsOfSubnet} * 256, 24))`,
        name: `'Floor ' || lpad((host / ${hostsOfSubnet})::text, 4, '0')`,
      },
    }),
    versionsOf("hosts", each, {
      key: ["host"],
      closed,
      columns: { network_id: network, name, hostname: `${name} || '.example.com'` },
    }),
    versionsOf("ip_addresses", every("addresses"), {
      key: ["host", "number"],
      number: "part",
      closed,
      columns: {
        ...on,
        subnet_id: `case number when 0 then ${idOf("'subnets'", "organization", `host / ${hostsOfSubnet} * ${hostsOfSubnet}`)} end`,
        address: `case number
          when 0 then inet '10.0.0.0' + (host / ${hostsOfSubnet} * 256 + 1 + host % ${hostsOfSubnet})
          else inet '2001:db8::' + host end`,
        mac_address: "('0200' || lpad(to_hex(host * 2 + number), 8, '0'))::macaddr",
        name: "'eth' || number",
      },
    }),
    versionsOf("ports", every("ports"), {
      key: ["host", "number"],
      number: "part",
      closed,
      columns: {
        ...on,
        number: `case number when 4 then 8000 + host % 1000
          else (array[${portNumbers.join()}])[1 + number] end`,
        protocol: "case number when 3 then 'Udp' else 'Tcp' end",
      },
    }),
    versionsOf("services", every("services"), {
      key: ["host", "number"],
      number: "part",
      closed,
      columns: {
        ...on,
        name: "'Service ' || number || ' of ' || lpad(host::text, greatest(5, length(host::text)), '0')",
        service_definition:
          "case number when 4 then 'Custom ' || host % 1000 else 'Kind ' || number end",
      },
    }),
    versionsOf("bindings", every("bindings"), {
      key: ["host", "number"],
      number: "part",
      closed,
      columns: {
        ...on,
        type: "'Port'",
        service_id: part("services", "number"),
        port_id: part("ports", "number"),
        ip_address_id: part("ip_addresses", "0"),
      },
    }),
    tagged("host_tags", "host_id", each, hostId),
    tagged("service_tags", "service_id", every("services"), part("services", "part")),
    tagged("subnet_tags", "subnet_id", everySubnet, idOf("'subnets'", "organization", "host")),
  ];
  const ofKey = `${idOf("'organization'", "key.organization")}, ${idOf("'key'", "key.hash")}`;
  const keyRows =
    "jsonb_to_recordset($2::jsonb) as key (organization integer, role role, hash text)";
  return [
    ...texts.map((text) => ({ text, values: [namespace] })),
    ...[
      `insert into user_api_keys (organization_id, id, name, role)
        select ${ofKey}, 'Bench', key.role from ${keyRows}`,
      `insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
        select ${ofKey}, decode(key.hash, 'hex') from ${keyRows}`,
    ].map((text) => ({ text, values: [namespace, JSON.stringify(keys)] })),
  ];
}
