import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { loadNetwork } from "../bench/load.ts";
import { idOf, largest, list, middle, namespace } from "../bench/scene.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { planOf } from "./plan.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const hosts = 1000;

/**
 * Gives each host an interface whose neighbor is the next host of its network. Triggers do not run, so that the
 * records are as old as their hosts.
 */
async function connectHosts(client: pg.Client): Promise<void> {
  await client.query("set session_replication_role = replica");
  await client.query(`
    insert into interfaces (
      id, organization_id, network_id, host_id, if_index, name, mac_address, native_vlan, created_at,
      updated_at, valid_from, last_seen_at)
    select gen_random_uuid(), organization_id, network_id, id, 1, 'eth0',
      ('02' || substr(md5(id::text), 1, 10))::macaddr, 1 + number % 100, created_at, created_at,
      created_at, created_at
    from (select *, row_number() over (order by id) as number from hosts where valid_to is null) as host`);
  await client.query(`
    insert into neighbors (
      id, organization_id, network_id, host_id, interface_id, protocol, chassis_subtype, chassis_value,
      port_subtype, port_value, source, created_at, updated_at, valid_from, last_seen_at)
    select gen_random_uuid(), organization_id, network_id, host_id, id, 'Lldp', 'MacAddress',
      upper(next::text), 'InterfaceName', 'eth0', 'Manual', created_at, created_at, valid_from,
      created_at
    from (
      select interface.*, lead(mac_address) over (partition by network_id order by id) as next from interfaces as interface
    ) as interface where next is not null`);
  await client.query("reset session_replication_role");
}

const load = (number: number) =>
  openLoaded(databaseUrl ?? "", async (client) => {
    await loadNetwork(client, { namespace, hosts: number, hostsOfSubnet: 100 });
    await connectHosts(client);
    await client.query("vacuum (analyze, index_cleanup on)");
  });

/**
 * Gives a database the state of one that was filled and never analyzed: its tables have rows, but
 * neither statistics nor known sizes.
 */
async function forgetStatistics(client: pg.Client): Promise<void> {
  const tables = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  for (const { name } of tables.rows) {
    await client.query(`alter table ${name} set (autovacuum_enabled = false)`);
  }
  await client.query("delete from pg_statistic");
  await client.query(
    `update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  );
}

const explained = z.tuple([
  z.object({
    Plan: z.object({ "Shared Hit Blocks": z.number(), "Shared Read Blocks": z.number() }),
  }),
]);

describe("a map on a real Postgres", () => {
  let once: Loaded;
  let twice: Loaded;
  let fresh: Loaded;

  beforeAll(async () => {
    once = await load(hosts);
    twice = await load(2 * hosts);
    fresh = await load(hosts);
    await forgetStatistics(fresh.client);
  }, 300_000);
  afterAll(async () => {
    await once?.close();
    await twice?.close();
    await fresh?.close();
  });

  /** The statement for a map, and its gate, as the Worker sends them in one call. */
  async function statementOf({ database }: Loaded, query: string) {
    const { calls } = await recordCalls(database, list(`topology?${query}`, largest));
    const [call] = calls;
    const [statement, ...more] = call?.statements ?? [];
    expect(calls).toHaveLength(1);
    // With `at`, a second statement checks that the instant is within the kept history.
    expect(more).toHaveLength(query.includes("at=") ? 1 : 0);
    if (!(call && statement)) {
      throw new Error("The map has no statement.");
    }
    return { gate: call.gate, statement };
  }

  /** The number of blocks that a statement reads, and the time that it takes in milliseconds. */
  async function costOf(loaded: Loaded, query: string) {
    const { gate, statement } = await statementOf(loaded, query);
    return asTenant(loaded.client, gate, async () => {
      const startedAt = performance.now();
      const { rows } = await loaded.client.query<{ "QUERY PLAN": unknown }>(
        `explain (analyze, buffers, timing off, format json) ${statement.query}`,
        statement.params,
      );
      const ms = performance.now() - startedAt;
      const [{ Plan }] = explained.parse(rows[0]?.["QUERY PLAN"]);
      return { blocks: Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"], ms };
    });
  }

  const around = `host_id=${idOf("hosts", 1, 0)}&depth=6`;
  const queries = [
    "detail=subnets",
    "detail=hosts",
    "layer=services",
    around,
    `layer=services&${around}`,
    "layer=l2",
    `layer=l2&${around}`,
    "layer=l2&vlan=20",
    `subnet_id=${idOf("subnets", 1, 0)}`,
  ].flatMap((query) => [query, `${query}&at=${middle}`]);

  test.each(queries)("%s is one call without a sequential scan", async (query) => {
    const { gate, statement } = await statementOf(once, query);
    const { scans } = await asTenant(once.client, gate, () => planOf(once.client, statement));
    const read = scans.filter(({ read }) => read > 0);
    expect(read.length).toBeGreaterThan(0);
    expect(scans.filter(({ isWhole }) => isWhole)).toEqual([]);
    expect(scans.filter(({ type }) => type === "Seq Scan")).toEqual([]);
  });

  test.each(queries)(
    "%s reads a map with twice as many hosts in little more than twice as many blocks",
    async (query) => {
      const [one, two] = [await costOf(once, query), await costOf(twice, query)];
      expect(two.blocks).toBeLessThanOrEqual(2.5 * one.blocks);
      // A quadratic statement would take four times as long, and several seconds even here.
      expect(two.ms).toBeLessThan(2000);
    },
  );

  test("the layer l2 finds the neighbors of all hosts", async () => {
    const { gate, statement } = await statementOf(once, "layer=l2");
    const { rows } = await asTenant(once.client, gate, () =>
      once.client.query(statement.query, statement.params),
    );
    const [{ heard, listed }] = rows;
    expect(heard).toBeGreaterThan(0.9 * hosts);
    expect(listed.found_rows).toHaveLength(heard);
    expect(listed.interface_rows).toHaveLength(hosts);
  });

  /** The number of rows that a statement reads from tables. */
  async function rowsOf(loaded: Loaded, query: string) {
    const { gate, statement } = await statementOf(loaded, query);
    const { scans } = await asTenant(loaded.client, gate, () => planOf(loaded.client, statement));
    return scans.reduce((sum, { read }) => sum + read, 0);
  }

  test.each(queries)("%s reads few more rows without statistics", async (query) => {
    expect(await rowsOf(fresh, query)).toBeLessThanOrEqual(2 * (await rowsOf(once, query)));
  });
});
