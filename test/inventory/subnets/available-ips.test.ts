import { beforeEach, describe, expect, inject, test } from "vitest";
import { sql } from "../../helpers/database.ts";
import { type Inventory, mintEmptyNetwork, openInventory } from "../../helpers/inventory.ts";

let inventory: Inventory;
let hostId: string;

beforeEach(async () => {
  inventory = await openInventory();
  hostId = (await inventory.create("hosts", { name: "server" })).id;
});

const subnet = (cidr: string) => inventory.create("subnets", { cidr });

const addressOf = (ip_address: string, of: object = {}) =>
  inventory.create("ip-addresses", { host_id: hostId, ip_address, ...of });

async function available(id: string, query = ""): Promise<string[]> {
  const { status, body } = await inventory.send("GET", `subnets/${id}/available-ips${query}`);
  expect(status).toBe(200);
  return Object(body).data.ip_addresses;
}

const take = (id: string, body: object = {}, headers?: Record<string, string>) =>
  inventory.send("POST", `subnets/${id}/available-ips`, { host_id: hostId, ...body }, headers);

const taken = ({ body }: { body: unknown }): string[] =>
  Object(body).data.map(({ ip_address }: { ip_address: string }) => ip_address);

describe("the available addresses", () => {
  test.each([
    ["192.0.2.0/29", [1, 2, 3, 4, 5, 6].map((last) => `192.0.2.${last}`)],
    ["192.0.2.4/30", ["192.0.2.5", "192.0.2.6"]],
    ["192.0.2.4/31", ["192.0.2.4", "192.0.2.5"]],
    ["192.0.2.4/32", ["192.0.2.4"]],
    ["255.255.255.252/30", ["255.255.255.253", "255.255.255.254"]],
    ["255.255.255.254/31", ["255.255.255.254", "255.255.255.255"]],
    ["2001:db8::/126", ["2001:db8::1", "2001:db8::2", "2001:db8::3"]],
    ["2001:db8::/127", ["2001:db8::", "2001:db8::1"]],
    ["2001:db8::7/128", ["2001:db8::7"]],
    [
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe/127",
      ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
    ],
  ])("of %s are those that can be assigned", async (cidr, expected) => {
    const { id } = await subnet(cidr);
    expect(await available(id)).toEqual(expected);
    const { utilization } = await inventory.read("subnets", id);
    expect(utilization.addresses).toBe(expected.length);
  });

  test.each(["10.0.0.0/8", "2001:db8::/32", "0.0.0.0/0", "::/0"])(
    "of %s begin with the lowest, and are at most as many as the limit",
    async (cidr) => {
      const { id } = await subnet(cidr);
      const first = cidr.replace(/\/.*/, "").replace(/::$/, "::0");
      const at = (last: number) => first.replace(/0$/, last.toString(cidr.includes(":") ? 16 : 10));
      expect(await available(id, "?limit=2")).toEqual([at(1), at(2)]);
      expect(await available(id)).toHaveLength(50);
      expect((await available(id, "?limit=256")).length).toBe(256);
    },
  );

  test("do not include addresses of hosts, with or without a subnet, but those of ended ones", async () => {
    await addressOf("192.0.2.2", { subnet_id: null });
    const { id } = await subnet("192.0.2.0/29");
    await addressOf("192.0.2.1", { status: "Deprecated" });
    const gone = await addressOf("192.0.2.4");
    await addressOf("192.0.2.6");
    expect(await available(id)).toEqual(["192.0.2.3", "192.0.2.5"]);
    await inventory.remove("ip-addresses", gone.id);
    expect(await available(id)).toEqual(["192.0.2.3", "192.0.2.4", "192.0.2.5"]);
  });

  test("do not include those in smaller subnets, which end at the last address or not", async () => {
    const { id } = await subnet("192.0.2.0/28");
    await subnet("192.0.2.4/30");
    const last = await subnet("192.0.2.8/29");
    expect(await available(id)).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    await inventory.remove("subnets", last.id);
    await subnet("192.0.2.0/24");
    expect(await available(id)).toHaveLength(3 + 7);
  });

  test("do not depend on other networks and organizations with the same block", async () => {
    const { id } = await subnet("192.0.2.0/30");
    const other = await openInventory();
    const network_id = await mintEmptyNetwork(inventory.organization.id);
    for (const [elsewhere, own] of [
      [other, {}],
      [inventory, { network_id }],
    ] as const) {
      const host = await elsewhere.create("hosts", { name: "elsewhere", ...own });
      await elsewhere.create("subnets", { cidr: "192.0.2.0/30", ...own });
      await elsewhere.create("ip-addresses", { host_id: host.id, ip_address: "192.0.2.1" });
    }
    expect(await available(id)).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect(await other.send("GET", `subnets/${id}/available-ips`)).toMatchObject({ status: 404 });
    expect(
      await other.send("POST", `subnets/${id}/available-ips`, { host_id: hostId }),
    ).toMatchObject({ status: 404 });
  });

  test.each(["0", "257", "x", ""])("reject the limit '%s'", async (limit) => {
    const { id } = await subnet("192.0.2.0/24");
    expect(await inventory.send("GET", `subnets/${id}/available-ips?limit=${limit}`)).toMatchObject(
      {
        status: 400,
        body: { params: { issues: [{ path: "query.limit" }] } },
      },
    );
  });
});

