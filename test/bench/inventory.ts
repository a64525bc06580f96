/** The amount of data. */
export interface InventorySize {
  /** A prefix for ids and names: two inventories in one database need different prefixes. */
  namespace: string;
  /** The first organization gets half of everything; the others share the rest. */
  organizations: number;
  /** The number of binding versions. A third of them are live; without history, all are live. */
  bindings: number;
  history: boolean;
  credentials: number;
}

/** An organization's key. The organization is identified by its number, starting at 1. */
export interface InventoryKey {
  organization: number;
  role: "Viewer" | "Owner";
  /** The hash, in hexadecimal. */
  hash: string;
}

/** A statement with its parameters. */
export interface Statement {
  text: string;
  values: unknown[];
}

const addressesOnHost = 2;
const portsOnHost = 8;
const bindingsOnHost = portsOnHost * addressesOnHost;
const networksOfOrganization = 10;
const tagsOfOrganization = 20;

/**
 * An SQL expression for the id of a record. It is derived from a name, and distributed like a
 * random id.
 */
const idOf = (...parts: string[]) => `md5(concat_ws(':', $1::text, ${parts.join(", ")}))::uuid`;

const organizationId = (number: string) => idOf("'organization'", number);
const networkId = (organization: string, host: string) =>
  idOf("'network'", organization, `${host} % ${networksOfOrganization}`);
const onHost = (kind: string, organization: string, host: string, number: string) =>
  idOf(`'${kind}'`, organization, host, number);

/** An SQL expression for a pseudorandom number from 0 to 1, derived from an input. */
const random = (input: string) => `(hashint4(${input}) & 65535) / 65535.0`;

/**
 * The statements that create an inventory. Each inserts many rows. The first record is created on
 * 2024-01-01, the last change is before 2026-01-01, and the midpoint of the history is 2025-01-01.
 * A live binding has 0 to 3 closed versions; one in five bindings has been deleted and has two
 * closed versions. The table contains rows in the order in which they were written, not in list
 * order.
 */
