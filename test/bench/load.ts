import type pg from "pg";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { recountRecords } from "../helpers/record-counts.ts";
import { type InventoryKey, type InventorySize, inventory, type Statement } from "./inventory.ts";
import { type NetworkSize, networkInventory } from "./network-inventory.ts";

/** The key of an organization in an inventory, by the organization's number, starting at 1. */
export const keyOf = (organization: number, role: InventoryKey["role"] = "Owner") =>
  mintApiKey(`Bench${role}${String(organization).padStart(27 - role.length, "0")}`);

type Client = pg.PoolClient | pg.Client;

/** Migrates an empty database and fills it with an inventory of bindings and credentials. */
export async function loadDatabase(client: Client, size: InventorySize): Promise<void> {
  await migrateDatabase(client);
  await fill([client], inventory(size, await keysOf(size.organizations)));
}

/**
 * Migrates an empty database and fills it with hosts and their children.
 * @param helpers additional connections to the database, used concurrently
 */
export async function loadNetwork(
  client: pg.Client,
  size: NetworkSize,
  helpers: readonly pg.Client[] = [],
): Promise<void> {
  await migrateDatabase(client);
  await fill([client, ...helpers], networkInventory(size, await keysOf(2)));
}

/**
 * Fills a migrated database. During the load, triggers, including those of foreign keys, do not
 * run, and the indexes that no foreign key needs are dropped. {@link findOrphans} then checks the
 * foreign keys.
 * @param clients connections that are used concurrently
 */
export async function fill(
  clients: readonly [Client, ...Client[]],
  statements: readonly Statement[],
): Promise<void> {
  const [client] = clients;
  for (const each of clients) {
    await each.query("set synchronous_commit = off; set session_replication_role = replica");
  }
  const { rows: tables } = await client.query<IndexesOfTable>(indexesOfInventory);
  for (const { drop } of tables) {
    await client.query(drop);
  }
  await share(clients, statements, (each, { text, values }) => each.query(text, values));
  await share(clients, tables, (each, { create }) => each.query(create));
  for (const each of clients) {
    await each.query("reset session_replication_role; reset synchronous_commit");
  }
  await findOrphans(client);
  // Earlier versions, with which `pairs.ts` compares this one, do not have the table.
  const { rowCount } = await client.query("select from pg_class where relname = 'count_deltas'");
  if (rowCount === 1) {
    await client.query(recountRecords, [null]);
  }
  await client.query("vacuum (analyze, freeze)");
  await client.query("checkpoint");
}

/** Runs each task once, on the first connection that is free. */
async function share<Work>(
  clients: readonly Client[],
  all: readonly Work[],
  does: (client: Client, work: Work) => Promise<unknown>,
): Promise<void> {
  const waiting = all.values();
  await Promise.all(
    clients.map(async (client) => {
      for (const work of waiting) {
        await does(client, work);
      }
    }),
  );
}

/** An Owner key and a Viewer key for each organization. */
export const keysOf = (organizations: number): Promise<InventoryKey[]> =>
  Promise.all(
    Array.from({ length: organizations }, (_, index) => index + 1).flatMap((organization) =>
      (["Owner", "Viewer"] as const).map(async (role) => ({
        organization,
        role,
        hash: await hashApiKey(keyOf(organization, role)),
      })),
    ),
  );

/** Statements that drop a table's indexes, and statements that create them again. */
interface IndexesOfTable {
  drop: string;
  create: string;
}

/** The indexes of all tables, with the largest tables first. */
const indexesOfInventory = `
  select string_agg(case when rule.oid is null then format('drop index %I', index.relname)
      else format('alter table %s drop constraint %I', indrelid::regclass, rule.conname) end, ';') as drop,
    string_agg(case when rule.oid is null then pg_get_indexdef(index.oid)
      else format('alter table %s add constraint %I %s', indrelid::regclass, rule.conname,
        pg_get_constraintdef(rule.oid)) end, ';') as create
  from pg_index join pg_class as index on index.oid = indexrelid
  left join pg_constraint as rule on rule.conindid = index.oid and rule.contype in ('p', 'u', 'x')
  where indrelid::regclass::text in ('hosts', 'ip_addresses', 'ports', 'services', 'bindings')
    and not exists (select from pg_constraint where contype = 'f' and conindid = indexrelid)
  group by indrelid
  order by array_position('{services,bindings,ports,ip_addresses,hosts}', indrelid::regclass::text)`;

/** Checks every foreign key. */
async function findOrphans(client: Client): Promise<void> {
  const { rows: keys } = await client.query<{ name: string; check: string }>(`
    select conname as name, format('select from %s as child where (%s) is not null
      and not exists (select from %s as parent where (%s) = (%s)) limit 1',
      conrelid::regclass, child.columns, confrelid::regclass, parent.columns, child.columns) as check
    from pg_constraint,
      lateral (select string_agg('child.' || attname, ', ' order by position) as columns
        from unnest(conkey) with ordinality as key (number, position)
        join pg_attribute on attrelid = conrelid and attnum = number) as child,
      lateral (select string_agg('parent.' || attname, ', ' order by position) as columns
        from unnest(confkey) with ordinality as key (number, position)
        join pg_attribute on attrelid = confrelid and attnum = number) as parent
    where contype = 'f'`);
  for (const { name, check } of keys) {
    if ((await client.query(check)).rowCount !== 0) {
      throw new Error(`The data breaks the foreign key ${name}.`);
    }
  }
}
