import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { storedStatements } from "../../src/stored-statements.ts";
import { endLease, leaseDaemon } from "../helpers/daemons.ts";
import { abortionOf, refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintDaemon, mintKey, mintOrganization } from "../helpers/organization.ts";
import { assignCredential } from "../helpers/scans.ts";
import { inPhase, mintSession } from "../helpers/sessions.ts";

const suffix = crypto.randomUUID().replaceAll("-", "");

// PGlite never resets a session authorization, and has one session for all tests.
describe.skipIf(!inject("isRealPostgres"))("the service's logins", () => {
  /**
   * The logins from src/docs/operations.md (Deploy, step 1). The names are unique because roles
   * belong to the whole cluster.
   */
  const worker = `worker_${suffix}`;
  const poller = `poller_${suffix}`;
  let keyHash: string;

  beforeAll(async () => {
    const { id, networks } = await mintOrganization();
    await mintDaemon(id, networks[0].id);
    keyHash = await hashApiKey(await mintKey(id, { role: "Owner" }));
    await sql.transaction([
      sql.query(`create role ${worker} noinherit`),
      sql.query(`grant inventory_api to ${worker}`),
      sql.query(`grant usage on schema app to ${worker}`),
      sql.query(
        `grant execute on function app.enter(bytea, role, integer, boolean, boolean) to ${worker}`,
      ),
      sql.query(`create role ${poller} noinherit`),
      sql.query(`grant inventory_poller to ${poller}`),
    ]);
  });

  afterAll(async () => {
    await sql.transaction([
      sql.query(`drop owned by ${worker}, ${poller}`),
      sql.query(`drop role ${worker}, ${poller}`),
    ]);
  });

  /** Runs statements as a login, which cannot switch back. */
  const as = (login: string, ...statements: string[]) =>
    sql.transaction([
      sql.query(`set local session authorization ${login}`),
      ...statements.map((statement) => sql.query(statement)),
    ]);

  const enter = () =>
    `select set_config('role', 'inventory_api', true), entered.*
     from app.enter(decode('${keyHash}', 'hex'), 'Viewer', 8000) as entered`;

  describe("the Worker's login", () => {
    test("passes the gate and works behind it", async () => {
      const [, entered, counted] = await as(worker, enter(), "select count(*)::int from networks");
      expect(entered).toMatchObject([{ organization_id: expect.any(String) }]);
      expect(counted).toEqual([{ count: 2 }]);
    });

    test.each([
      "set local role inventory_poller",
      "select * from credentials",
      "select * from daemons",
      "create table public.mine (id int)",
      "create function public.mine() returns int language sql as 'select 1'",
      "create temporary table mine (id int)",
      "create domain pg_temp.text as pg_catalog.text",
      "select lo_create(0)",
      "select lo_creat(-1)",
      "select lo_from_bytea(0, 'kept')",
    ])("cannot run: %s", async (statement) => {
      expect(await refusalOf(as(worker, statement))).toMatchObject({ code: "42501" });
    });

    test("cannot bypass the limit on a full audit log by changing its role within the statement", async () => {
      const { id, keys } = await mintOrganization();
      const pass = `select set_config('role', 'inventory_api', true)
        from app.enter(decode('${await hashApiKey(keys.owner)}', 'hex'), 'Viewer', 8000)`;
      const rename = (name: string) =>
        as(worker, pass, `update user_api_keys set name = ${name} where role = 'Viewer'`);
      await rename("'before'");
      await sql`insert into app.full_audit_logs (organization_id, until, transaction_id)
        values (${id}, now() + interval '1 hour', '1')`;
      for (const name of ["'past'", "'past' || left(set_config('role', 'none', true), 0)"]) {
        expect(await abortionOf(rename(name))).toMatchObject({
          detail: { code: "rate_limit_exceeded" },
        });
      }
    });

    /** Types that shadow those used in the gate's body. Each of them runs an attacker's code. */
    const plant = ["text", "jsonb", "uuid", "interval", "timestamptz"].map(
      (type) => `
        create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.run(value::pg_catalog.text))`,
    );
    const run = `
      create function pg_temp.run(value pg_catalog.text) returns boolean language plpgsql as $$
      begin
        perform pg_catalog.set_config('attack.ran_as',
          pg_catalog.concat(pg_catalog.current_setting('attack.ran_as', true), current_user, ' '), true);
        return true;
      end $$`;

    // Raises the result as an error, which rolls everything back. Otherwise the connection would
    // keep its temporary types for the next client.
    const tell = `
      do $$ begin
        raise exception using message = 'ran as: ' || current_setting('attack.ran_as', true);
      end $$`;

    test("cannot become the owner by creating its own types, even if it may create types", async () => {
      const attack = sql.transaction([
        sql.query(`
          do $$ begin
            execute format('grant temporary on database %I to ${worker}', current_database());
          end $$`),
        sql.query(`set local session authorization ${worker}`),
        sql`select set_config('attack.ran_as', '', true)`,
        sql.query(run),
        ...plant.map((statement) => sql.query(statement)),
        // Shows that the trap works: this statement by the attacker uses the shadowing type.
        sql.query("select 'bait'::text"),
        sql.query(enter()),
        sql.query("select count(*) from credentials"),
        sql.query(tell),
      ]);
      await expect(attack).rejects.toThrow(new RegExp(`^ran as: (${worker} )+$`));
    });
  });

  describe("the poller's login", () => {
    test("can read the daemons of all tenants, but not tables that only the API needs", async () => {
      const [, , daemons] = await as(
        poller,
        "set local role inventory_poller",
        "select count(*)::int as count from daemons",
      );
      expect(daemons?.[0]?.["count"]).toBeGreaterThan(0);
      for (const table of ["credentials", "networks", "user_api_keys", "credential_secrets"]) {
        const attempt = as(poller, "set local role inventory_poller", `select * from ${table}`);
        expect(await refusalOf(attempt), table).toMatchObject({ code: "42501" });
      }
    });

    test("gets sealed credentials only for a daemon that is leased, has a pending scan and may receive credentials", async () => {
      const { id, networks } = await mintOrganization();
      const daemon = await mintDaemon(id, networks[0].id);
      const session = await mintSession(id, networks[0].id, daemon, inPhase("Pending"));
      const credential = await mintCredential(id, { settings: { type: "DockerSocket" } });
      await assignCredential(id, credential, { network_id: networks[0].id });
      const { poll_generation } = await leaseDaemon(daemon);
      const credentialsFor = async (generation: number, scan: string) => {
        const query = `
          select id from app.scan_credentials('${id}', '${daemon}', ${generation}, '${scan}', 10)`;
        return (await as(poller, "set local role inventory_poller", query)).at(-1);
      };
      expect(await credentialsFor(poll_generation, session)).toEqual([{ id: credential }]);
      // The handover is recorded in a table that the login cannot write to.
      expect(
        await sql`select session_id from app.handed_scans where daemon_id = ${daemon}`,
      ).toEqual([{ session_id: session }]);
      expect(await credentialsFor(poll_generation + 1, session)).toEqual([]);
      expect(await credentialsFor(poll_generation, crypto.randomUUID())).toEqual([]);
      await sql`update daemons set receives_credentials = false where id = ${daemon}`;
      expect(await credentialsFor(poll_generation, session)).toEqual([]);
      await sql`update daemons set receives_credentials = true where id = ${daemon}`;
      await endLease(daemon);
      expect(await credentialsFor(poll_generation, session)).toEqual([]);
    });

    // The poller must not be able to decide which daemons receive secrets.
    test.each([
      "update daemons set receives_credentials = true",
      "update daemons set network_id = network_id, url = 'https://other.example.com'",
      "insert into app.handed_scans select * from app.handed_scans",
      "select * from app.scan_scopes",
    ])("cannot run as the poller: %s", async (statement) => {
      const attempt = as(poller, "set local role inventory_poller", statement);
      expect(await refusalOf(attempt)).toMatchObject({ code: "42501" });
    });

    test.each([
      "set local role inventory_api",
      "select * from daemons",
      "select lo_create(0)",
      "select lo_from_bytea(0, 'kept')",
    ])("cannot run: %s", async (statement) => {
      expect(await refusalOf(as(poller, statement))).toMatchObject({ code: "42501" });
    });
  });
});

