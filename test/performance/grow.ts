import type pg from "pg";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { fill, keysOf } from "../bench/load.ts";
import { networkInventory } from "../bench/network-inventory.ts";
import { namespace } from "../bench/scene.ts";
import { makeManyRecords } from "./many-records.ts";

/** The amount of data, in one large organization and many small ones. */
export interface GrownSize {
  /** The number of hosts in the large organization, each with 22 children. */
  hosts: number;
  /** The number of small organizations. */
  small: number;
}

/**
 * Inserts the kinds of records that {@link networkInventory} and {@link makeManyRecords} do not
 * create.
 */
const otherRecords = (each: string): string[] => {
  const numbers = `organizations, generate_series(1, ${each}) as number`;
  const idOf = (kind: string, number = "number") =>
    `md5(concat_ws(':', '${kind}', organizations.id, ${number}))::uuid`;
  const created = "timestamptz '2024-01-01' + number * interval '10 minutes'";
  const ofCredential = (table: string, columns: string, values: string) => `
    insert into ${table} (organization_id, credential_id, ${columns})
    select organizations.id, ${idOf("credential")}, ${values}
    from ${numbers}, generate_series(0, 1) as part`;
  const next = "number + part";
  return [
    `insert into interfaces (organization_id, network_id, host_id, created_at, updated_at, valid_from,
        last_seen_at, if_index, name)
      select organization_id, network_id, id, created_at, updated_at, created_at, last_seen_at,
        number, 'eth' || number
      from hosts, generate_series(1, 5) as number where valid_to is null`,
    `insert into neighbors (organization_id, network_id, host_id, interface_id, created_at, updated_at,
        valid_from, last_seen_at, protocol, chassis_subtype, chassis_value, system_name)
      select organization_id, network_id, host_id, id, created_at, updated_at, valid_from,
        last_seen_at, 'Lldp', 'LocallyAssigned', 'chassis ' || if_index, 'switch' || if_index
      from interfaces`,
    `insert into credentials (organization_id, id, created_at, name, settings)
      select organizations.id, ${idOf("credential")}, ${created}, 'Many ' || number,
        '{"type": "SnmpV2c"}' from ${numbers}`,
    ofCredential("credential_tags", "tag_id", idOf("tag", next)),
    ofCredential("credential_networks", "network_id", idOf("network", next)),
    ofCredential(
      "credential_hosts",
      "host_id, is_limited_to_addresses",
      `${idOf("host", next)}, true`,
    ),
    ofCredential(
      "credential_host_ip_addresses",
      "host_id, ip_address_id",
      `${idOf("host", next)}, ${idOf("address", next)}`,
    ),
    `insert into webhooks (organization_id, id, created_at, name, url, secret_hint, position_at,
        position_entity, position_id)
      select organizations.id, ${idOf("webhook")}, ${created}, 'Many ' || number,
        'https://webhook.example.com', 'hint', now(), 'Host', ${idOf("host")} from ${numbers}`,
    `insert into discovery_sessions (organization_id, id, created_at, network_id, daemon_id, phase,
        started_at, finished_at, settled_at)
      select organizations.id, ${idOf("session")}, ${created}, ${idOf("network")}, ${idOf("daemon")},
        'Complete', now(), now(), now() from ${numbers}`,
    ...["host", "service", "subnet"].map(
      (owner) => `
        insert into closed_${owner}_tags (organization_id, ${owner}_id, tag_id, valid_from, valid_to)
        select organization_id, ${owner}_id, tag_id, valid_from, valid_from + interval '1 day'
        from ${owner}_tags`,
    ),
  ];
};

/**
 * Migrates an empty database, and fills each table that a stored statement reads. Drops the GiST
 * and GIN indexes, which would take most of the time: they serve only searches and constraints.
 */
export async function grow(client: pg.Client, { hosts, small }: GrownSize): Promise<void> {
  await migrateDatabase(client);
  // Postgres samples more rows than there are, so that its statistics do not differ from run to run.
  await client.query("set jit = off; set default_statistics_target = 300");
  const { rows } = await client.query<{ drop: string }>(`
    select format(
      case when conname is null then 'drop index %2$s' else 'alter table %s drop constraint %I' end,
      indrelid::regclass, coalesce(conname, relname)) as drop
    from pg_index join pg_class on pg_class.oid = indexrelid join pg_am on pg_am.oid = relam
    left join pg_constraint on conindid = indexrelid and contype = 'x'
    where amname in ('gist', 'gin') and relnamespace = 'public'::regnamespace`);
  await client.query(rows.map(({ drop }) => drop).join(";"));
  const largest = { namespace, hosts: Math.round(hosts / 1.1), hostsOfSubnet: 2 };
  await fill(
    [client],
    [
      ...networkInventory(largest, await keysOf(2)),
      ...Array.from({ length: small }, (_, number) =>
        networkInventory({ namespace: `small ${number}`, hosts: 10, hostsOfSubnet: 2 }, []),
      ).flat(),
    ],
  );
  const each = `case name when '${namespace} 1' then ${hosts * 5} else 10 end`;
  await client.query("set session_replication_role = replica");
  for (const statement of otherRecords(each)) {
    await client.query(statement);
  }
  await makeManyRecords(client, each);
}

/**
 * Makes every table look ten times as large to the planner: its rows are spread over ten times as
 * many pages, and its number of rows is multiplied by ten.
 */
export async function growTenfold(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ spread: string }>(`
    select string_agg(format('alter index %s set (fillfactor = 10)', indexrelid::regclass), ';')
      || format(';alter table %1$s set (fillfactor = 10, autovacuum_enabled = false)', indrelid::regclass)
      as spread
    from pg_index where indrelid in (
      select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace)
    group by indrelid`);
  await client.query(rows.map(({ spread }) => spread).join(";"));
  await client.query("vacuum (full)");
  await client.query(`
    update pg_class set reltuples = reltuples * 10, relallvisible = relpages
    where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`);
}
