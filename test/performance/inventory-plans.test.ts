import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { loadNetwork } from "../bench/load.ts";
import { largest, list, middle, namespace } from "../bench/scene.ts";
import { asTenant, type Recording, recordCalls } from "../bench/statements.ts";
import { recountRecords } from "../helpers/record-counts.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { planOf } from "./plan.ts";
import { readsOf } from "./reads.ts";

const databaseUrl = process.env["TEST_DATABASE_URL"];
const size = { namespace, hosts: 2000, hostsOfSubnet: 2 };

/** The tables of the inventory, with the names that records use for them. */
const tables = [
  "subnets",
  "hosts",
  "ip_addresses",
  "ports",
  "interfaces",
  "neighbors",
  "services",
  "bindings",
  "host_tags",
  "service_tags",
  "subnet_tags",
] as const;

/** The subset of tables that contain children of hosts or services. */
const childLists = [
  "ip_addresses",
  "ports",
  "interfaces",
  "neighbors",
  "services",
  "bindings",
] as const;

const answer = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  meta: z.object({ pagination: z.object({ total_count: z.int() }) }),
});

/**
 * A unique string whose words are in nearly all records. It contains non-ASCII letters and symbols,
 * and `like` wildcards.
 */
const rare = String.raw`example(floor)service_ß_é%(\~ö🖥💾`;

/** The string that all other hosts contain. */
const otherSign = "🖨";

/**
 * Parts of {@link rare}, and strings that match nothing. Trigrams are not selective for any of
 * them.
 */
const rareParts = [
  ...["ß", "(", "%", "_", "\\", "_É", "%(", "Z", "zz", "~ö", "_é%("],
  ...["🖥", "💾", "ö🖥", "🖥💾", "💾🖥", "🧯"],
  ...["example(", "(floor", "floor)", ")service", "service_", "example(floor)service_"],
].map((text) => `q=${encodeURIComponent(text)}`);

/** Filters that match few records; {@link readingOf} replaces the placeholders. */
const few = {
  hosts: [
    "ids=HOST",
    "external_id=HOST",
    "tag_ids=TAG",
    "ip=10.0.3.2",
    "ip=2001:db8::99",
    "cidr=10.0.2.0/23",
    "mac=02-00-00-00-02-4D",
    "port=8123",
    "port=8123/Tcp",
    "service=custom 123",
    "service=SERVICE 2 OF 00077",
    "q=10.0.3.2",
    "q=10.0.2.0/23",
    "q=0200.0000.024d",
    "q=8123",
    "q=HOST",
    "q=printer-001",
    "q=10.0.3.",
    "q=10.0.3",
    "q=2001:db8::",
    "q=02-00-00-00-02",
    "q=0200.0000.02",
    "q=custom 123",
    "q=of 00077",
    "q=WEB-00120.EXAMPLE",
    "q=50%25_off",
    "q=77",
    ...rareParts,
  ],
  "ip-addresses": [
    "ids=ADDRESS",
    "host_id=HOST",
    "subnet_id=SUBNET",
    "ip=10.0.3.2",
    "cidr=10.0.2.0/23",
    "mac=02:00:00:00:02:4d",
    "status=Reserved",
    "role=Gateway",
    "q=10.0.3.2",
    "q=2001:db8::9",
    "q=10.0.2.0/23",
    "q=02000000024D",
    "q=ADDRESS",
    "q=00:02:4d",
    "q=10.0.3.",
    "q=0200.0000.02",
    "q=2001:db8::",
    ...rareParts,
  ],
  ports: [
    "ids=PORT",
    "host_id=HOST",
    "number=8123",
    "number=8123&protocol=Tcp",
    "q=8123",
    "q=PORT",
  ],
  interfaces: [
    "ids=INTERFACE",
    "host_id=HOST",
    "if_index=80",
    "mac=02-00-00-00-00-50",
    "q=0200.0000.0050",
    "q=eth80",
    "q=80",
    "q=INTERFACE",
  ],
  neighbors: [
    "ids=NEIGHBOR",
    "host_id=HOST",
    "interface_id=INTERFACE",
    "mac=02-00-00-00-00-50",
    "q=0200.0000.0050",
    "q=switch80",
    "q=gi80",
    "q=NEIGHBOR",
  ],
  services: [
    "ids=SERVICE",
    "external_id=SERVICE",
    "host_id=HOST",
    "tag_ids=TAG",
    "port=8123/Tcp",
    "q=of 00077",
    "q=custom 12",
    "q=SERVICE",
    "q=77",
    ...rareParts,
  ],
  subnets: [
    "ids=SUBNET",
    "external_id=SUBNET",
    "tag_ids=TAG",
    "contains=10.0.3.2",
    "contains=10.0.3.0/24",
    "within=10.0.3.0/22",
    "q=10.0.3.2",
    "q=10.0.3.9/24",
    "q=floor 000",
    "q=SUBNET",
    ...rareParts,
  ],
  bindings: [
    "ids=BINDING",
    "service_id=SERVICE",
    "port_id=PORT",
    "ip_address_id=ADDRESS",
    "q=SERVICE",
    "q=BINDING",
  ],
};