test("every function in app searches pg_catalog first and pg_temp last, and has no other settings", async () => {
  /** Planner settings, which do not grant any access. */
  const planning: Readonly<Record<string, string | readonly string[]>> = {
    found_by_word: ["enable_bitmapscan=off", "enable_seqscan=off"],
    invalid_references_of_credentials: "plan_cache_mode=force_generic_plan",
    labels: "plan_cache_mode=force_generic_plan",
    lock_replaced_credential: "plan_cache_mode=force_generic_plan",
    missing: "plan_cache_mode=force_generic_plan",
    revise_hosts: "enable_nestloop=off",
    revise_interfaces: "enable_nestloop=off",
    revise_services: "enable_nestloop=off",
    search: ["plan_cache_mode=force_generic_plan", "enable_memoize=off"],
    update_credential: "plan_cache_mode=force_generic_plan",
  };
  // Functions with a standard SQL body are exempt: unlike names in a string body, the names in it
  // were resolved when the function was created.
  // Stored statements, which have the rights of their callers, are tested separately.
  const functions = await sql`
    select proname, proconfig from pg_proc
    where pronamespace = 'app'::regnamespace and (prosecdef or prosqlbody is null)
      and proname <> all (${storedStatements().map(({ name }) => name)}) order by 1`;
  expect(functions.length).toBeGreaterThan(10);
  for (const { proname, proconfig } of functions) {
    expect(proconfig, String(proname)).toEqual([
      "search_path=pg_catalog, pg_temp",
      ...[planning[proname] ?? []].flat(),
    ]);
  }
});

test("functions in app can be executed only by roles with a grant", async () => {
  expect(
    await sql`
      select proname from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) as granted
      where pronamespace = 'app'::regnamespace and granted.grantee = 0`,
  ).toEqual([]);
});

test("PUBLIC cannot execute newly created functions either", async () => {
  const name = `later_${suffix}`;
  const [, granted] = await sql.transaction([
    sql.query(`create function app.${name}() returns int language sql as 'select 1'`),
    sql`select has_function_privilege('inventory_api', ${`app.${name}()`}, 'execute') as api,
      has_function_privilege('inventory_poller', ${`app.${name}()`}, 'execute') as poller`,
    sql.query(`drop function app.${name}()`),
  ]);
  expect(granted).toEqual([{ api: false, poller: false }]);
});
