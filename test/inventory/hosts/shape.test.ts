import { expect, test } from "vitest";
import { openInventory } from "../../helpers/inventory.ts";

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const id = expect.stringMatching(/^[0-9a-f-]{36}$/);

const dataOf = ({ body }: { body: unknown }) => (body as { data: unknown }).data;

test("a host created with only a name has every field of the contract, with its default", async () => {
  const { send, network_id, organization } = await openInventory();
  const created = await send("POST", "hosts", { network_id, name: " nas " });
  expect(created.status).toBe(201);
  expect(dataOf(created)).toEqual({
    id,
    created_at: timestamp,
    updated_at: timestamp,
    organization_id: organization.id,
    network_id,
    last_seen_at: timestamp,
    valid_from: timestamp,
    valid_to: null,
    lineage_id: null,
    first_discovery_id: null,
    last_discovery_id: null,
    name: "nas",
    hostname: null,
    description: null,
    external_id: null,
    metadata: {},
    hidden: false,
    is_stale: false,
    tags: [],
    source: { type: "Manual" },
    virtualization: null,
    sys_name: null,
    sys_descr: null,
    sys_object_id: null,
    sys_location: null,
    sys_contact: null,
    management_url: null,
    chassis_id: null,
    manufacturer: null,
    model: null,
    serial_number: null,
    operating_system: null,
    credential_assignments: [],
    ip_addresses: [],
    ports: [],
    interfaces: [],
    services: [],
  });
});

test("stores every field of a host, and accepts it in the form in which it was read", async () => {
  const { create, read, replace, organization } = await openInventory();
  const sent = {
    name: "nas",
    hostname: "nas.example.com",
    description: "In the cellar",
    hidden: true,
    tags: [...organization.tags].sort(),
    virtualization: {
      type: "Proxmox",
      details: { vm_name: "nas", vm_id: "100", service_id: null },
    },
    sys_name: "nas",
    sys_descr: "Linux",
    sys_object_id: "1.3.6.1.4.1.8072",
    sys_location: "Cellar",
    sys_contact: "ops@example.com",
    management_url: "https://nas.example.com",
    chassis_id: "1",
    manufacturer: "Example",
    model: "X",
    serial_number: "7",
    operating_system: "Debian 12",
  };
  const created = await create("hosts", sent);
  expect(created).toMatchObject(sent);
  const again = await replace("hosts", created.id, await read("hosts", created.id));
  expect({ ...again, updated_at: "" }).toEqual({ ...created, updated_at: "" });
});

test("the children of a host have the same fields as in their own lists", async () => {
  const { create, send, network_id, organization } = await openInventory();
  const [port_id, ip_address_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const host = await create("hosts", {
    name: "nas",
    ip_addresses: [{ id: ip_address_id, ip_address: "192.0.2.7" }],
    ports: [{ id: port_id, number: 443, protocol: "Tcp" }],
    services: [{ name: "Web", bindings: [{ type: "Port", port_id, ip_address_id }] }],
  });
  const [service] = host.services;
  const common = {
    id,
    created_at: timestamp,
    updated_at: timestamp,
    organization_id: organization.id,
    network_id,
    last_seen_at: timestamp,
    valid_from: timestamp,
    valid_to: null,
    lineage_id: null,
    first_discovery_id: null,
    last_discovery_id: null,
  };
  const children = { ...common, host_id: host.id };
  const lists = await Promise.all(
    ["ip-addresses", "ports", "services", "bindings"].map(async (name) =>
      dataOf(await send("GET", `${name}?network_id=${network_id}`)),
    ),
  );
  const { organization_id: _, ...binding } = common;
  const [addresses, ports, services, bindings] = lists;
  const bound = { type: "Port", service_id: service?.id, port_id, ip_address_id };
  expect(addresses).toEqual([
    {
      ...children,
      subnet_id: null,
      ip_address: "192.0.2.7",
      mac_address: null,
      name: null,
      status: "Active",
      role: null,
      position: 0,
    },
  ]);
  expect(ports).toEqual([
    { ...children, number: 443, protocol: "Tcp", type: "Https", is_open: true },
  ]);
  const derived = { host_id: host.id, label: "Web 443/Tcp 192.0.2.7" };
  expect(bindings).toEqual([{ ...binding, ...bound, ...derived }]);
  expect(services).toEqual([
    {
      ...children,
      name: "Web",
      external_id: null,
      metadata: {},
      service_definition: "Web",
      version: null,
      virtualization: null,
      tags: [],
      position: 0,
      source: { type: "Manual" },
      is_open: true,
      bindings: [{ ...binding, ...bound }],
    },
  ]);
  expect(dataOf(await send("GET", `hosts/${host.id}`))).toMatchObject({
    ip_addresses: addresses,
    ports,
    services,
  });
});

test.each([
  ["network_id", { name: "nas" }],
  ["name", { network_id: crypto.randomUUID() }],
  ["name", { network_id: crypto.randomUUID(), name: " " }],
  ["name", { network_id: crypto.randomUUID(), name: "a".repeat(101) }],
  ["hostname", { network_id: crypto.randomUUID(), name: "a", hostname: "a".repeat(256) }],
  ["description", { network_id: crypto.randomUUID(), name: "a", description: "a".repeat(501) }],
  ["unknown", { network_id: crypto.randomUUID(), name: "a", unknown: 1 }],
])("rejects %s if it is missing, too long or unknown: %j", async (field, json) => {
  const { send } = await openInventory();
  expect(await send("POST", "hosts", json)).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: `body.${field}` }] } },
  });
});

test("rejects a change to a host's network", async () => {
  const { create, send, organization } = await openInventory();
  const host = await create("hosts", { name: "nas" });
  const json = { network_id: organization.networks[0].id, name: "nas" };
  expect(await send("PUT", `hosts/${host.id}`, json)).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: "body.network_id" }] } },
  });
});
