import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { exportBounds } from "../../../src/inventory/exports/routes.ts";
import { openApi, type RequestOptions } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { type Inventory, mintEmptyNetwork, openInventory } from "../../helpers/inventory.ts";
import { mintKey } from "../../helpers/organization.ts";
import { hostileNames } from "./hostile.ts";

const forms = ["prometheus", "ansible", "oxidized", "hosts"] as const;
type Form = (typeof forms)[number];

const id = {
  address: "0d5c7c1e-2f7b-4c55-9d57-4f6c1e0f7b01",
  port: "0d5c7c1e-2f7b-4c55-9d57-4f6c1e0f7b02",
  snmp: "0d5c7c1e-2f7b-4c55-9d57-4f6c1e0f7b03",
};

let inventory: Inventory;
let tag: string;
let nas: string;

const exported = (form: Form, query = "", options: RequestOptions = {}) =>
  openApi().send("GET", `/api/v1/exports/${form}?network_id=${inventory.network_id}${query}`, {
    key: inventory.organization.keys.viewer,
    ...options,
  });

const text = async (form: Form, query = "") => {
  const answer = await exported(form, query);
  expect(answer.status).toBe(200);
  return answer.text;
};

const groupsSchema = z.array(
  z.object({ targets: z.array(z.string()), labels: z.record(z.string(), z.string()) }),
);
const groups = async (query = "") =>
  groupsSchema.parse(JSON.parse(await text("prometheus", query)));

const inventorySchema = z
  .object({
    _meta: z.object({
      hostvars: z.record(
        z.string(),
        z.object({
          ansible_host: z.string().optional(),
          network_inventory: z.looseObject({ id: z.string(), name: z.string() }),
        }),
      ),
    }),
  })
  .catchall(z.object({ hosts: z.array(z.string()) }));
const ansible = async (query = "") =>
  inventorySchema.parse(JSON.parse(await text("ansible", query)));

beforeAll(async () => {
  inventory = await openInventory();
  const { create, send, organization } = inventory;
  const answer = await openApi().send("POST", "/api/v1/tags", {
    key: organization.keys.admin,
    json: { name: "Storage, large" },
  });
  tag = (answer.body as { data: { id: string } }).data.id;
  const host = await create("hosts", {
    name: "nas",
    hostname: "NAS.example.com",
    tags: [tag],
    ip_addresses: [
      { ip_address: "127.0.0.1", position: 0 },
      { id: id.address, ip_address: "192.0.2.10", position: 1 },
      { ip_address: "2001:db8::10", position: 2 },
    ],
    ports: [
      { id: id.port, number: 9100, protocol: "Tcp" },
      { id: id.snmp, number: 161, protocol: "Udp" },
    ],
    services: [
      {
        name: "Node Exporter",
        bindings: [id.port, id.snmp].map((port_id) => ({ type: "Port", port_id })),
      },
    ],
  });
  nas = host.id;
  await create("hosts", { name: "v6", ip_addresses: [{ ip_address: "2001:db8::11" }] });
  await create("hosts", { name: "bare" });
  const elsewhere = await mintEmptyNetwork(organization.id);
  expect(await send("POST", "hosts", { network_id: elsewhere, name: "elsewhere" })).toMatchObject({
    status: 201,
  });
});

test.each(forms)("the export %s does not contain reserved addresses", async (form) => {
  const { create, send } = await openInventory();
  const ip_addresses = [
    { ip_address: "192.0.2.20", status: "Reserved", position: 0 },
    { ip_address: "192.0.2.21", status: "Deprecated", position: 1 },
  ];
  await create("hosts", { name: "switch", manufacturer: "Cisco", ip_addresses });
  const answer = await send("GET", `exports/${form}`);
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.text).toContain("192.0.2.21");
  expect(answer.text).not.toContain("192.0.2.20");
});