/** Strings that many or all records contain. */
const common = {
  hosts: ["e", "0", "er", "example"],
  "ip-addresses": ["e", "0", "10.", "10.0."],
  services: ["e", "0", "er", "service"],
  subnets: ["o", "0", "10", "floor"],
};

/** The list orders other than creation order. Not all of them have an index. */
const orders = {
  hosts: ["updated_at", "hostname", "name"],
  "ip-addresses": ["updated_at", "name", "ip_address"],
  ports: ["updated_at", "number"],
  interfaces: ["updated_at", "name", "if_index"],
  neighbors: ["updated_at", "system_name", "protocol"],
  services: ["updated_at", "name"],
  subnets: ["updated_at", "name", "cidr"],
};

/** The columns that contain {@link rare}, in all versions of one record of each table. */
const rareTexts = [
  ["hosts", "sys_name"],
  ["ip_addresses", "name"],
  ["services", "service_definition"],
  ["subnets", "description"],
] as const;

/** Gives some live hosts an interface, each with a different number, name and MAC address. */
const addInterfaces = `
  insert into interfaces (organization_id, network_id, host_id, created_at, updated_at, valid_from,
    last_seen_at, if_index, name, mac_address)
  select organization_id, network_id, id, created_at, updated_at, created_at, last_seen_at, number,
    'eth' || number, ('020000' || lpad(to_hex(number), 6, '0'))::macaddr
  from (
    select hosts.*, row_number() over (partition by organization_id order by name, id)::int as number
    from hosts where valid_to is null) as host
  where number % 3 = 2 or name = 'camera-00077'`;

/** Gives each interface a neighbor. */
const addNeighbors = `
  insert into neighbors (organization_id, network_id, host_id, interface_id, created_at, updated_at,
    valid_from, last_seen_at, protocol, chassis_subtype, chassis_value, port_subtype, port_value,
    system_name)
  select organization_id, network_id, host_id, id, created_at, updated_at, valid_from, last_seen_at,
    'Lldp', 'MacAddress', upper(mac_address::text), 'InterfaceName', 'gi' || if_index,
    'switch' || if_index
  from interfaces`;

/** The live host that filters refer to. */
const filteredHost = `
  select hosts.id from hosts join organizations on organizations.id = organization_id
  where organizations.name = '${namespace} 1' and hosts.name = 'camera-00077' and valid_to is null`;

/** The tables of the host and of its children, each with the column that contains the host's id. */
const churned = [
  ["hosts", "id"],
  ["ip_addresses", "live_host_id"],
  ["ports", "live_host_id"],
  ["interfaces", "live_host_id"],
  ["neighbors", "live_host_id"],
  ["services", "live_host_id"],
  ["bindings", "live_host_id"],
] as const;

/**
 * Adds a thousand versions to the host and to each of its children, all of them in the distant
 * past.
 */
