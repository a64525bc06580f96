import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { getTableName } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyFunctions, functionTexts, ruleTexts } from "../../drizzle/apply-files.ts";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { migrateDatabase } from "../../drizzle/migrate.ts";
import { records, sets } from "../../drizzle/records.ts";
import { kinds } from "../../src/database/tables/kinds.ts";
import { storedStatements } from "../../src/stored-statements.ts";
import { root } from "./helpers/npm.ts";

let database: LocalDatabase;

beforeAll(async () => {
  database = await startLocalDatabase({});
  await database.withClient(migrateDatabase);
});

afterAll(() => database.close());

const query = (text: string) =>
  database.withClient(async (client) => (await client.query(text)).rows);

const filesIn = async (folder: string) =>
  (await readdir(join(root, "drizzle", folder), { recursive: true }))
    .filter((path) => path.endsWith(".sql"))
    .toSorted();

const namesIn = async (folder: string) =>
  (await filesIn(folder)).map((path) => basename(path, ".sql"));

/** Functions that table constraints and indexes call, and that migrations therefore create. */
const madeByMigrations = ["is_metadata", "is_plan", "is_set", "lettered", "paired"];

/**
 * Everything that files define: function bodies, settings, owners and rights, as well as triggers,
 * policies and constraints.
 */
const catalog = () =>
  query(`
    select 'function' as kind, proname::text as name, pg_get_functiondef(oid) as definition,
      proowner::regrole::text as owner, array(select unnest(proacl)::text order by 1)::text as rights,
      0::oid as oid
    from pg_proc where pronamespace = 'app'::regnamespace
    union all
    select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid), tgenabled::text, '', 0
    from pg_trigger where not tgisinternal
    union all
    select 'policy', tablename || '.' || policyname, concat_ws(' ', permissive, roles, cmd, qual, with_check), '', '', 0
    from pg_policies
    union all
    select 'table', oid::regclass::text, concat_ws(' ', reloptions, relrowsecurity), '',
      array(select unnest(relacl)::text order by 1)::text, 0
    from pg_class where relnamespace in ('public'::regnamespace, 'app'::regnamespace)
      and relkind = 'r'
    union all
    select 'column', attrelid::regclass || '.' || attname, attstorage::text, '',
      array(select unnest(attacl)::text order by 1)::text, 0
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
    union all
    -- An unchanged object keeps its oid: recreating a constraint or an index reads the whole table.
    select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid), '', '', oid
    from pg_constraint where connamespace in ('public'::regnamespace, 'app'::regnamespace)
      -- A constraint trigger is recreated, as all triggers are.
      and contype <> 't'
    union all
    select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid), '', '', indexrelid
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace in ('public'::regnamespace, 'app'::regnamespace)
    order by kind, name`);

const forget = (name: string) =>
  query(`delete from app.applied_files where path like '%/${name}.sql'`);

it("every function has exactly one file, and every file creates a function", async () => {
  const functions = await query(
    "select proname as name from pg_proc where pronamespace = 'app'::regnamespace order by proname collate \"C\"",
  );
  expect(functions.map(({ name }) => name)).toEqual(
    [...(await functionTexts()).map(({ name }) => name), ...madeByMigrations].toSorted(),
  );
});

it("every table with policies, triggers or grants has one rules file", async () => {
  const files = await namesIn("rules");
  const ruled = await query(`
    select relname as name from pg_class
    where relnamespace in ('public'::regnamespace, 'app'::regnamespace) and relkind = 'r'
      and (relrowsecurity or exists (select from pg_trigger where tgrelid = pg_class.oid and not tgisinternal)
        or exists (select from aclexplode(relacl) where grantee <> relowner))
    order by relname collate "C"`);
  expect(files.toSorted()).toEqual(ruled.map(({ name }) => name));
});

it("applying all files again does not change anything", async () => {
  const before = await catalog();
  await query("delete from app.applied_files");
  await database.withClient(migrateDatabase);
  expect(await catalog()).toEqual(before);
});

