import type pg from "pg";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { type InventoryKey, type InventorySize, inventory } from "./inventory.ts";
import { type NetworkSize, networkInventory } from "./network-inventory.ts";

/** The key of an organization of an inventory, by its number, from 1. */
export const keyOf = (organization: number, role: InventoryKey["role"] = "Owner") =>
  mintApiKey(`Bench${role}${String(organization).padStart(27 - role.length, "0")}`);

interface Index {
  name: string;
  drop: string;
  create: string;
}

/** The constraint that keeps versions apart: half of the time of a load, and no query uses it. */
const exclusion = "bindings_one_version_at_a_time";

/**
 * Migrates an empty database and fills it. For the load alone the foreign keys' triggers rest and
 * the indexes of bindings are away; {@link findOrphans} shows that nothing slipped in.
 * @param options.isQuick leaves the exclusion constraint of bindings away
 */
export async function loadDatabase(
  client: pg.PoolClient | pg.Client,
  size: InventorySize,
  { isQuick = false }: { isQuick?: boolean } = {},
): Promise<void> {
  await migrateDatabase(client);
  await client.query("set synchronous_commit = off");
  const { rows: indexes } = await client.query<Index>(indexesOfBindings);
  for (const { drop } of indexes) {
    await client.query(drop);
  }
  await client.query("set session_replication_role = replica");
  for (const { text, values } of inventory(size, await keys(size.organizations))) {
    await client.query(text, values);
  }
  await client.query("set session_replication_role = origin");
  for (const { name, create } of indexes) {
    if (!isQuick || name !== exclusion) {
      await client.query(create);
    }
  }
  await findOrphans(client);
  await client.query("reset synchronous_commit");
  await client.query("vacuum (analyze, freeze)");
  await client.query("checkpoint");
}

/**
 * Migrates an empty database and fills it with hosts and all that they carry. No trigger runs
 * meanwhile; {@link findOrphans} shows that nothing slipped in.
 */
export async function loadNetwork(client: pg.Client, size: NetworkSize): Promise<void> {
  await migrateDatabase(client);
  await client.query("set synchronous_commit = off");
  await client.query("set session_replication_role = replica");
  for (const { text, values } of networkInventory(size, await keys(2))) {
    await client.query(text, values);
  }
  await client.query("set session_replication_role = origin");
  await findOrphans(client);
  await client.query("reset synchronous_commit");
  await client.query("vacuum (analyze, freeze)");
  await client.query("checkpoint");
}

/** An Owner's and a Viewer's key for each organization. */
const keys = (organizations: number): Promise<InventoryKey[]> =>
  Promise.all(
    Array.from({ length: organizations }, (_, index) => index + 1).flatMap((organization) =>
      (["Owner", "Viewer"] as const).map(async (role) => ({
        organization,
        role,
        hash: await hashApiKey(keyOf(organization, role)),
      })),
    ),
  );

const indexesOfBindings = `
  select index.relname as name,
    case when rule.oid is null then format('drop index %I', index.relname)
      else format('alter table bindings drop constraint %I', rule.conname) end as drop,
    case when rule.oid is null then pg_get_indexdef(index.oid)
      else format('alter table bindings add constraint %I %s', rule.conname,
        pg_get_constraintdef(rule.oid)) end as create
  from pg_index join pg_class as index on index.oid = indexrelid
  left join pg_constraint as rule on rule.conindid = index.oid and rule.conrelid = indrelid
  where indrelid = 'bindings'::regclass`;

/** Holds every foreign key against the data. */
async function findOrphans(client: pg.PoolClient | pg.Client): Promise<void> {
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
