import { expect, test } from "vitest";
import { inventoryCollections, openInventory } from "../helpers/inventory.ts";

/** Creates an inventory with one record per collection. */
async function openRecords() {
  const inventory = await openInventory();
  const { create } = inventory;
  const subnet = await create("subnets", { cidr: "192.0.2.0/24" });
  const [port, address, service, binding, one] = Array.from({ length: 5 }, () =>
    crypto.randomUUID(),
  );
  const host = await create("hosts", {
    name: "nas",
    ports: [{ id: port, number: 80, protocol: "Tcp" }],
    ip_addresses: [{ id: address, ip_address: "192.0.2.1" }],
    interfaces: [{ id: one, if_index: 1, ip_address_ids: [address] }],
    services: [
      { id: service, name: "web", bindings: [{ id: binding, type: "Port", port_id: port }] },
    ],
  });
  const neighbor = await create("neighbors", {
    interface_id: one,
    protocol: "Lldp",
    chassis_id: { subtype: "MacAddress", value: "02:00:5E:00:00:01" },
  });
  const ids = {
    subnets: subnet.id,
    hosts: host.id,
    "ip-addresses": String(address),
    ports: String(port),
    interfaces: String(one),
    neighbors: neighbor.id,
    services: String(service),
    bindings: String(binding),
  };
  return { ...inventory, ids };
}

test.each(inventoryCollections)(
  "%s: a PUT of the unchanged record changes only its own updated_at",
  async (name) => {
    const { ids, read, replace } = await openRecords();
    const { updated_at: before, ...record } = await read(name, ids[name]);
    const { updated_at: after, ...again } = await replace(name, ids[name], record);
    expect(again).toEqual(record);
    expect(after > before).toBe(true);
  },
);

test("a PUT of the unchanged host keeps the updated_at of its children", async () => {
  const { ids, read, replace } = await openRecords();
  const { updated_at: _, ...host } = await read("hosts", ids.hosts);
  await replace("hosts", ids.hosts, host);
  expect(await read("hosts", ids.hosts)).toMatchObject(host);
  const { updated_at: __, ...service } = await read("services", ids.services);
  await replace("services", ids.services, service);
  expect(await read("services", ids.services)).toMatchObject(service);
});
