import pg from "pg";
import { hashApiKey } from "../../../src/api-key.ts";
import { prepareReport } from "../../../src/discovery/ingest/ingest.ts";
import { importBody } from "../../../src/imports/input.ts";
import { reportOf } from "../../../src/imports/to-report.ts";
import { keyOf } from "../load.ts";
import { cpuMs } from "../process.ts";

/** What an import of new hosts costs in an inventory of a size. */
export interface ImportCost {
  /** How many hosts the inventory has before the import. */
  hosts: number;
  /** From the first statement to the commit, in seconds. */
  seconds: number;
  /** CPU time of the connection's backend, in seconds. */
  cpuSeconds: number;
  /** Write-ahead log, in MiB, and how many whole pages are in it: each that is touched first after a checkpoint. */
  walMib: number;
  fullPages: number;
}

/** How many hosts an import adds, of two ports with a service each. */
const hostsOfImport = 2000;

const organization = "00000000-0000-4000-8000-0000000000aa";
const key = keyOf(1);
const ports = [22, 443];

const hex = (value: number) => value.toString(16).padStart(2, "0");

/** What a scan says of hosts that nobody has seen. */
const importOf = (first: number) => {
  const hosts = Array.from({ length: hostsOfImport }, (_, index) => first + index);
  return {
    source: { name: "bench", version: null },
    hosts: hosts.map((host) => ({
      hostname: `host-${host}.example.com`,
      addresses: [
        {
          ip_address: `10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`,
          mac_address: `02:00:00:${[host >> 16, (host >> 8) & 255, host & 255].map(hex).join(":")}`,
        },
      ],
      ports: ports.map((number) => ({
        number,
        protocol: "Tcp",
        service: { name: `Service ${number}` },
      })),
      scanned_ports: [{ protocol: "Tcp", from: 1, to: 1024 }],
    })),
  };
};

/**
 * What imports of new hosts cost in an inventory that grows.
 * @param connectionString of an empty, migrated database, as its owner
 * @param sizes how many hosts the inventory has, ascending
 * @param options.isAnalyzed whether Postgres knows of the hosts that were there before
 */
export async function importCurve(
  connectionString: string,
  sizes: readonly number[],
  { isAnalyzed = true }: { isAnalyzed?: boolean } = {},
): Promise<ImportCost[]> {
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  await owner.query("insert into organizations (id, name) values ($1, 'Bench')", [organization]);
  await owner.query("insert into networks (id, organization_id, name) values ($1, $1, 'Bench')", [
    organization,
  ]);
  await owner.query(
    "insert into user_api_keys (id, organization_id, name, role) values ($1, $1, 'Bench', 'Owner')",
    [organization],
  );
  await owner.query(
    "insert into user_api_key_secrets (organization_id, api_key_id, key_hash) values ($1, $1, decode($2, 'hex'))",
    [organization, await hashApiKey(key)],
  );
  const costs: ImportCost[] = [];
  let hosts = 0;
  for (const size of sizes) {
    await loadSubnets(owner, size + hostsOfImport);
    await loadHosts(owner, hosts, size);
    hosts = Math.max(hosts, size);
    if (isAnalyzed && size > 0) {
      await owner.query("vacuum (analyze)");
    }
    costs.push(await importNew(owner, connectionString, hosts));
    hosts += hostsOfImport;
  }
  await owner.end();
  return costs;
}

/** What {@link importCurve} measures, once: beside `hosts` that are there, with a connection that knows no plan. */
export async function importNew(
  owner: pg.Client,
  connectionString: string,
  hosts: number,
): Promise<ImportCost> {
  const preparing = prepareReport(reportOf(importBody.parse(importOf(hosts))));
  let step = preparing.next();
  while (!step.done) {
    step = preparing.next();
  }
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows: own } = await client.query("select pg_backend_pid() as pid");
  const walOf = async () => {
    // A backend tells of its log at the end of a transaction, but not more often than once a second.
    await owner.query("select pg_sleep(1.1)");
    const { rows } = await owner.query(
      "select wal_bytes::float8 as bytes, wal_fpi::float8 as pages from pg_stat_wal",
    );
    return rows[0];
  };
  await owner.query("checkpoint");
  const [wal, cpu, began] = [await walOf(), cpuMs(own[0].pid), performance.now()];
  await client.query("begin");
  await client.query(
    `select set_config('role', 'inventory_api', true), set_config('search_path', 'public, pg_temp', true), entered.*
     from app.enter(decode($1, 'hex'), 'Member', 600000, false) as entered`,
    [await hashApiKey(key)],
  );
  await client.query("select app.ingest($1, $2, 'Import', $3::jsonb, false)", [
    organization,
    crypto.randomUUID(),
    step.value.parameter,
  ]);
  await client.query("commit");
  const seconds = (performance.now() - began) / 1000;
  const cpuSeconds = (cpuMs(own[0].pid) - cpu) / 1000;
  // What a connection has counted is known when it ends at the latest.
  await client.end();
  const { bytes, pages } = await walOf();
  return {
    hosts,
    seconds,
    cpuSeconds,
    walMib: (bytes - wal.bytes) / 2 ** 20,
    fullPages: pages - wal.pages,
  };
}