describe("assigning available addresses", () => {
  test("assigns the lowest to the host, in ascending order, with the given fields", async () => {
    const { id } = await subnet("192.0.2.0/29");
    await addressOf("192.0.2.2");
    const answer = await take(id, { count: 2, name: "ilo", status: "Reserved", role: "Vip" });
    expect(answer.status).toBe(201);
    const fields = { host_id: hostId, subnet_id: id, name: "ilo", status: "Reserved", role: "Vip" };
    expect(answer.body).toMatchObject({
      data: [
        { ip_address: "192.0.2.1", ...fields },
        { ip_address: "192.0.2.3", ...fields },
      ],
    });
    const [, second] = Object(answer.body).data;
    expect(await inventory.read("ip-addresses", second.id)).toEqual(second);
  });

  test("assigns one active address by default", async () => {
    const { id } = await subnet("2001:db8::/64");
    expect(await take(id)).toMatchObject({
      status: 201,
      body: { data: [{ ip_address: "2001:db8::1", name: null, status: "Active", role: null }] },
    });
  });

  test("assigns all or nothing, and says how many are available", async () => {
    const { id } = await subnet("192.0.2.0/30");
    const full = (available: number, requested: number) => ({
      status: 409,
      body: { code: "subnet_full", params: { id, available, requested } },
    });
    expect(await take(id, { count: 3 })).toMatchObject(full(2, 3));
    expect(await available(id)).toHaveLength(2);
    expect(await take(id, { count: 2 })).toMatchObject({ status: 201 });
    expect(await take(id)).toMatchObject(full(0, 1));
  });

  test("repeats the response for the same Idempotency-Key, and assigns nothing twice", async () => {
    const { id } = await subnet("192.0.2.0/29");
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const first = await take(id, { count: 2 }, headers);
    const second = await take(id, { count: 2 }, headers);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
    expect(second.body).toEqual(first.body);
    expect(await available(id)).toHaveLength(4);
  });

  test("assigns up to 256 addresses, and rejects more", async () => {
    const { id } = await subnet("10.0.0.0/16");
    expect(await take(id, { count: 257 })).toMatchObject({
      status: 400,
      body: { params: { issues: [{ path: "body.count" }] } },
    });
    expect(taken(await take(id, { count: 256 }))).toEqual(
      Array.from({ length: 256 }, (_, n) => `10.0.${(n + 1) >> 8}.${(n + 1) & 255}`),
    );
  });

  test("rejects a host that does not exist, and a host on another network", async () => {
    const { id } = await subnet("192.0.2.0/29");
    const network_id = await mintEmptyNetwork(inventory.organization.id);
    const elsewhere = await inventory.create("hosts", { name: "elsewhere", network_id });
    for (const host_id of [crypto.randomUUID(), elsewhere.id]) {
      expect(await take(id, { host_id })).toMatchObject({
        status: 400,
        body: {
          code: "entity_reference_invalid",
          params: { entity: "Host", field: "body.host_id", id: host_id },
        },
      });
    }
    expect(await available(id)).toHaveLength(6);
  });

  test("requires the role Member", async () => {
    const { api, organization } = inventory;
    const { id } = await subnet("192.0.2.0/29");
    const path = `/api/v1/subnets/${id}/available-ips`;
    const json = { host_id: hostId };
    expect(await api.send("POST", path, { key: organization.keys.viewer, json })).toMatchObject({
      status: 403,
    });
  });

  test("appears in changes as one creation for each address", async () => {
    const { id } = await subnet("192.0.2.0/29");
    const ids = Object(await take(id, { count: 2 })).body.data.map((one: { id: string }) => one.id);
    const [row] = await sql`
      select count(*)::int as versions, count(distinct valid_from)::int as instants
      from ip_addresses where id = any (${ids}::uuid[]) and status = 'Active'`;
    expect(row).toEqual({ versions: 2, instants: 1 });
  });

  test("rejects more addresses than a host can have, and assigns none", async () => {
    const { id } = await subnet("10.0.0.0/16");
    await sql`insert into ip_addresses (organization_id, host_id, address)
      select ${inventory.organization.id}, ${hostId}, '192.0.2.0'::inet + number
      from generate_series(1, 4999) as number`;
    expect(await take(id, { count: 2 })).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
    expect(await available(id, "?limit=1")).toEqual(["10.0.0.1"]);
    expect(await take(id)).toMatchObject({ status: 201 });
  });

  test.runIf(inject("isRealPostgres"))(
    "responds with 409 if an address is taken in another way at the same time, and then assigns the next one",
    async () => {
      const { id } = await subnet("192.0.2.0/28");
      const holding = sql.transaction([
        sql`insert into ip_addresses (organization_id, host_id, subnet_id, address)
          values (${inventory.organization.id}, ${hostId}, ${id}, '192.0.2.1')`,
        sql`select pg_sleep(2)`,
      ]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const other = await inventory.create("hosts", { name: "other" });
      expect(await take(id, { host_id: other.id })).toMatchObject({
        status: 409,
        body: { code: "request_conflict" },
      });
      await holding;
      expect(taken(await take(id, { host_id: other.id }))).toEqual(["192.0.2.2"]);
    },
  );

  test.runIf(inject("isRealPostgres"))(
    "16 concurrent requests for the addresses of a /28: 14 get one each, two get 409",
    async () => {
      const { id } = await subnet("192.0.2.0/28");
      const answers = await Promise.all(Array.from({ length: 16 }, () => take(id)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array<number>(14).fill(201), 409, 409]);
      const assigned = answers.filter(({ status }) => status === 201).flatMap(taken);
      expect(new Set(assigned)).toEqual(
        new Set(Array.from({ length: 14 }, (_, n) => `192.0.2.${n + 1}`)),
      );
      for (const { status, body } of answers) {
        expect(status === 201 || Object(body).code === "subnet_full").toBe(true);
      }
    },
  );

  test.runIf(inject("isRealPostgres"))(
    "concurrent requests for different hosts and counts, and a host that moves addresses, get different addresses",
    async () => {
      const { id } = await subnet("192.0.2.0/24");
      const hosts = await Promise.all(
        [1, 2, 3, 4].map((n) => inventory.create("hosts", { name: `host ${n}` })),
      );
      const own = (ip_addresses: object[], n: number) =>
        inventory.send("PUT", `hosts/${hosts[n]?.id}`, {
          name: `host ${n}`,
          network_id: inventory.network_id,
          ip_addresses,
        });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          n % 4 === 3
            ? own([{ ip_address: `192.0.2.${200 + n}` }], 3)
            : take(id, { host_id: hosts[n % 4]?.id, count: (n % 3) + 1 }),
        ),
      );
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
      const assigned = answers.filter(({ status }) => status === 201).flatMap(taken);
      expect(new Set(assigned).size).toBe(assigned.length);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(9);
    },
  );
});