export function inventory(size: InventorySize, keys: readonly InventoryKey[]): Statement[] {
  const { namespace, organizations, history, credentials } = size;
  const live = history ? Math.round(size.bindings / 3) : size.bindings;
  const share = `case when organization = 1 then 0.5 else 0.5 / greatest(${organizations - 1}, 1) end`;
  const shares = `generate_series(1, ${organizations}) as organization,
    lateral (select round(${live} * (${organizations > 1 ? share : "1"}))::int as bindings,
      round(${credentials} * (${organizations > 1 ? share : "1"}))::int as credentials) as share,
    lateral (select ceil(bindings / ${bindingsOnHost}.0)::int as hosts) as hosts`;
  const hosts = `${shares}, generate_series(0, hosts - 1) as host`;
  const ofOrganization = organizationId("organization");
  const ofHost = `${ofOrganization}, ${networkId("organization", "host")},
    ${idOf("'host'", "organization", "host")}`;

  const statement = (text: string, ...values: unknown[]): Statement => ({
    text,
    values: [namespace, ...values],
  });
  return [
    statement(`insert into organizations (id, name)
      select ${ofOrganization}, $1 || ' ' || organization from ${shares}`),
    statement(
      `with key as materialized (
        select gen_random_uuid() as id, key.*
        from jsonb_to_recordset($2::jsonb) as key (organization integer, role role, hash text)),
      record as (
        insert into user_api_keys (organization_id, id, name, role)
        select ${organizationId("key.organization")}, key.id, 'Bench', key.role from key)
      insert into user_api_key_secrets (organization_id, api_key_id, key_hash)
      select ${organizationId("key.organization")}, key.id, decode(key.hash, 'hex') from key`,
      JSON.stringify(keys),
    ),
    statement(`insert into networks (id, organization_id, name)
      select ${networkId("organization", "network")}, ${ofOrganization}, 'Network ' || network
      from ${shares}, generate_series(0, ${networksOfOrganization - 1}) as network`),
    statement(`insert into tags (id, organization_id, name)
      select ${idOf("'tag'", "organization", "tag")}, ${ofOrganization}, 'Tag ' || tag
      from ${shares}, generate_series(0, ${tagsOfOrganization - 1}) as tag`),
    statement(`insert into daemons (id, organization_id, network_id, name, url)
      select ${idOf("'daemon'", "organization", "network")}, ${ofOrganization},
        ${networkId("organization", "network")}, 'Daemon ' || network,
        'https://daemon.example.com'
      from ${shares}, generate_series(0, ${networksOfOrganization - 1}) as network`),
    statement(`insert into hosts (${life.columns}, organization_id, network_id, id, name)
      select ${life.values}, ${ofHost}, 'Host ' || host from ${hosts}`),
    statement(`insert into ip_addresses (${life.columns}, organization_id, network_id, host_id, id,
        address)
      select ${life.values}, ${ofHost}, ${onHost("address", "organization", "host", "number")},
        inet '10.0.0.0' + host * ${addressesOnHost} + number
      from ${hosts}, generate_series(0, ${addressesOnHost - 1}) as number`),
    statement(`insert into ports (${life.columns}, organization_id, network_id, host_id, id, number,
        protocol)
      select ${life.values}, ${ofHost}, ${onHost("port", "organization", "host", "number")},
        8000 + number, 'Tcp'
      from ${hosts}, generate_series(0, ${portsOnHost - 1}) as number`),
    statement(`insert into services (${life.columns}, organization_id, network_id, host_id, id, name,
        service_definition)
      select ${life.values}, ${ofHost}, ${onHost("service", "organization", "host", "number")},
        'Service ' || number, 'Service ' || number
      from ${hosts}, generate_series(0, ${portsOnHost - 1}) as number`),
    statement(bindingVersions(shares, history)),
    statement(`insert into credentials (id, organization_id, created_at, name, settings)
      select ${idOf("'credential'", "organization", "credential")}, ${ofOrganization},
        timestamptz '2024-01-01T00:00:00Z' + credential * interval '1 hour',
        'Credential ' || md5(credential::text), case credential % 3
          when 0 then jsonb '{"type": "SnmpV2c", "community": {"mode": "Inline", "value": "********"}}'
          when 1 then jsonb '{"type": "SnmpV3", "security_name": "monitor", "auth_protocol": "Sha256",
            "auth_password": {"mode": "Inline", "value": "********"}, "priv_protocol": "Aes256",
            "priv_password": {"mode": "Inline", "value": "********"}, "context_name": null}'
          else jsonb '{"type": "DockerProxy", "port": 2376, "path": null, "ssl_cert": null,
            "ssl_chain": null, "ssl_key": {"mode": "Inline", "value": "********"}}' end
      from ${shares}, generate_series(0, credentials - 1) as credential`),
    ...credentialChildren(shares).map((text) => statement(text)),
  ];
}

/**
 * Columns that a trigger would fill. A record has one version, which is older than the first
 * binding.
 */
const life = {
  columns: "created_at, updated_at, valid_from, last_seen_at",
  values: `timestamptz '2024-01-01T00:00:00Z', timestamptz '2024-01-01T00:00:00Z',
        timestamptz '2024-01-01T00:00:00Z', timestamptz '2026-01-01T00:00:00Z'`,
};

/**
 * The versions of bindings, first as narrow rows in the order in which they are written, then with
 * their ids. `offset 0` prevents Postgres from repeating an expression wherever its column is used.
 * Discoveries are not stored in a table, so any ids are valid.
 */
