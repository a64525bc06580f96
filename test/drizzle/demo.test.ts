import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { seedDemo } from "../../drizzle/demo/seed.ts";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { hashApiKey, typeOfKey } from "../../src/api-key.ts";
import { app } from "../../src/app.ts";
import { KeyRing } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { operationsOf } from "../../src/openapi/describe.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";
import { makeFolder, type TestFolder } from "./helpers/folders.ts";

let folder: TestFolder;
let database: LocalDatabase;
beforeAll(async () => {
  folder = await makeFolder("migrated");
  database = await startLocalDatabase({ dataFolder: folder.postgres });
  await database.withClient(seedDemo);
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

const rows = (query: string, ...values: unknown[]) =>
  database.withClient(async (client) => (await client.query(query, values)).rows);

const own = demo.organization.id;
const byName = <Named extends { name: string }>(records: readonly Named[]) =>
  records.toSorted((one, other) => (one.name < other.name ? -1 : 1));

describe("the demo data", () => {
  it("contains every record in demo.json except the daemons that are provisioned", async () => {
    expect(await rows("select id, name from organizations order by name desc")).toEqual([
      demo.organization,
      demo.other.organization,
    ]);
    expect(
      await rows(
        `select networks.id, networks.name, networks.description, tags.name as tag
         from networks join network_tags on network_id = networks.id join tags on tag_id = tags.id
         where networks.organization_id = $1 order by networks.name`,
        own,
      ),
    ).toEqual(byName(demo.networks));
    expect(
      await rows("select id, name from user_api_keys where id = $1", demo.backup_key.id),
    ).toEqual([demo.backup_key]);
    expect(
      await rows(
        `select daemons.id, daemons.name, networks.name as network, url, is_unreachable
         from daemons join networks on networks.id = network_id
         where daemons.organization_id = $1 order by daemons.name`,
        own,
      ),
    ).toEqual([demo.absent_daemon]);
    for (const { id, type } of demo.credentials) {
      expect(
        await rows("select type from credentials where organization_id = $1 and id = $2", own, id),
      ).toEqual([{ type }]);
    }
  });

  it("contains every key in demo.json, and the gate accepts each with its role", async () => {
    const keys = [
      ...Object.entries(demo.keys).map(([role, key]) => ({ role, key, organization: own })),
      { role: "owner", key: demo.other.keys.owner, organization: demo.other.organization.id },
    ];
    expect(keys.map(({ role }) => role)).toEqual(["owner", "admin", "member", "viewer", "owner"]);
    for (const { role, key, organization } of keys) {
      expect([key, typeOfKey(key)]).toEqual([key, "user"]);
      const hash = await hashApiKey(key);
      expect(
        await rows(
          `select organization_id, lower(role::text) as role, is_enabled, is_limited_to_networks, expires_at
           from user_api_keys where id = (
             select api_key_id from user_api_key_secrets where encode(key_hash, 'hex') = $1)`,
          hash,
        ),
      ).toEqual([
        {
          organization_id: organization,
          role,
          is_enabled: true,
          is_limited_to_networks: false,
          expires_at: null,
        },
      ]);
      const required = role.replace(/^./, (letter) => letter.toUpperCase());
      expect(
        await rows(
          "select organization_id from app.enter(decode($1, 'hex'), $2, 5000)",
          hash,
          required,
        ),
      ).toEqual([{ organization_id: organization }]);
    }
  });

  it("contains three networks and at least a dozen hosts, each with addresses and services", async () => {
    const [counts] = await rows(
      `select (select count(*)::int from networks) as networks, (select count(*)::int from hosts where valid_to is null) as hosts,
        (select count(*)::int from hosts where valid_to is null and not exists
          (select from ip_addresses where host_id = hosts.id)) as hosts_without_address,
        (select count(*)::int from hosts where valid_to is null and not exists
          (select from services where host_id = hosts.id)) as hosts_without_service,
        (select count(*)::int from tags) as tags`,
    );
    expect(counts).toMatchObject({
      networks: 3,
      hosts_without_address: 0,
      hosts_without_service: 0,
      tags: 3,
    });
    expect(counts.hosts).toBeGreaterThanOrEqual(12);
  });

  it("contains at least 40 live bindings, of both types, in two networks", async () => {
    const [live] = await rows(
      `select count(*)::int as count, count(distinct type)::int as types,
        count(distinct network_id)::int as networks,
        count(*) filter (where type = 'Port' and ip_address_id is null)::int as on_all_addresses
       from bindings where valid_to is null`,
    );
    expect(live).toMatchObject({ types: 2, networks: 2 });
    expect(live.count).toBeGreaterThanOrEqual(40);
    expect(live.on_all_addresses).toBeGreaterThan(0);
  });

  it("contains a history of services that moved or ended", async () => {
    const [history] = await rows(
      `select
        count(*) filter (where live.id is not null)::int as moved,
        count(*) filter (where live.id is null)::int as gone,
        count(distinct closed.valid_to)::int as instants,
        bool_and(live.id is null or live.valid_from = closed.valid_to) as adjoin,
        bool_and(live.id is null or live.port_id <> closed.port_id) as differ,
        bool_and(closed.created_at <= closed.valid_from) as created_before
       from bindings closed left join bindings live on live.id = closed.lineage_id
       where closed.valid_to is not null`,
    );
    expect(history).toMatchObject({ adjoin: true, differ: true, created_before: true });
    expect(history.moved).toBeGreaterThanOrEqual(5);
    expect(history.gone).toBeGreaterThanOrEqual(3);
    expect(history.instants).toBeGreaterThanOrEqual(5);
    const at = async (instant: string) =>
      (
        await rows(
          `select count(*)::int as count from bindings
           where valid_from <= $1 and (valid_to is null or $1 < valid_to)`,
          instant,
        )
      )[0].count;
    expect(await at("2025-03-01T00:00:00Z")).toBe(0);
    expect(await at("2025-03-10T00:00:00Z")).toBeGreaterThan(await at("2025-04-01T00:00:00Z"));
  });

  it("contains an inventory that differs in every quarter of three years", async () => {
    const quarters = await rows(
      `select at, (
          select string_agg(live_id || ':' || valid_from, ',' order by live_id)
          from (select live_id, valid_from, valid_to from hosts union all
            select live_id, valid_from, valid_to from ports union all
            select live_id, valid_from, valid_to from subnets) as versions
          where valid_from <= at and (valid_to is null or at < valid_to)) as seen
       from generate_series('2022-10-01'::timestamptz, '2025-09-15', '3 months') as at`,
    );
    expect(quarters.length).toBe(12);
    expect(new Set(quarters.map(({ seen }) => seen)).size).toBe(12);
    expect(quarters.every(({ seen }) => seen !== null)).toBe(true);
  });

  it("contains every referenced record for as long as the record that references it", async () => {
    const references = [
      ["ip_addresses", "host_id", "hosts"],
      ["ip_addresses", "subnet_id", "subnets"],
      ["ports", "host_id", "hosts"],
      ["interfaces", "host_id", "hosts"],
      ["neighbors", "interface_id", "interfaces"],
      ["services", "host_id", "hosts"],
      ["bindings", "service_id", "services"],
      ["bindings", "port_id", "ports"],
      ["bindings", "ip_address_id", "ip_addresses"],
      ["hosts", "virtualization #>> '{details,service_id}'", "services"],
      ["services", "virtualization #>> '{details,service_id}'", "services"],
    ];
    for (const [table, column, parents] of references) {
      const reference = `(child.${column})::uuid`;
      const [referenced] = await rows(
        `select count(*)::int as count from ${table} as child where ${reference} is not null`,
      );
      expect(referenced.count, `${table}.${column}`).toBeGreaterThan(0);
      const orphans = await rows(
        `select child.id from ${table} as child
         where ${reference} is not null and not tstzmultirange(tstzrange(valid_from, valid_to)) <@ (
           select coalesce(range_agg(tstzrange(parent.valid_from, parent.valid_to)), '{}')
           from ${parents} as parent where parent.live_id = ${reference})`,
      );
      expect(orphans, `${table}.${column}`).toEqual([]);
    }
  });

  it("contains bindings that do not conflict, and records for all examples in the reference", async () => {
    expect(
      await rows(
        `select one.id from bindings as one join bindings as other
           on other.live_host_id = one.live_host_id and other.id <> one.id
         where (one.ip_address_id is null or other.ip_address_id is null
             or one.ip_address_id = other.ip_address_id)
           and (one.port_id = other.port_id
             or (one.service_id = other.service_id and one.type <> other.type))`,
      ),
    ).toEqual([]);
    await loadDescriptions(app);
    const ids = operationsOf(app)
      .flatMap(({ path, description }) =>
        /^\/api\/v1\/(subnets|hosts|ip-addresses|ports|interfaces|neighbors|services|bindings)/.test(
          path,
        )
          ? [description.parameters, description.example.body]
          : [],
      )
      .flatMap(
        (sent) => JSON.stringify(sent ?? {}).match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [],
      )
      // Ignore the ids of records that the example creates.
      .filter((id) => !id.startsWith("0f0a4f0e"));
    expect(ids.length).toBeGreaterThan(50);
    const tables = [
      "networks",
      "tags",
      "subnets",
      "hosts",
      "ip_addresses",
      "ports",
      "interfaces",
      "neighbors",
      "services",
      "bindings",
    ];
    const known = await rows(
      tables.map((table) => `select id::text from ${table}`).join(" union "),
    );
    const all = new Set(known.map(({ id }) => id));
    expect([...new Set(ids)].filter((id) => !all.has(id))).toEqual([]);
  });

  it("contains credentials for SNMP and Docker, whose secrets the demo key decrypts", async () => {
    expect(await rows("select type from credentials order by type")).toEqual(
      ["DockerProxy", "DockerSocket", "SnmpV1", "SnmpV2c", "SnmpV3"].map((type) => ({ type })),
    );
    const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
    const sealed = await rows(
      "select organization_id, credential_id, field, sealed from credential_secrets",
    );
    const opened = sealed.map(({ organization_id, credential_id, field, sealed }) =>
      ring.open(sealed, { record: "credential", organization_id, id: credential_id, field }),
    );
    expect((await Promise.all(opened)).sort()).toEqual([
      "demo-auth-password",
      "demo-priv-password",
      "demo-read-only",
    ]);
  });
});

describe("seeding", () => {
  const dump = async () => {
    const tables = await rows(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
    );
    const query = tables.map(({ name }) => `select '${name}', record::text from ${name} as record`);
    return rows(`${query.join(" union all ")} order by 1, 2`);
  };

  it("changes nothing the second time, not even records that have since been changed", async () => {
    await rows("update organizations set name = 'Renamed' where id = $1", own);
    await rows("delete from credentials where id = $1", demo.credentials[0]?.id);
    const before = await dump();
    await database.withClient(seedDemo);
    expect(await dump()).toEqual(before);
  });

  it.each([
    ["db.example.com", null],
    ["127.0.0.1.example.com", null],
    // A tunnel or a pooler: the name belongs to this machine, but the database runs elsewhere.
    ["localhost", "203.0.113.7"],
    ["localhost", "10.0.0.2"],
    ["localhost", "2001:db8::1"],
  ])("rejects a database that is not on this machine: %s, at %s", async (host, address) => {
    await rows("delete from organizations");
    await database.withClient(async (client) => {
      const { host: local } = client;
      client.host = host;
      // Postgres returns the server address only for TCP connections, so this connection overrides
      // the function.
      await client.query("begin");
      if (address !== null) {
        await client.query("create schema elsewhere");
        await client.query(
          `create function elsewhere.inet_server_addr() returns inet language sql as $$ select '${address}'::inet $$`,
        );
        await client.query("set local search_path = elsewhere, pg_catalog, public");
      }
      await expect(seedDemo(client)).rejects.toThrow(
        "Demo data is for a database on this machine only.",
      );
      await client.query("rollback");
      client.host = local;
    });
    expect(await rows("select id from organizations")).toEqual([]);
  });
});
