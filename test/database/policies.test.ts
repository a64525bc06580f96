import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";

/** A table's policies, from the catalog. */
const policies = `
  select policyname, permissive, roles::text[], cmd, qual, with_check from pg_policies
  where schemaname = 'public'`;

/**
 * The condition of a table's policy. It matches only the tenant's rows and, if the rows belong to
 * networks, only those in networks that the key can access.
 */
const condition = (networkColumn: string | null) =>
  networkColumn === null
    ? "(organization_id = ( SELECT app.organization_id() AS organization_id))"
    : "((organization_id = ( SELECT app.organization_id() AS organization_id)) AND " +
      "(( SELECT app.reaches_all_networks() AS reaches_all_networks) OR " +
      `(${networkColumn} = ANY (( SELECT app.network_ids() AS network_ids)::uuid[]))))`;

/** Tables that callers never read: key hashes and sealed values. */
const secretTables = [
  "credential_secrets",
  "daemon_secrets",
  "idempotency_keys",
  "user_api_key_secrets",
  "user_api_tokens",
  "webhook_secrets",
];

/** A key limited to specific networks sees only webhooks and deliveries of its own networks. */
const webhookTables = ["webhook_deliveries", "webhooks"];

/**
 * A key limited to specific networks sees only assignments in networks that it can access, and
 * triggers check its writes.
 */
const assignmentTables = [
  "credential_host_ip_addresses",
  "credential_hosts",
  "credential_networks",
];

/** Tables without a network column, whose rows belong to a record that has one. */
const partTables = [
  "closed_host_tags",
  "closed_service_tags",
  "closed_subnet_tags",
  "daemon_tags",
  "host_tags",
  "service_tags",
  "subnet_tags",
];

/** Policies in addition to the tenant policy. */
const added: Record<string, string[]> = {
  credentials: ["reach", "reach_of_deletion"],
  daemons: ["poller"],
  discovery_sessions: ["poller"],
};

test("in every table, a key sees only its tenant's rows and, if they belong to networks, only those in networks that it can access", async () => {
  const tables = await sql`
    select organization.table_name as name,
      case organization.table_name when 'networks' then 'id' else network.column_name end as network
    from information_schema.columns as organization
    left join information_schema.columns as network
      on network.table_schema = 'public' and network.table_name = organization.table_name
        and network.column_name = 'network_id'
    where organization.table_schema = 'public' and organization.column_name = 'organization_id'
    order by name`;
  const ordinary = tables.filter(
    ({ name }) =>
      ![...secretTables, ...assignmentTables, ...partTables, ...webhookTables].includes(
        String(name),
      ),
  );
  expect(ordinary.length).toBeGreaterThanOrEqual(11);
  for (const { name, network } of ordinary) {
    const actual = await sql.query(`${policies} and tablename = $1`, [name]);
    const own = actual.filter(({ policyname }) => !added[String(name)]?.includes(policyname));
    expect(own, String(name)).toEqual([
      {
        policyname: "tenant",
        permissive: "PERMISSIVE",
        roles: ["inventory_api"],
        cmd: "ALL",
        qual: condition(network === null ? null : String(network)),
        with_check: null,
      },
    ]);
  }
});

test("a key sees at most its own organization's assignments, and cannot write another organization's", async () => {
  const rows = await sql`
    select tablename, policyname, qual, with_check from pg_policies
    where tablename = any(${assignmentTables}) order by tablename`;
  expect(rows.map(({ tablename }) => tablename)).toEqual(assignmentTables);
  const tenant = "(organization_id = ( SELECT app.organization_id() AS organization_id))";
  for (const { qual, with_check } of rows) {
    expect(qual).toContain("AND (( SELECT app.reaches_all_networks()");
    expect(qual).toContain(tenant);
    expect(with_check).toBe(tenant);
  }
});

test("a key sees only the webhooks and deliveries of its organization that it can access", async () => {
  const rows = await sql`
    select tablename, qual, with_check from pg_policies
    where tablename = any(${webhookTables}) and policyname = 'tenant' order by tablename`;
  const tenant = "(organization_id = ( SELECT app.organization_id() AS organization_id))";
  expect(rows).toEqual([
    {
      tablename: "webhook_deliveries",
      qual: expect.stringMatching(/ OR \(EXISTS .* FROM webhooks known/s),
      with_check: null,
    },
    {
      tablename: "webhooks",
      qual: expect.stringContaining("(network_ids <@ ( SELECT app.network_ids() AS network_ids"),
      with_check: null,
    },
  ]);
  for (const { qual } of rows) {
    expect(qual).toContain(tenant);
    expect(qual).toContain("AND (( SELECT app.reaches_all_networks()");
  }
});

test("a key can see and write the tags of records that it can access", async () => {
  const rows = await sql`
    select qual, with_check from pg_policies where tablename = any(${partTables}) order by tablename`;
  expect(rows).toEqual(
    partTables
      .map((table) => `${table.replace(/^closed_|_tags$/g, "")}s`)
      .map((owner) => ({
        qual: expect.stringMatching(
          new RegExp(
            `^\\(\\(organization_id = .*( FROM ${owner}\\b|app\\.reaches_${owner.slice(0, -1)}\\()`,
            "s",
          ),
        ),
        with_check: null,
      })),
  );
});

test("no role of the API can read secrets", async () => {
  const rows = await sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'
      and not has_any_column_privilege('inventory_api', oid, 'select') order by relname`;
  expect(rows.map(({ relname }) => relname)).toEqual(secretTables);
});

test("read privileges are granted on whole tables, never on individual columns", async () => {
  // Privileges on whole tables are stored with the table, so these are all the privileges on
  // columns.
  const rows = await sql`
    select attrelid::regclass::text as table, attname as column, grantee::regrole::text as role
    from pg_attribute cross join lateral aclexplode(attacl)
      join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and privilege_type = 'SELECT'`;
  expect(rows).toEqual([]);
});