it("applying a changed file removes everything that the file no longer defines", async () => {
  const before = await catalog();
  await query(`
    create or replace function app.etag(created_at timestamptz, revision bigint) returns text
    language sql immutable as $$ select 'stale' $$;
    alter function app.etag(timestamptz, bigint) owner to inventory_poller;
    grant execute on function app.settle_scan(uuid) to inventory_api;
    create policy stale on tags to inventory_api using (true);
    create trigger stale before update on tags for each row execute function app.touch();
    grant update (id) on tags to inventory_api;
    alter table tags disable row level security;
    alter table bindings drop constraint bindings_service_fk`);
  for (const name of ["etag", "settle_scan", "tags", "bindings"]) {
    await forget(name);
  }
  await database.withClient(migrateDatabase);
  const withoutOids = (rows: Awaited<ReturnType<typeof catalog>>) =>
    rows.map(({ oid: _oid, ...row }) => row);
  expect(withoutOids(await catalog())).toEqual(withoutOids(before));
});

it("an unchanged file is not applied again", async () => {
  await query("comment on function app.touch() is 'kept'");
  const before = await query("select xmin::text, proname from pg_proc where proname = 'touch'");
  await database.withClient(migrateDatabase);
  expect(await query("select xmin::text, proname from pg_proc where proname = 'touch'")).toEqual(
    before,
  );
});

describe("the functions of stored statements", () => {
  const [statement] = storedStatements();
  const earlier = "read_tags_00000000000001";

  const hasFunction = async (name: string) =>
    (await query(`select from pg_proc where proname = '${name}'`)).length === 1;

  /** Applies the files as a version with a different statement would. */
  async function changeStatement() {
    await forget(statement?.name ?? "");
    await database.withClient(migrateDatabase);
  }

  it("are kept for one more version of the statements, and then dropped", async () => {
    await query(`
      create function app.${earlier}(uuid) returns integer language sql as 'select 1';
      insert into app.applied_files values ('stored/${earlier}.sql', 'earlier')`);
    await changeStatement();
    await database.withClient(migrateDatabase);
    expect(await hasFunction(earlier)).toBe(true);
    await changeStatement();
    expect(await hasFunction(earlier)).toBe(false);
    expect(await query(`select from app.applied_files where path like '%${earlier}%'`)).toEqual([]);
  });

  it("are created again if an earlier version's statements are applied", async () => {
    const { name = "" } = statement ?? {};
    await query(`update app.applied_files set hash = 'retired' where path = 'stored/${name}.sql'`);
    await database.withClient(migrateDatabase);
    await changeStatement();
    expect(await hasFunction(name)).toBe(true);
  });

  it("return the types that a migration gives to columns", async () => {
    const types = await database.withClient(async (client) => {
      await client.query("begin; alter table daemons alter column version type varchar(500)");
      await applyFunctions(client, true);
      const { rows } = await client.query(
        `select pg_get_function_result(oid) as type from pg_proc
         where proname like 'read\\_daemons\\_%'`,
      );
      await client.query("rollback");
      return rows;
    });
    expect(types).toEqual([{ type: expect.stringContaining(" version character varying,") }]);
  });
});

it("the hash of a table's rules includes the text generated from its columns", async () => {
  const texts = await ruleTexts();
  const ports = texts.find(({ name }) => name === "ports");
  const byHand = await readFile(join(root, "drizzle/rules/ports.sql"), "utf8");
  expect(ports?.text.startsWith(byHand)).toBe(true);
  expect(ports?.text).toContain("create trigger history_3_version before update on ports");
  expect(await query("select hash from app.applied_files where path = 'rules/ports.sql'")).toEqual([
    {
      hash: createHash("sha256")
        .update(ports?.text ?? "")
        .digest("hex"),
    },
  ]);
});

it("every declared table has a rules file, with which its triggers are applied", async () => {
  const declared = [...Object.values(kinds), ...Object.values(records), ...sets];
  expect(await namesIn("rules")).toEqual(
    expect.arrayContaining(declared.map(({ table }) => getTableName(table))),
  );
});

it("rights that an operator has granted to a login are kept when the function changes", async () => {
  await query("create role login_of_a_worker noinherit");
  await query(
    "grant execute on function app.enter(bytea, role, integer, boolean, boolean) to login_of_a_worker",
  );
  await forget("enter");
  await database.withClient(migrateDatabase);
  expect(
    await query(
      `select has_function_privilege('login_of_a_worker', 'app.enter(bytea, role, integer, boolean, boolean)', 'execute') as may`,
    ),
  ).toEqual([{ may: true }]);
});

