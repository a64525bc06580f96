import pg from "pg";
import { hashApiKey } from "../../../src/api-key.ts";
import { prepareReport } from "../../../src/discovery/ingest/ingest.ts";
import { importBody } from "../../../src/imports/input.ts";
import { reportOf } from "../../../src/imports/to-report.ts";
import { uuidV7 } from "../../../src/uuid.ts";
import { recountRecords } from "../../helpers/record-counts.ts";
import { keyOf } from "../load.ts";
import { cpuMs } from "../process.ts";

/** The cost of importing 2,000 new hosts into an inventory of a given size. */
export interface ImportCost {
  /** The number of hosts in the inventory before the import. */
  hosts: number;
  /** The time from the first statement to the commit, in seconds. */
  seconds: number;
  /** CPU time used by the connection's backend, in seconds. */
  cpuSeconds: number;
  /** Write-ahead log that the whole server writes during the import, in MiB. */
  walMib: number;
  /**
   * The number of full page images in that log: one for each page when it is first changed after a
   * checkpoint.
   */
  fullPages: number;
}

/** An organization with one network and one key, all with the same id. */
export interface ImportingOrganization {
  id: string;
  key: string;
}

export const importing: ImportingOrganization = {
  id: "00000000-0000-4000-8000-0000000000aa",
  key: keyOf(1),
};

/** The number of hosts that an import adds. */
const hostsOfImport = 2000;

/** The open ports of each host, each with a service. */
const ports = [22, 443];

/**
 * Measures imports of new hosts as the inventory grows. The server should have no other load.
 * @param connectionString connects to an empty, migrated database, as its owner
 * @param sizes the number of hosts before each import, in ascending order and at least 2,000 apart
 */
export async function importCurve(
  connectionString: string,
  sizes: readonly number[],
): Promise<ImportCost[]> {
  const owner = new pg.Client({ connectionString });
  await owner.connect();
  await addOrganization(owner, importing);
  const costs: ImportCost[] = [];
  let hosts = 0;
  for (const size of sizes) {
    await loadHosts(owner, importing, { from: hosts, to: size });
    await addSubnets(owner, importing, size + hostsOfImport);
    await owner.query("vacuum (analyze)");
    costs.push(await measureImport(owner, connectionString, size));
    hosts = size + hostsOfImport;
  }
  await owner.end();
  return costs;
}

/** Measures one import, on a connection without cached plans, immediately after a checkpoint. */
async function measureImport(
  owner: pg.Client,
  connectionString: string,
  hosts: number,
): Promise<ImportCost> {
  const parameter = newHosts(hosts, hostsOfImport);
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = rows[0]?.pid ?? 0;
  await owner.query("checkpoint");
  const [wal, cpu, began] = [await walOf(owner), cpuMs(pid), performance.now()];
  await client.query("begin");
  await ingest(client, importing, parameter);
  await client.query("commit");
  const seconds = (performance.now() - began) / 1000;
  const cpuSeconds = (cpuMs(pid) - cpu) / 1000;
  // A connection reports its statistics when it ends, if not earlier.
  await client.end();
  const { bytes, pages } = await walOf(owner);
  return {
    hosts,
    seconds,
    cpuSeconds,
    walMib: (bytes - wal.bytes) / 2 ** 20,
    fullPages: pages - wal.pages,
  };
}

async function walOf(client: pg.Client): Promise<{ bytes: number; pages: number }> {
  // A connection reports its statistics at most once per second.
  await client.query("select pg_sleep(1.1)");
  const { rows } = await client.query<{ bytes: number; pages: number }>(
    "select wal_bytes::float8 as bytes, wal_fpi::float8 as pages from pg_stat_wal",
  );
  return rows[0] ?? { bytes: 0, pages: 0 };
}

/** Creates an organization without hosts, as the database owner. */
export async function addOrganization(
  client: pg.Client,
  { id, key }: ImportingOrganization,
): Promise<void> {
  await client.query("insert into organizations (id, name) values ($1, 'Bench')", [id]);
  await client.query("insert into networks (id, organization_id, name) values ($1, $1, 'Bench')", [
    id,
  ]);
  await client.query(
    "insert into user_api_keys (id, organization_id, name, role) values ($1, $1, 'Bench', 'Owner')",
    [id],
  );
  await client.query(
    "insert into user_api_key_secrets (organization_id, api_key_id, key_hash) values ($1, $1, decode($2, 'hex'))",
    [id, await hashApiKey(key)],
  );
}

/** Ingests a report in the client's transaction, as the Worker would. */
export async function ingest(
  client: pg.Client,
  { id, key }: ImportingOrganization,
  parameter: string,
): Promise<void> {
  await client.query(
    `select set_config('role', 'inventory_api', true), set_config('search_path', 'public, pg_temp', true)
     from app.enter(decode($1, 'hex'), 'Member', 600000, false)`,
    [await hashApiKey(key)],
  );
  await client.query("select app.ingest($1, $2, 'Import', $3::jsonb, false)", [
    id,
    uuidV7(),
    parameter,
  ]);
}