/** Adds the subnets, of 256 addresses each, of so many hosts. */
const loadSubnets = (client: pg.Client, hosts: number) =>
  client.query(
    `insert into subnets (organization_id, network_id, cidr, name)
     select $1, $1, set_masklen(inet '10.0.0.0' + number, 24)::cidr, 'Block ' || number
     from generate_series(0, $2, 256) as number
     on conflict do nothing`,
    [organization, hosts - 1],
  );

/** Loads the hosts from one number to another as imports over two years would have, without what triggers do. */
async function loadHosts(client: pg.Client, from: number, to: number): Promise<void> {
  if (from >= to) {
    return;
  }
  await client.query("set session_replication_role = replica");
  await client.query("set synchronous_commit = off");
  for (let first = from; first < to; first += hostsOfImport) {
    const last = Math.min(first + hostsOfImport, to) - 1;
    await client.query(loadedHosts(first, last));
  }
  await client.query("reset synchronous_commit");
  await client.query("reset session_replication_role");
}

/** An import of the hosts from one number to another, as a statement: ids are the database's. */
const loadedHosts = (first: number, last: number) => `
  with numbered as materialized (
    select number, timestamptz '2024-01-01T00:00:00Z' + number / ${hostsOfImport} * interval '1 hour' as at,
      'host-' || number || '.example.com' as name,
      inet '10.0.0.0' + number as address,
      ('020000' || encode(substring(int4send(number) from 2), 'hex'))::macaddr as mac
    from generate_series(${first}, ${last}) as number),
  named as materialized (
    insert into hosts (organization_id, network_id, name, hostname, source, discovered, evidence, ${times})
    select '${organization}', '${organization}', name, name, 'Import',
      jsonb_build_object('name', name, 'hostname', name), '{"name": {"rank": 3}}', ${timed("at")} from numbered
    returning id, name, created_at),
  host as materialized (
    select named.id, numbered.*, subnets.id as subnet_id
    from numbered join named using (name)
    join subnets on subnets.cidr = set_masklen(numbered.address, 24)::cidr),
  addressed as (
    insert into ip_addresses (organization_id, network_id, host_id, address, mac_address, subnet_id, discovered, ${times})
    select '${organization}', '${organization}', id, address, mac, subnet_id,
      jsonb_build_object('address', address, 'mac_address', mac, 'subnet_id', subnet_id), ${timed("at")} from host),
  open as materialized (
    insert into ports (organization_id, network_id, host_id, number, protocol, ${times})
    select '${organization}', '${organization}', id, port, 'Tcp', ${timed("at")}
    from host cross join unnest(array[${ports}]) as port
    returning id, host_id, number, created_at as at),
  serving as materialized (
    insert into services (organization_id, network_id, host_id, name, service_definition, source, discovered, ${times})
    select '${organization}', '${organization}', id, 'Service ' || port, 'Service ' || port, 'Import',
      jsonb_build_object('name', 'Service ' || port, 'service_definition', 'Service ' || port), ${timed("at")}
    from host cross join unnest(array[${ports}]) as port
    returning id, host_id, name)
  insert into bindings (organization_id, network_id, host_id, type, service_id, port_id, ${times})
  select '${organization}', '${organization}', open.host_id, 'Port', serving.id, open.id, ${timed("at")}
  from open join serving on serving.host_id = open.host_id and serving.name = 'Service ' || open.number`;

const times = `created_at, updated_at, valid_from, last_seen_at, first_discovery_id, last_discovery_id`;
const timed = (at: string) =>
  `${[at, at, at, at].join(", ")}, '${organization}'::uuid, '${organization}'::uuid`;