describe("an export for Prometheus", () => {
  test("contains each host as a group with the host's first reachable address", async () => {
    const exportedGroups = await groups();
    expect(exportedGroups.map(({ targets }) => targets)).toEqual([
      ["192.0.2.10"],
      ["[2001:db8::11]"],
      [],
    ]);
    expect(exportedGroups[0]?.labels).toEqual({
      __meta_inventory_id: nas,
      __meta_inventory_name: "nas",
      __meta_inventory_hostname: "NAS.example.com",
      __meta_inventory_network: "Empty",
      __meta_inventory_network_id: inventory.network_id,
      __meta_inventory_operating_system: "",
      __meta_inventory_manufacturer: "",
      __meta_inventory_model: "",
      __meta_inventory_addresses: ",127.0.0.1,192.0.2.10,2001:db8::10,",
      __meta_inventory_ports: ",161/Udp,9100/Tcp,",
      __meta_inventory_services: ",Node Exporter,",
      __meta_inventory_tags: ",Storage_ large,",
    });
  });

  test("has targets with the filter's port, or with the ports of the filter's service", async () => {
    for (const query of ["&port=9100", "&service=node%20exporter"]) {
      expect((await groups(query)).map(({ targets }) => targets)).toEqual([["192.0.2.10:9100"]]);
    }
  });
});

test("an export for Ansible has hosts with variables, and groups of hosts", async () => {
  const { _meta, ...found } = await ansible();
  expect(_meta.hostvars["nas"]).toMatchObject({
    ansible_host: "192.0.2.10",
    network_inventory: {
      id: nas,
      tags: ["Storage, large"],
      services: [{ name: "Node Exporter", ports: ["161/Udp", "9100/Tcp"] }],
    },
  });
  expect(found).toEqual({
    network_Empty: { hosts: ["nas", "v6", "bare"] },
    service_Node_Exporter: { hosts: ["nas"] },
    [Object.keys(found).find((name) => name.startsWith("tag_")) ?? ""]: { hosts: ["nas"] },
  });
  expect(JSON.parse(await text("ansible", "&port=1"))).toEqual({ _meta: { hostvars: {} } });
});

test("an export for Oxidized has hosts as nodes", async () => {
  expect(JSON.parse(await text("oxidized"))).toEqual([
    { name: "nas", ip: "192.0.2.10", group: "Empty" },
    { name: "v6", ip: "2001:db8::11", group: "Empty" },
    { name: "bare", group: "Empty" },
  ]);
});

test("the model in an export for Oxidized is the operating system or the manufacturer, and never a path", async () => {
  const { create, send, organization } = await openInventory();
  const network_id = await mintEmptyNetwork(organization.id);
  const one = { name: "one", operating_system: "Cisco/IOS\\XE", manufacturer: "Cisco" };
  await create("hosts", { network_id, ...one });
  await create("hosts", { network_id, name: "two", manufacturer: "../MikroTik" });
  const nodes = JSON.parse((await send("GET", `exports/oxidized?network_id=${network_id}`)).text);
  expect(nodes).toMatchObject([
    { name: "one", model: "Cisco_IOS_XE" },
    { name: "two", model: "__MikroTik" },
  ]);
});