it("rejects a database whose first migration is a different one", async () => {
  const [{ hash } = { hash: "" }] = await query(
    "select hash from drizzle.__drizzle_migrations where id = 1",
  );
  await query("update drizzle.__drizzle_migrations set hash = 'another' where id = 1");
  await expect(database.withClient(migrateDatabase)).rejects.toThrow(
    "The database cannot be upgraded: its first migration is not the first one of this version. Create a new database.",
  );
  await query(`update drizzle.__drizzle_migrations set hash = '${hash}' where id = 1`);
});

it("on Drizzle's tables, rules change only constraints and indexes that Drizzle cannot express", async () => {
  // `npm run check` verifies that migrations match the tables.
  const asMigrated = await startLocalDatabase({});
  try {
    for (const file of await filesIn("migrations")) {
      const text = await readFile(join(root, "drizzle/migrations", file), "utf8");
      await asMigrated.withClient((client) => client.query(text));
    }
    const definitions = `
      select 'constraint ' || conrelid::regclass || ': ' || conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace in ('public'::regnamespace, 'app'::regnamespace) and contype <> 't'
      union all
      select 'index ' || indrelid::regclass || ': ' || indexrelid::regclass, pg_get_indexdef(indexrelid)
      from pg_index join pg_class on pg_class.oid = indexrelid
      where relnamespace in ('public'::regnamespace, 'app'::regnamespace)
      union all
      select 'column ' || attrelid::regclass || ': ' || attname, concat_ws(' ', format_type(atttypid, atttypmod), attnotnull,
        attgenerated, attidentity, pg_get_expr(adbin, adrelid))
      from pg_attribute join pg_class on pg_class.oid = attrelid
        left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where relnamespace in ('public'::regnamespace, 'app'::regnamespace) and relkind = 'r' and attnum > 0`;
    const { rows } = await asMigrated.withClient((client) => client.query(definitions));
    const migrated = new Map(rows.map(({ name, definition }) => [name, definition]));
    const ruled = await query(definitions);
    expect(ruled.length).toBeGreaterThan(500);
    const differing = ruled.filter(({ name, definition }) => migrated.get(name) !== definition);
    expect(differing.map(({ name }) => name).toSorted()).toEqual([
      "constraint bindings: bindings_ip_address_fk",
      "constraint bindings: bindings_one_version_at_a_time",
      "constraint bindings: bindings_port_fk",
      "constraint bindings: bindings_service_fk",
      "constraint credential_host_ip_addresses: credential_host_ip_addresses_address_fk",
      "constraint daemons: daemons_host_fk",
      "constraint hosts: hosts_one_version_at_a_time",
      "constraint interfaces: interfaces_host_unique",
      "constraint interfaces: interfaces_one_version_at_a_time",
      "constraint ip_addresses: ip_addresses_host_unique",
      "constraint ip_addresses: ip_addresses_one_version_at_a_time",
      "constraint ip_addresses: ip_addresses_subnet_unique",
      "constraint neighbors: neighbors_interface_fk",
      "constraint neighbors: neighbors_one_version_at_a_time",
      "constraint ports: ports_host_unique",
      "constraint ports: ports_one_version_at_a_time",
      "constraint services: services_one_version_at_a_time",
      "constraint subnets: subnets_one_version_at_a_time",
      "index bindings: bindings_one_version_at_a_time",
      "index credential_secrets: credential_secrets_key_index",
      "index daemon_secrets: daemon_secrets_key_index",
      "index hosts: hosts_one_version_at_a_time",
      "index interfaces: interfaces_host_unique",
      "index interfaces: interfaces_one_version_at_a_time",
      "index ip_addresses: ip_addresses_host_unique",
      "index ip_addresses: ip_addresses_one_version_at_a_time",
      "index ip_addresses: ip_addresses_subnet_unique",
      "index neighbors: neighbors_one_version_at_a_time",
      "index ports: ports_host_unique",
      "index ports: ports_one_version_at_a_time",
      "index services: services_one_version_at_a_time",
      "index subnets: subnets_one_version_at_a_time",
      "index webhook_secrets: webhook_secrets_key_index",
    ]);
  } finally {
    await asMigrated.close();
  }
});
