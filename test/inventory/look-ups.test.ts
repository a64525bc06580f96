import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { invalidAt, seen } from "../helpers/answers.ts";
import { sql } from "../helpers/database.ts";
import { type Inventory, openInventory, shifted } from "../helpers/inventory.ts";

let inventory: Inventory;

/** The ids in a list, in order. */
async function idsOf(path: string, query: Record<string, string>): Promise<string[]> {
  const { network_id } = inventory;
  const answer = await inventory.send(
    "GET",
    `${path}?${new URLSearchParams({ network_id, ...query })}`,
  );
  expect(answer).toMatchObject({ status: 200 });
  return (answer.body as { data: { id: string }[] }).data.map(({ id }) => id);
}

describe("last_seen_at", () => {
  const seenAt = "2026-03-01T00:00:00.000Z";

  beforeEach(async () => {
    inventory = await openInventory();
  });

  test.each([
    ["hosts", "hosts"],
    ["ip-addresses", "ip_addresses"],
    ["ports", "ports"],
    ["interfaces", "interfaces"],
    ["neighbors", "neighbors"],
    ["services", "services"],
    ["bindings", "bindings"],
    ["subnets", "subnets"],
  ] as const)("filters and orders %s", async (path, table) => {
    for (const number of [1, 2, 3]) {
      const service = { name: "Web", bindings: [{ type: "Port", port_id: crypto.randomUUID() }] };
      await inventory.create("subnets", {
        cidr: `10.0.${number}.0/24`,
      });
      const host = await inventory.create("hosts", {
        name: `Host ${number}`,
        ip_addresses: [{ ip_address: `192.0.2.${number}` }],
        ports: [{ id: service.bindings[0]?.port_id, number, protocol: "Tcp" }],
        interfaces: [{ if_index: number }],
        services: [service],
      });
      await inventory.create("neighbors", {
        interface_id: host.interfaces[0]?.id,
        protocol: "Lldp",
        chassis_id: { subtype: "LocallyAssigned", value: `chassis ${number}` },
      });
    }
    const ids = await idsOf(path, { order_by: "created_at" });
    for (const [index, id] of ids.toReversed().entries()) {
      await sql.query(`update ${table} set last_seen_at = $1 where id = $2`, [
        shifted(seenAt, index),
        id,
      ]);
    }
    const last = shifted(seenAt, ids.length - 1);
    expect(await idsOf(path, { order_by: "last_seen_at" })).toEqual(ids.toReversed());
    expect(await idsOf(path, { order_by: "last_seen_at", order_direction: "desc" })).toEqual(ids);
    expect(await idsOf(path, { last_seen_before: last })).toEqual(ids.slice(1));
    expect(await idsOf(path, { last_seen_after: last })).toEqual(ids.slice(0, 1));
    expect(await idsOf(path, { last_seen_after: seenAt, last_seen_before: last })).toEqual(
      ids.slice(1),
    );
    expect(await idsOf(path, { last_seen_after: shifted(last, 1) })).toEqual([]);
    const refused = await inventory.send("GET", `${path}?last_seen_before=yesterday`);
    expect(seen(refused)).toEqual(invalidAt("query.last_seen_before"));
  });
});

describe("look-ups", () => {
  let host: { id: string };

  beforeAll(async () => {
    inventory = await openInventory();
    const port_id = crypto.randomUUID();
    host = await inventory.create("hosts", {
      name: "Ångström 100%",
      ports: [{ id: port_id, number: 80, protocol: "Tcp" }],
      services: [{ name: "Nginx", bindings: [{ type: "Port", port_id }] }],
    });
    await inventory.create("hosts", { name: "Ångström 1000" });
    await inventory.create("subnets", { cidr: "2001:db8::/32", name: "Lab" });
    await inventory.create("subnets", { cidr: "2001:db8::/48", name: "Laboratory" });
  });

  test.each(["Ångström 100%", "ÅNGSTRÖM 100%", "  ångström 100% "])(
    "hosts?name=%s matches the complete name regardless of case",
    async (name) => {
      expect(await idsOf("hosts", { name })).toEqual([host.id]);
      expect(await idsOf("hosts", { name, at: new Date().toISOString() })).toEqual([host.id]);
    },
  );

  test.each(["Ångström", "Ångström 100_", "Ångström 100\\"])(
    "hosts?name=%s matches neither part of a name nor a pattern",
    async (name) => {
      expect(await idsOf("hosts", { name })).toEqual([]);
    },
  );

  test("services?name= and subnets?name= match in the same way", async () => {
    expect(await idsOf("services", { name: "nginx" })).toHaveLength(1);
    expect(await idsOf("services", { name: "ngin" })).toEqual([]);
    expect(await idsOf("subnets", { name: "LAB" })).toHaveLength(1);
  });

  test.each(["2001:db8::/32", "2001:0DB8:0:0::/32", "2001:db8::7/32"])(
    "subnets?cidr=%s matches the block in any notation, but no block within it",
    async (cidr) => {
      expect(await inventory.list("subnets", { cidr })).toMatchObject([{ cidr: "2001:db8::/32" }]);
    },
  );

  test("bindings?host_id= lists the bindings of a host's services, both live and at a past instant", async () => {
    const own = await idsOf("bindings", { host_id: host.id });
    expect(own).toHaveLength(1);
    const at = new Date().toISOString();
    expect(await idsOf("bindings", { host_id: crypto.randomUUID() })).toEqual([]);
    await inventory.remove("hosts", host.id);
    expect(await idsOf("bindings", { host_id: host.id })).toEqual([]);
    expect(await inventory.list("bindings", { host_id: host.id, at })).toMatchObject([
      { lineage_id: own[0] },
    ]);
  });
});