const bindingVersions = (shares: string, history: boolean) => `
  insert into bindings (id, created_at, updated_at, organization_id, type, service_id, network_id,
    host_id, port_id, ip_address_id, last_seen_at, valid_from, valid_to, first_discovery_id,
    last_discovery_id, lineage_id)
  select case when valid_to is null then live_id
      else ${idOf("'version'", "organization", "binding", "version")} end,
    created_at, valid_from, organization_id, 'Port',
    ${onHost("service", "organization", "host", "number")}, network_id,
    ${idOf("'host'", "organization", "host")},
    ${onHost("port", "organization", "host", "number")},
    ${onHost("address", "organization", "host", `binding % ${addressesOnHost}`)},
    coalesce(valid_to, timestamptz '2026-01-01T00:00:00Z'), valid_from, valid_to, network_id,
    organization_id, case when valid_to is not null then live_id end
  from (
    select organization, binding, host, number, version, created_at, valid_from, valid_to,
      ${idOf("'binding'", "organization", "binding")} as live_id,
      ${organizationId("organization")} as organization_id,
      ${networkId("organization", "host")} as network_id
    from (
      select organization, binding, host, binding % ${portsOnHost} as number, version, created_at,
        case when version = 0 then created_at else date_trunc('milliseconds', created_at
          + age * (version - early) / (last_version + 1)) end as valid_from,
        case when version < last_version then date_trunc('milliseconds', created_at
            + age * (version + 1 - early) / (last_version + 1))
          when not is_live then date_trunc('milliseconds', created_at + age) end as valid_to
      from ${shares}, generate_series(0, bindings * ${history ? 5 : 4} / 4 - 1) as binding,
        lateral (select binding < bindings as is_live, 0.5 * ${random("binding")} as early,
          (binding % bindings) / ${bindingsOnHost} as host
          offset 0) as kind,
        lateral (select case when not is_live then 1 when ${history} then binding % 4 else 0 end
            as last_version,
          date_trunc('milliseconds', timestamptz '2024-01-01T00:00:00Z'
            + interval '292 days' * (host + (binding % ${bindingsOnHost} / 4) / 8.0) / hosts)
            as created_at
          offset 0) as life,
        lateral (select case when is_live then timestamptz '2026-01-01T00:00:00Z' - created_at
            else timestamptz '2025-03-15T00:00:00Z' - created_at + interval '580 days' * early end
            as age
          offset 0) as age,
        generate_series(0, last_version) as version
      order by valid_from
      offset 0) as interval
    offset 0) as named`;

/**
 * For each credential: two tags, two networks, three hosts (one of them limited to its two
 * addresses), and its secrets.
 */
function credentialChildren(shares: string): string[] {
  const own = `${organizationId("organization")}, ${idOf("'credential'", "organization", "credential")}`;
  const each = `${shares}, generate_series(0, credentials - 1) as credential`;
  const host = idOf("'host'", "organization", "(credential * 3 + number) % hosts");
  const eachSecret = `${each}, unnest(case credential % 3 when 0 then array['community']
        when 1 then array['auth_password', 'priv_password'] else array['ssl_key'] end) as field`;
  return [
    `insert into credential_secrets (organization_id, credential_id, field, sealed)
      select ${own}, field, 'demo.' || repeat(md5(credential::text), 3) from ${eachSecret}`,
    // A trigger would insert these, but none runs while data is loaded.
    `insert into credential_secret_fields (organization_id, credential_id, field)
      select ${own}, field from ${eachSecret}`,
    `insert into credential_tags (organization_id, credential_id, tag_id)
      select ${own}, ${idOf("'tag'", "organization", `(credential + number) % ${tagsOfOrganization}`)}
      from ${each}, generate_series(0, 1) as number`,
    `insert into credential_networks (organization_id, credential_id, network_id)
      select ${own}, ${networkId("organization", "(credential + number)")}
      from ${each}, generate_series(0, 1) as number`,
    `insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
      select ${own}, ${host}, number = 0 from ${each}, generate_series(0, 2) as number`,
    `insert into credential_host_ip_addresses
        (organization_id, credential_id, host_id, ip_address_id)
      select ${own}, ${idOf("'host'", "organization", "(credential * 3) % hosts")},
        ${onHost("address", "organization", "(credential * 3) % hosts", "number")}
      from ${each}, generate_series(0, ${addressesOnHost - 1}) as number`,
  ];
}
