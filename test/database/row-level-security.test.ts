import { beforeAll, describe, expect, test } from "vitest";
import { becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { rowsOf, tableNames } from "../helpers/rows.ts";

const permissionDenied = { code: "42501" };
/**
 * Tables that the API cannot read. Only functions read hashes and claims, only the poller reads
 * tokens, and no role reads the ciphertext of credentials.
 */
const closedTables = [
  "credential_secrets",
  "daemon_secrets",
  "idempotency_keys",
  "user_api_key_secrets",
  "user_api_tokens",
  "webhook_secrets",
];

let own: PopulatedOrganization;
let other: PopulatedOrganization;

beforeAll(async () => {
  own = await mintPopulatedOrganization();
  other = await mintPopulatedOrganization();
});

const count = (table: string) => sql.query(`select count(*)::int as count from ${table}`);

/** The organizations whose rows are visible in a table. */
const seen = (table: string) =>
  sql.query(
    `select distinct ${table === "organizations" ? "id" : "organization_id"} as id from ${table}`,
  );

test("every table has row level security, and has rows with which to test it", async () => {
  const tables = await tableNames();
  expect(tables.length).toBeGreaterThanOrEqual(16);
  const secured = await sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity
    order by relname`;
  expect(secured.map(({ relname }) => relname)).toEqual(tables);
  const rows = await rowsOf(other.id, []);
  expect(tables.filter((table) => rows[table]?.length === 0)).toEqual([]);
});

test("only tables contain rows: there are no views or foreign tables", async () => {
  const others = await sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'f')`;
  expect(others).toEqual([]);
});

test("the API's role does not bypass row level security, and does not own anything", async () => {
  expect(
    await sql`
      select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin
      from pg_roles where rolname = 'inventory_api'`,
  ).toEqual([
    {
      rolsuper: false,
      rolbypassrls: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolcanlogin: false,
    },
  ]);
  expect(
    await sql`
      select relname from pg_class where relowner = 'inventory_api'::regrole
      union all select rolname from pg_roles as granted
      where granted.rolname <> 'inventory_api'
        and pg_has_role('inventory_api', granted.oid, 'usage')`,
  ).toEqual([]);
});

test("without the gate, no row of any table is visible", async () => {
  for (const table of await tableNames()) {
    const attempt = sql.transaction([becomeApi(), count(table)]);
    if (closedTables.includes(table)) {
      expect(await refusalOf(attempt), table).toMatchObject(permissionDenied);
    } else {
      expect((await attempt)[1], table).toEqual([{ count: 0 }]);
    }
  }
});

test("behind the gate, only the caller's own rows are visible", async () => {
  for (const table of await tableNames()) {
    const attempt = sql.transaction([enter(own.keys.owner), seen(table)]);
    if (closedTables.includes(table)) {
      expect(await refusalOf(attempt), table).toMatchObject(permissionDenied);
    } else {
      expect((await attempt)[1], table).toEqual([{ id: own.id }]);
    }
  }
});

test.each([
  ["key hashes", "select key_hash from user_api_key_secrets"],
  ["the number of key hashes", "select count(*) from user_api_key_secrets"],
  ["hashes of tokens", "select count(*) from user_api_tokens"],
  ["key hashes, when deleting", "delete from user_api_key_secrets"],
  ["which keys have hashes", "select api_key_id from user_api_key_secrets"],
  ["claims", "select key from idempotency_keys"],
  ["claims, when deleting", "delete from idempotency_keys"],
  ["ciphertext", "select sealed from credential_secrets"],
  ["ciphertext, in a condition", "select field from credential_secrets where sealed > ''"],
  ["ciphertext, as a row", "select credential_secrets from credential_secrets"],
  ["ciphertext that a deletion returns", "delete from credential_secrets returning sealed"],
  ["which fields have ciphertext", "select field from credential_secrets"],
  ["a daemon's token", "select sealed from daemon_secrets"],
  ["which daemons have tokens", "select daemon_id from daemon_secrets"],
  ["a webhook's secret", "select sealed from webhook_secrets"],
])("the API cannot read %s, with or without the gate", async (_, query) => {
  const before = await rowsOf(own.id);
  for (const first of [becomeApi(), enter(own.keys.owner)]) {
    const attempt = sql.transaction([first, sql.query(query)]);
    expect(await refusalOf(attempt)).toMatchObject(permissionDenied);
  }
  expect(await rowsOf(own.id)).toEqual(before);
});

describe("the API", () => {
  test("cannot insert rows into tables that only functions write", async () => {
    const rows = await sql`
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and not has_any_column_privilege('inventory_api', oid, 'insert')
      order by relname`;
    expect(rows.map(({ relname }) => relname)).toEqual([
      "audit_entries",
      "closed_host_tags",
      "closed_service_tags",
      "closed_subnet_tags",
      "count_deltas",
      "credential_secret_fields",
      "daemon_secrets",
      "idempotency_keys",
      "organizations",
      "transactions",
      "user_api_tokens",
      "webhook_deliveries",
      "webhook_secrets",
    ]);
  });

  test("cannot move a row to another organization, or truncate a table", async () => {
    const rows = await sql`
      select relname, attname from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and attname in ('id', 'organization_id') and (
          has_column_privilege('inventory_api', pg_class.oid, attname, 'update')
          or has_table_privilege('inventory_api', pg_class.oid, 'truncate'))`;
    expect(rows).toEqual([]);
  });

  test.each([
    ["credential_tags", "tag_id", () => other.tags[1]],
    ["credential_networks", "network_id", () => other.networks[1].id],
    ["credential_secrets", "field, sealed", () => "ssl_key', 'demo.AAAA"],
    ["credential_hosts", "host_id, is_limited_to_addresses", () => `${otherHost()}', 'false`],
    [
      "credential_host_ip_addresses",
      "host_id, ip_address_id",
      () => `${other.network.host_id}', '${other.network.ip_address_ids[1]}`,
    ],
  ])("cannot insert into another organization's %s", async (table, columns, value) => {
    const before = await rowsOf(other.id, []);
    const insertion = `
      insert into ${table} (organization_id, credential_id, ${columns})
      values ('${other.id}', '${other.credential_id}', '${value()}')`;
    for (const first of [becomeApi(), enter(own.keys.owner)]) {
      const attempt = sql.transaction([first, sql.query(insertion)]);
      expect(await refusalOf(attempt)).toMatchObject(permissionDenied);
    }
    expect(await rowsOf(other.id, [])).toEqual(before);
    // The same row is otherwise valid: its owner can insert it.
    await sql.transaction([enter(other.keys.owner), sql.query(insertion)]);
  });

  test.each([
    ["networks", "name", () => "'New'"],
    ["tags", "name", () => "'New'"],
    ["credentials", "name, settings", () => `'New', '{"type": "DockerSocket"}'`],
    [
      "daemons",
      "network_id, name, url",
      () => `'${other.network.id}', 'New', 'https://daemon.example.com'`,
    ],
    ["user_api_keys", "name, role", () => "'New', 'Viewer'"],
    ["network_tags", "network_id, tag_id", () => `'${other.network.id}', '${other.tags[1]}'`],
    ["daemon_tags", "daemon_id, tag_id", () => `'${other.daemon_id}', '${other.tags[1]}'`],
    [
      "user_api_key_networks",
      "api_key_id, network_id",
      () => `'${other.limited_key_id}', '${other.networks[1].id}'`,
    ],
    [
      "user_api_key_secrets",
      "api_key_id, key_hash",
      () => `'${other.limited_key_id}', sha256('\\x01')`,
    ],
  ])("cannot insert another organization's record into %s", async (table, columns, values) => {
    const before = await rowsOf(other.id);
    const insertion = `
      insert into ${table} (organization_id, ${columns}) values ('${other.id}', ${values()})`;
    const attempt = sql.transaction([enter(own.keys.owner), sql.query(insertion)]);
    expect(await refusalOf(attempt)).toMatchObject(permissionDenied);
    expect((await refusalOf(sql.transaction([becomeApi(), sql.query(insertion)]))).code).toMatch(
      /^(42501|INV01)$/,
    );
    expect(await rowsOf(other.id)).toEqual(before);
    // The same row is otherwise valid: its owner can insert it.
    await sql.transaction([enter(other.keys.owner), sql.query(insertion)]);
  });

  test.each([
    "update organizations set name = 'Taken over'",
    "update credentials set name = 'Taken over'",
    "update daemons set consecutive_failures = 0, unreachable_since = null, next_poll_at = now()",
    "delete from credential_tags",
    "delete from credential_networks",
    "delete from credential_host_ip_addresses",
    "delete from credential_hosts",
    "delete from credential_secret_fields",
    "delete from credentials",
    "delete from daemons",
    "delete from daemon_tags",
  ])(
    "changes only its own organization's rows, even with a statement that has no condition: %s",
    async (statement) => {
      const mine = await mintPopulatedOrganization();
      const ofOther = await rowsOf(other.id, []);
      const ofMine = await rowsOf(mine.id);
      await sql.transaction([becomeApi(), sql.query(statement)]);
      expect(await rowsOf(mine.id)).toEqual(ofMine);
      await sql.transaction([enter(mine.keys.owner), sql.query(statement)]);
      expect(await rowsOf(mine.id)).not.toEqual(ofMine);
      expect(await rowsOf(other.id, [])).toEqual(ofOther);
    },
  );
});

test.each([
  "update networks set name = 'Taken over'",
  "update tags set name = 'Taken over' || id",
  "update user_api_keys set name = 'Taken over'",
  "delete from networks",
  "delete from network_tags",
  "delete from tags",
  "delete from user_api_keys where role <> 'Owner'",
  "delete from user_api_key_networks",
])("writes above network level stay within the organization: %s", async (statement) => {
  const mine = await mintPopulatedOrganization();
  const ofOther = await rowsOf(other.id);
  const ofMine = await rowsOf(mine.id, ["last_used_at"]);
  const attempt = sql.transaction([becomeApi(), sql.query(statement)]);
  expect(await refusalOf(attempt)).toMatchObject({ code: "INV01" });
  expect(await rowsOf(mine.id, ["last_used_at"])).toEqual(ofMine);
  await sql.transaction([enter(mine.keys.owner), sql.query(statement)]);
  expect(await rowsOf(mine.id, ["last_used_at"])).not.toEqual(ofMine);
  expect(await rowsOf(other.id)).toEqual(ofOther);
});

/** The tables that the poller reads in order to poll daemons and deliver to webhooks. */
const pollerTables = [
  "daemons",
  "daemon_secrets",
  "discovery_sessions",
  "webhook_secrets",
  "webhooks",
];

test("the poller sees the daemons, tokens, scans and webhooks of all tenants, but no other tables", async () => {
  for (const table of await tableNames()) {
    const asPoller = sql`select set_config('role', 'inventory_poller', true)`;
    const attempt = sql.transaction([asPoller, seen(table)]);
    if (pollerTables.includes(table)) {
      expect((await attempt)[1], table).toEqual(
        expect.arrayContaining([{ id: own.id }, { id: other.id }]),
      );
    } else {
      expect(await refusalOf(attempt), table).toMatchObject(permissionDenied);
    }
  }
});

test.each([
  "insert into daemon_secrets select * from daemon_secrets",
  "update daemon_secrets set sealed = 'demo.AAAA'",
  "delete from daemon_secrets",
])("the API cannot write tokens: %s", async (statement) => {
  for (const first of [becomeApi(), enter(own.keys.owner)]) {
    const attempt = sql.transaction([first, sql.query(statement)]);
    expect(await refusalOf(attempt)).toMatchObject(permissionDenied);
  }
});

const otherHost = () => other.networks[1].host_id;