async function churn(client: pg.Client): Promise<void> {
  for (const [table, column] of churned) {
    const { rows } = await client.query<{ names: string }>(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
      where table_name = $1 and is_generated = 'NEVER'
        and column_name not in ('id', 'lineage_id', 'valid_from', 'valid_to')`,
      [table],
    );
    const names = rows[0]?.names ?? "";
    await client.query(`
      insert into ${table} (id, lineage_id, valid_from, valid_to, ${names})
      select gen_random_uuid(), record.id, past, past + interval '1 minute', ${names}
      from ${table} as record, generate_series(1, 1000) as minute,
        lateral (select '2001-01-01'::timestamptz + minute * interval '1 minute' as past) as version
      where record.valid_to is null and record.${column} = (${filteredHost})`);
  }
}

type Collection = keyof typeof few;
const collections = Object.keys(few) as Collection[];

/** The tables that a binding refers to, by column. */
const referred = { service_id: "services", port_id: "ports", ip_address_id: "ip_addresses" };

// Needs a real Postgres: PGlite's plans may be different.
describe("reads of the inventory on a real Postgres", () => {
  let loaded: Loaded;
  let ids: Record<string, string>;

  beforeAll(async () => {
    loaded = await openLoaded(databaseUrl ?? "", async (client) => {
      await loadNetwork(client, size);
      await client.query("set session_replication_role = replica");
      for (const [table, column] of rareTexts) {
        await client.query(
          `update ${table} set ${column} = $1 where live_id = (
            select live_id from ${table} join organizations on organizations.id = organization_id
            where organizations.name = '${namespace} 1' order by live_id limit 1)`,
          [rare],
        );
      }
      await client.query("update hosts set sys_name = $1 where sys_name is distinct from $2", [
        otherSign,
        rare,
      ]);
      for (const table of ["hosts", "services", "subnets"]) {
        await client.query(`update ${table} set external_id = live_id`);
      }
      await client.query(`update ip_addresses set status = 'Reserved', role = 'Gateway'
        where address = '10.0.3.2'`);
      await client.query(addInterfaces);
      await client.query(addNeighbors);
      await churn(client);
      await client.query("reset session_replication_role");
      await client.query(recountRecords, [null]);
      await client.query("vacuum (analyze, index_cleanup on)");
    });
    const { rows } = await loaded.client.query<Record<string, string>>(`
      select host.id as "HOST", host.network_id as "NETWORK", port.id as "PORT", service.id as "SERVICE", address.id as "ADDRESS",
        one.id as "INTERFACE", neighbor.id as "NEIGHBOR", address.subnet_id as "SUBNET", tagged.tag_id as "TAG", binding.id as "BINDING"
      from hosts as host join organizations on organizations.id = host.organization_id
      join ports as port on port.live_host_id = host.id
      join services as service on service.live_host_id = host.id
      join interfaces as one on one.live_host_id = host.id
      join neighbors as neighbor on neighbor.live_interface_id = one.id
      join ip_addresses as address on address.live_host_id = host.id
      join host_tags as tagged on tagged.host_id = host.id
      join bindings as binding on binding.live_service_id = service.id
      where organizations.name = '${namespace} 1' and host.name = 'camera-00077' and host.valid_to is null
        and address.subnet_id is not null and port.number = 443 and service.name like '%2 of%'`);
    ids = rows[0] ?? {};
  }, 120_000);

  afterAll(() => loaded?.close());

  /**
   * The number of rows that a request reads from each table, the number of records that it returns
   * from each table, and the number of matches.
   */
  async function readingOf(path: string) {
    const named = path.replace(/\b[A-Z]+(?=&|$)/, (name) => ids[name] ?? name);
    const recording = await recordCalls(loaded.database, list(named, largest));
    const { data, meta } = answer.parse(JSON.parse(recording.text));
    const returned = new Map<string, number>();
    const count = (table: string, records: unknown) => {
      for (const record of z.array(z.looseObject({})).parse(records)) {
        returned.set(table, (returned.get(table) ?? 0) + 1);
        // A port is open if it has a binding.
        if (table === "ports" && record["is_open"] === true) {
          returned.set("bindings", (returned.get("bindings") ?? 0) + 1);
        }
        // The label and the host of a binding come from the records that it refers to.
        if ("label" in record) {
          for (const [column, of] of Object.entries(referred)) {
            returned.set(of, (returned.get(of) ?? 0) + (record[column] === null ? 0 : 1));
          }
        }
        // The utilization of a subnet comes from its addresses, and its parent is another subnet.
        if ("utilization" in record) {
          const { recorded } = z.object({ recorded: z.int() }).parse(record["utilization"]);
          returned.set("ip_addresses", (returned.get("ip_addresses") ?? 0) + recorded);
          returned.set("subnets", (returned.get("subnets") ?? 0) + 1);
        }
        for (const part of childLists) {
          if (part in record) {
            count(part, record[part]);
          }
        }
        if ("tags" in record) {
          const of = table.replace(/s$/, "_tags");
          returned.set(
            of,
            (returned.get(of) ?? 0) + z.array(z.string()).parse(record["tags"]).length,
          );
        }
      }
    };
    count((path.split("?")[0] ?? "").replace("-", "_"), data);
    const { rows, scanned } = await readsOf(loaded.client, recording);
    const total = meta.pagination.total_count;
    return { rows, returned, total, scanned: tables.filter((table) => scanned.includes(table)) };
  }

  type Reading = Awaited<ReturnType<typeof readingOf>>;

  /**
   * The tables from which more rows were read than twice the returned rows plus four times the
   * matches. There are two passes over the matches, one to count and one to sort them, and each may
   * read them twice.
   */
  const excess = ({ rows, returned }: Reading, matches: number) =>
    tables.flatMap((table) => {
      const [read, most] = [rows.get(table) ?? 0, 2 * ((returned.get(table) ?? 0) + 2 * matches)];
      return read > most ? [`${table}: ${read} of ${most}`] : [];
    });

  const filtered = collections.flatMap((name) =>
    few[name].flatMap((query) => [`${name}?${query}`, `${name}?${query}&at=${middle}`]),
  );

  test.each(filtered)("%s reads at most twice what it matches", async (path) => {
    const reading = await readingOf(path);
    expect(reading.scanned).toEqual([]);
    expect(excess(reading, reading.total), `${reading.total} found`).toEqual([]);
  });

  const sorted = Object.entries(orders).flatMap(([name, fields]) =>
    fields.flatMap((field) => [
      `${name}?order_by=${field}`,
      `${name}?order_by=${field}&order_direction=desc&offset=500`,
      `${name}?order_by=${field}&at=${middle}`,
      `${name}?group_by=${field}&order_by=updated_at`,
    ]),
  );

  const searched = Object.entries(common).flatMap(([name, texts]) =>
    texts.flatMap((text) => [`${name}?q=${text}`, `${name}?q=${text}&at=${middle}`]),
  );

  test.each([...sorted, ...searched])(
    "%s, which matches many records, reads at most twice what it matches",
    async (path) => {
      const reading = await readingOf(path);
      expect(reading.total).toBeGreaterThan(100);
      expect(reading.scanned).toEqual([]);
      expect(excess(reading, reading.total), `${reading.total} found`).toEqual([]);
    },
  );

  test.each([
    ...collections.flatMap((name) => [
      name,
      `${name}?offset=500`,
      `${name}?at=${middle}`,
      // A page of 100 hosts would be larger than 1 MiB, so it would be read in chunks.
      `${name}?limit=80&at=${middle}`,
    ]),
    ...["hosts", "services"].flatMap((name) => [
      `${name}?order_by=name`,
      `${name}?order_by=name&order_direction=desc`,
      `${name}?order_by=name&offset=500`,
    ]),
  ])("the page %s reads at most twice what it returns", async (path) => {
    const reading = await readingOf(path);
    expect(reading.scanned).toEqual([]);
    expect(excess(reading, 0)).toEqual([]);
  });

  test.each(["limit=0", `limit=0&at=${middle}`, "limit=100"])(
    "bindings without host_id and label read no other records, with %s",
    async (query) => {
      const { rows, total } = await readingOf(`bindings?${query}&fields=id,valid_from`);
      expect(total).toBeGreaterThan(100);
      const others = Object.values(referred).map((table) => rows.get(table) ?? 0);
      expect(others).toEqual([0, 0, 0]);
    },
  );

  test("an export reads at most twice what it exports", async () => {
    const recording = await recordCalls(loaded.database, list("exports/prometheus", largest));
    const { rows, scanned } = await readsOf(loaded.client, recording);
    expect(tables.filter((table) => scanned.includes(table))).toEqual([]);
    // Rows are read once to measure a chunk and once to return it; tags and bindings are not part
    // of the measurement.
    const exported = { hosts: 2, ip_addresses: 4, ports: 10, services: 10, bindings: 5, tags: 1 };
    for (const [table, most] of Object.entries(exported)) {
      // The tolerance covers closed versions next to the live versions, and one host per chunk that
      // did not fit in it.
      expect([table, (rows.get(table) ?? 0) / size.hosts]).toEqual([
        table,
        expect.toSatisfy((read: number) => read >= 1 && read <= 1.2 * most),
      ]);
    }
  });

  test.each([
    "hosts?limit=0&include_children=false",
    "ip-addresses?limit=0",
    `ports?limit=0&at=${middle}`,
    "services?limit=0&order_by=name",
    "exports/prometheus",
  ])("every chunk of %s fits in memory", async (path) => {
    const { calls } = await recordCalls(loaded.database, list(path, largest));
    const spilled: number[] = [];
    for (const { gate, statements } of calls) {
      await asTenant(loaded.client, gate, async () => {
        for (const statement of statements) {
          spilled.push((await planOf(loaded.client, statement)).spilled);
        }
      });
    }
    expect(spilled).toEqual(spilled.map(() => 0));
  });

  /** Repeats a request that has been recorded, and returns the rows that it reads, by table. */
  async function rowsOf(recording: Recording) {
    const { rows } = await readsOf(loaded.client, recording);
    return tables.map((table) => rows.get(table) ?? 0);
  }

  /** More than none: a write reads at least the record itself, or its host. */
  const isFew = (rows: number) => rows > 0 && rows < 20;

  const withIds = (json: object): unknown =>
    JSON.parse(JSON.stringify(json).replace(/"([A-Z]+)"/g, (_, name) => `"${ids[name]}"`));

  const id = "5c1f2a06-0d2c-4a8f-9f51-6a1f6f0e8b11";
  const newHost = { network_id: "NETWORK", name: "A new host" };
  const ip_addresses = [{ ip_address: "10.250.0.1" }];
  const ports = [8080, 8081].map((number) => ({ number, protocol: "Tcp" }));

  test.each([
    ["subnets", { id, network_id: "NETWORK", name: "A new subnet", cidr: "10.250.0.0/24" }],
    ["hosts", { id, ...newHost, ip_addresses, ports }],
    ["ip-addresses", { id, host_id: "HOST", ...ip_addresses[0] }],
    ["ports", { id, host_id: "HOST", ...ports[0] }],
    ["interfaces", { id, host_id: "HOST", if_index: 250 }],
    ["services", { id, host_id: "HOST", name: "A new service", service_definition: "Nginx" }],
  ])(
    "a record is created in %s without reading others, or their closed versions",
    async (path, json) => {
      const recording = await recordCalls(loaded.database, {
        ...{ method: "POST", path: `/api/v1/${path}`, key: largest },
        json: withIds(json),
      });
      expect(recording.text).toContain(id);
      await loaded.client.query("set session_replication_role = replica");
      for (const table of tables.slice(0, 7)) {
        const owner = table === "subnets" || table === "hosts" ? "live_id" : "live_host_id";
        await loaded.client.query(`delete from ${table} where $1 in (live_id, ${owner})`, [id]);
      }
      await loaded.client.query("reset session_replication_role");
      expect(Math.max(...(await rowsOf(recording)))).toSatisfy(isFew);
    },
  );

  test("a host is replaced without reading others, or closed versions", async () => {
    const recording = await recordCalls(loaded.database, {
      ...{ method: "PUT", path: `/api/v1/hosts/${ids["HOST"]}`, key: largest },
      json: withIds({ ...newHost, ip_addresses, ports, services: [], interfaces: [] }),
    });
    expect(recording.text).toContain(newHost.name);
    expect(Math.max(...(await rowsOf(recording)))).toSatisfy(isFew);
  });

  test("hosts are consolidated without reading others, or closed versions", async () => {
    const others = ["5c1f2a06-0d2c-4a8f-9f51-6a1f6f0e8b21", "5c1f2a06-0d2c-4a8f-9f51-6a1f6f0e8b22"];
    const create = (other: string | undefined, number: number) =>
      recordCalls(loaded.database, {
        ...{ method: "POST", path: "/api/v1/hosts", key: largest },
        json: withIds({
          ...{ id: other, ...newHost, ports, interfaces: [{ if_index: 250 + number }] },
          ip_addresses: [{ ip_address: `10.250.0.${2 + number}` }],
        }),
      });
    const [one, next] = others;
    await create(one, 0);
    const recording = await recordCalls(loaded.database, {
      ...{ method: "PUT", path: `/api/v1/hosts/${ids["HOST"]}/consolidate/${one}`, key: largest },
    });
    expect(recording.text).toContain("10.250.0.2");
    // The first of the other hosts no longer exists.
    await create(next, 1);
    const again: Recording = JSON.parse(
      JSON.stringify(recording).replaceAll(String(one), String(next)),
    );
    expect(Math.max(...(await rowsOf(again)))).toSatisfy((rows: number) => rows > 0 && rows < 100);
  });
});