const hex = (value: number) => value.toString(16).padStart(2, "0");

/** The parameter `report` of `app.ingest`, for hosts numbered from `first`. */
export function newHosts(first: number, count: number): string {
  const hosts = Array.from({ length: count }, (_, index) => {
    const host = first + index;
    const bytes = [host >> 16, (host >> 8) & 255, host & 255];
    return {
      hostname: `host-${host}.example.com`,
      addresses: [
        {
          ip_address: `10.${bytes.join(".")}`,
          mac_address: `02:00:00:${bytes.map(hex).join(":")}`,
        },
      ],
      ports: ports.map((number) => ({
        number,
        protocol: "Tcp",
        service: { name: `Service ${number}` },
      })),
      scanned_ports: [{ protocol: "Tcp", from: 1, to: 1024 }],
    };
  });
  const body = importBody.parse({ source: { name: "bench", version: null }, hosts });
  const preparing = prepareReport(reportOf(body));
  let step = preparing.next();
  while (!step.done) {
    step = preparing.next();
  }
  return step.value.parameter;
}

/** Adds the subnets of the first hosts, with 256 addresses each. */
const addSubnets = (client: pg.Client, { id }: ImportingOrganization, hosts: number) =>
  client.query(
    `insert into subnets (organization_id, network_id, cidr, name)
     select $1, $1, set_masklen(inet '10.0.0.0' + number, 24)::cidr, 'Block ' || number
     from generate_series(0, $2, 256) as number
     on conflict do nothing`,
    [id, hosts - 1],
  );

/** Loads hosts as if they had been imported over years, without running triggers. */
export async function loadHosts(
  client: pg.Client,
  organization: ImportingOrganization,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await addSubnets(client, organization, to);
  await client.query("set session_replication_role = replica");
  await client.query("set synchronous_commit = off");
  for (let first = from; first < to; first += hostsOfImport) {
    const last = Math.min(first + hostsOfImport, to) - 1;
    await client.query(loadedHosts, [organization.id, first, last, ports]);
  }
  await client.query("reset synchronous_commit");
  await client.query("reset session_replication_role");
  await client.query(recountRecords, [null]);
}

/** The columns shared by the tables that an import writes to, and their values. */
const life = {
  columns: `organization_id, network_id, created_at, updated_at, valid_from, last_seen_at,
    first_discovery_id, last_discovery_id`,
  values: "$1, $1, at, at, at, at, $1, $1",
};

/** Inserts the hosts of one import. The database generates the ids. */
const loadedHosts = `
  with numbered as materialized (
    select 'host-' || number || '.example.com' as name, inet '10.0.0.0' + number as address,
      ('020000' || encode(substring(int4send(number) from 2), 'hex'))::macaddr as mac,
      timestamptz '2024-01-01T00:00:00Z' + number / ${hostsOfImport} * interval '1 hour' as at
    from generate_series($2::int, $3::int) as number),
  named as materialized (
    insert into hosts (name, hostname, source, discovered, evidence, ${life.columns})
    select name, name, 'Import', jsonb_build_object('name', name, 'hostname', name),
      '{"name": {"rank": 3}}', ${life.values}
    from numbered
    returning id, name),
  host as materialized (
    select named.id, numbered.address, numbered.mac, numbered.at, subnets.id as subnet_id
    from numbered join named using (name)
    join subnets on subnets.organization_id = $1
      and subnets.cidr = set_masklen(numbered.address, 24)::cidr),
  addressed as (
    insert into ip_addresses (host_id, address, mac_address, subnet_id, discovered, ${life.columns})
    select id, address, mac, subnet_id,
      jsonb_build_object('address', address, 'mac_address', mac, 'subnet_id', subnet_id),
      ${life.values}
    from host),
  open as materialized (
    insert into ports (host_id, number, protocol, ${life.columns})
    select id, port, 'Tcp', ${life.values} from host cross join unnest($4::int[]) as port
    returning id, host_id, number, created_at as at),
  serving as materialized (
    insert into services (host_id, name, service_definition, source, discovered, ${life.columns})
    select id, 'Service ' || port, 'Service ' || port, 'Import',
      jsonb_build_object('name', 'Service ' || port, 'service_definition', 'Service ' || port),
      ${life.values}
    from host cross join unnest($4::int[]) as port
    returning id, host_id, name)
  insert into bindings (host_id, type, service_id, port_id, ${life.columns})
  select open.host_id, 'Port', serving.id, open.id, ${life.values}
  from open join serving on serving.host_id = open.host_id
    and serving.name = 'Service ' || open.number`;