test("a hosts file has a line for each reachable address", async () => {
  const answer = await exported("hosts");
  expect(answer.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  expect(answer.text).toBe(
    "192.0.2.10\tnas nas.example.com\n2001:db8::10\tnas nas.example.com\n2001:db8::11\tv6\n",
  );
});

describe.each(forms)("%s", (form) => {
  test("accepts the filters and no other parameters", async () => {
    for (const query of [`&tag_ids=${tag}`, "&port=161/Udp", "&service=Node%20Exporter"]) {
      expect(await text(form, query)).toContain("192.0.2.10");
      expect(await text(form, query)).not.toContain("2001:db8::11");
    }
    expect((await exported(form, "&tag=x")).status).toBe(400);
  });

  test("takes one call if it is small, and a HEAD has no body", async () => {
    const api = openApi();
    const path = `/api/v1/exports/${form}?network_id=${inventory.network_id}`;
    const options = { key: inventory.organization.keys.viewer };
    await api.send("GET", path, options);
    expect(await api.calls()).toBe(1);
    expect(await api.send("HEAD", path, options)).toMatchObject({ status: 200, text: "" });
  });

  test("contains only the hosts on the key's networks", async () => {
    const key = await mintKey(inventory.organization.id, { role: "Viewer" }, [
      inventory.network_id,
    ]);
    const all = await openApi().send("GET", `/api/v1/exports/${form}`, { key });
    expect(all.text).toBe(await text(form));
  });

  test("contains nothing from other organizations", async () => {
    const other = await openInventory();
    const { keys } = other.organization;
    const answer = await exported(form, "", { key: keys.owner });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain("192.0.2");
  });

  test("escapes hostile names", async () => {
    const hostile = await openInventory();
    for (const [index, name] of hostileNames.entries()) {
      await hostile.create("hosts", {
        name: name.trim(),
        hostname: name.trim(),
        ip_addresses: [{ ip_address: `198.51.100.${index + 1}` }],
      });
    }
    const { body, text: sent } = await openApi().send(
      "GET",
      `/api/v1/exports/${form}?network_id=${hostile.network_id}`,
      { key: hostile.organization.keys.viewer },
    );
    if (form === "hosts") {
      for (const line of sent.trimEnd().split("\n")) {
        expect(line).toMatch(/^198\.51\.100\.\d+\t[a-z0-9.-]+( [a-z0-9.-]+)*$/);
      }
      expect(sent).not.toMatch(/localhost|10\.9\.9\.9\t/);
      return;
    }
    const names = {
      prometheus: () =>
        groupsSchema.parse(body).map(({ labels }) => labels["__meta_inventory_name"] ?? ""),
      ansible: () => Object.keys(inventorySchema.parse(body)._meta.hostvars),
      oxidized: () =>
        z
          .array(z.object({ name: z.string() }))
          .parse(body)
          .map(({ name }) => name),
    }[form]();
    expect(names).toHaveLength(hostileNames.length);
    if (form === "prometheus") {
      expect(names).toEqual(hostileNames.map((name) => name.trim()));
    } else {
      expect(
        names.filter((name) => !/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u.test(name)),
      ).toEqual([]);
    }
    if (form === "ansible") {
      expect(sent).not.toMatch(/\{\{ lookup|\{%|\{#|"#jinja2:/);
    }
  });
});

describe("a failing export", () => {
  /** The number of hosts: enough to need several calls. */
  const hosts = 700;
  let large: Inventory;

  beforeAll(async () => {
    large = await openInventory();
    await sql`insert into hosts (organization_id, network_id, name)
      select ${large.organization.id}, ${large.network_id}, 'host-' || number
      from generate_series(1, ${hosts}::int) as number`;
    await sql`insert into ip_addresses (organization_id, host_id, address)
      select organization_id, id, '10.0.0.0'::inet + row_number() over (order by id)
      from hosts where organization_id = ${large.organization.id} and name like 'host-%'`;
  });

  const ask = (form: Form, api = openApi()) =>
    api.send("GET", `/api/v1/exports/${form}?network_id=${large.network_id}`, {
      key: large.organization.keys.viewer,
    });

  test("is complete if nothing fails", async () => {
    expect((await ask("hosts")).text.split("\n")).toHaveLength(hosts + 1);
    expect(z.array(z.unknown()).parse((await ask("prometheus")).body)).toHaveLength(hosts);
    expect(z.array(z.unknown()).parse((await ask("oxidized")).body)).toHaveLength(hosts);
    const { _meta } = inventorySchema.parse((await ask("ansible")).body);
    expect(Object.keys(_meta.hostvars)).toHaveLength(hosts);
  });

  test("cannot be mistaken for a complete export", { timeout: 60_000 }, async () => {
    for (const form of forms) {
      const api = openApi();
      await api.disturb({
        faults: [{ kind: "none" }, { kind: "refuse" }, { kind: "refuse" }, { kind: "refuse" }],
      });
      if (form === "hosts") {
        expect(await ask(form, api)).toMatchObject({ status: 503 });
      } else {
        const path = `/api/v1/exports/${form}?network_id=${large.network_id}`;
        const key = large.organization.keys.viewer;
        const cut = await (await api.open("GET", path, { key })).text().catch(() => "");
        expect(() => JSON.parse(cut)).toThrow();
      }
    }
  });

  test("is rejected with advice if it is too large", async () => {
    const usual = { ...exportBounds };
    Object.assign(exportBounds, { hosts: hosts - 1, bytes: 1000 });
    try {
      for (const form of ["ansible", "oxidized", "hosts"] as const) {
        expect(await ask(form)).toMatchObject({ status: 409, body: { code: "export_too_large" } });
      }
    } finally {
      Object.assign(exportBounds, usual);
    }
  });
});
