import { expect, test } from "vitest";
import * as z from "zod";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { keyIdOf } from "../helpers/api-keys.ts";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

const nil = "00000000-0000-0000-0000-000000000000";

const bodySchema = z.object({ data: z.looseObject({ id: z.string(), updated_at: z.string() }) });

/** Opens an inventory, with functions that send requests with the owner's key. */
async function open() {
  const inventory = await openInventory();
  const { keys } = inventory.organization;
  const send = (method: string, path: string, json: unknown) =>
    inventory.api.send(method, `/api/v1/${path}`, { key: keys.owner, json });
  /** Creates a record, and returns it. */
  const post = async (path: string, json: unknown) => {
    const { status, body } = await send("POST", path, json);
    expect(status).toBe(201);
    return bodySchema.parse(body).data;
  };
  return { ...inventory, keys, send, post };
}

const collections = [
  ["tags", { name: "One" }, { name: "Two" }],
  ["networks", { name: "One" }, { name: "Two" }],
  ["subnets", { cidr: "10.1.0.0/24" }, { cidr: "10.2.0.0/24" }],
  ["hosts", { name: "One" }, { name: "Two" }],
] as const;

test.each(collections)(
  "two %s created with the nil UUID as the id get different ids",
  async (name, ...bodies) => {
    const { post, network_id } = await open();
    const ids = new Set<unknown>();
    for (const body of bodies) {
      const parent = name === "subnets" || name === "hosts" ? { network_id } : {};
      ids.add((await post(name, { ...body, ...parent, id: nil })).id);
    }
    expect(ids.size).toBe(2);
    expect(ids).not.toContain(nil);
  },
);

test("the nil UUID is treated as absent when it is the id of a child or a reference", async () => {
  const { post, network_id } = await open();
  const host = await post("hosts", {
    id: nil,
    network_id,
    name: "printer",
    ip_addresses: [
      { id: nil, host_id: nil, ip_address: "192.0.2.1", subnet_id: nil },
      { id: nil, host_id: nil, ip_address: "192.0.2.2", subnet_id: nil },
    ],
    ports: [{ id: nil, number: 80, protocol: "Tcp" }],
  });
  expect(host).toMatchObject({
    ip_addresses: [{ subnet_id: null }, { subnet_id: null }],
    ports: [{ number: 80 }],
  });
});

test("a PUT whose body has the nil UUID as the id updates the record in the path", async () => {
  const { post, send, network_id } = await open();
  const { id } = await post("hosts", { network_id, name: "printer" });
  const answer = await send("PUT", `hosts/${id}`, { id: nil, name: "Printer" });
  expect(answer).toMatchObject({ status: 200, body: { data: { id, name: "Printer" } } });
});

const absent = [
  ["no Content-Type", {}],
  ["a Content-Type", { "Content-Type": "application/json" }],
  ["the Content-Type of a form", { "Content-Type": "application/x-www-form-urlencoded" }],
] as const;

test.each(absent)(
  "with %s, a body whose fields are all optional can be omitted",
  async (_, headers) => {
    const { api, keys } = await open();
    const id = await keyIdOf(keys.viewer);
    const answer = await api.send("POST", `/api/v1/auth/keys/${id}/rotate`, {
      key: keys.admin,
      headers,
    });
    expect(answer.status).toBe(200);
  },
);

test("the media type of a body that can be omitted is still checked if the body is not empty", async () => {
  const { api, keys } = await open();
  const id = await keyIdOf(keys.viewer);
  const answer = await api.send("POST", `/api/v1/auth/keys/${id}/rotate`, {
    key: keys.admin,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "overlap_seconds=60",
  });
  expect(seen(answer)).toEqual(
    failed("request_unsupported_media_type", { media_types: ["application/json"] }),
  );
});

test("a body with a required field cannot be omitted, and the error contains the reason", async () => {
  const { api, keys } = await open();
  const answer = await api.send("POST", "/api/v1/tags", { key: keys.admin });
  expect(seen(answer)).toEqual(failed("request_malformed_json", { reason: "empty" }));
});

const meaningless = [
  ["tags", { name: "One", is_application: true }],
  ["networks", { name: "One", effective_stale_after_hours: 24 }],
  ["subnets", { cidr: "10.1.0.0/24", virtualization: null, virtualization_service_id: nil }],
  ["daemons/provision", { name: "One", url: "http://127.0.0.1:60073", mode: "server_poll" }],
  [
    "auth/keys",
    { name: "One", permissions: "Viewer", key: "scp_u_1", user_id: nil, tags: [], last_used: null },
  ],
] as const;

test.each(meaningless)(
  "ignores fields of %s that exist only on other servers",
  async (name, body) => {
    const { send, network_id } = await open();
    const isInNetwork = name === "subnets" || name === "daemons/provision";
    const answer = await send("POST", name, isInNetwork ? { ...body, network_id } : body);
    expect(answer.status).toBe(201);
  },
);

test("a PUT of a host with null instead of lists keeps the lists, and does not need a network", async () => {
  const { post, send, network_id } = await open();
  const { id } = await post("hosts", {
    network_id,
    name: "printer",
    ip_addresses: [{ ip_address: "192.0.2.1" }],
    ports: [{ number: 631, protocol: "Tcp" }],
    services: [{ name: "Printing" }],
  });
  const answer = await send("PUT", `hosts/${id}`, {
    id,
    name: "Printer",
    hidden: false,
    tags: [],
    services: null,
    ports: null,
    ip_addresses: null,
    credential_assignments: null,
  });
  const lists = {
    ip_addresses: [{ ip_address: "192.0.2.1" }],
    ports: [{ number: 631 }],
    services: [{ name: "Printing" }],
  };
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { name: "Printer", network_id, ...lists } },
  });
});

const device = {
  sys_name: "printer",
  sys_descr: "Laser printer",
  sys_object_id: "1.3.6.1.4.1.11",
  sys_location: "Office",
  sys_contact: "ops@example.com",
  management_url: "https://192.0.2.1/",
  chassis_id: "AA:BB:CC:DD:EE:FF",
  manufacturer: "HP",
  model: "M404",
  serial_number: "42",
  operating_system: "Linux 5.10",
};

test("a PUT of a host keeps the fields of its device that the client does not know, and null clears them", async () => {
  const { post, send, network_id } = await open();
  const { id } = await post("hosts", { network_id, name: "printer", ...device });
  // The fields of the reference's request.
  const body = {
    ...{ id, name: "Printer", hostname: null, description: "2nd floor", hidden: false },
    ...{ tags: [], virtualization: null },
  };
  const answer = await send("PUT", `hosts/${id}`, body);
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { name: "Printer", description: "2nd floor", ...device } },
  });
  const cleared = await send("PUT", `hosts/${id}`, { ...body, model: null, serial_number: " " });
  expect(cleared).toMatchObject({
    status: 200,
    body: { data: { ...device, model: null, serial_number: null } },
  });
});

test("a PUT of a host by its external id keeps the fields of its device, too", async () => {
  const { post, send, network_id } = await open();
  await post("hosts", { network_id, name: "printer", external_id: "cmdb 7", ...device });
  const path = "hosts/by-external-id/cmdb%207";
  expect(await send("PUT", path, { name: "Printer" })).toMatchObject({
    status: 200,
    body: { data: { name: "Printer", ...device } },
  });
});

test("a PUT of a host with an outdated expected_updated_at changes nothing", async () => {
  const { post, send, network_id } = await open();
  const { id, updated_at } = await post("hosts", { network_id, name: "printer" });
  const path = `hosts/${id}`;
  const late = await send("PUT", path, {
    name: "Late",
    expected_updated_at: "2025-01-01T00:00:00.000Z",
  });
  expect(late.status).toBe(412);
  const read = await send("PUT", path, { name: "Printer", expected_updated_at: updated_at });
  expect(read.status).toBe(200);
});

test("a PUT of a host with a different network is rejected", async () => {
  const { post, send, network_id } = await open();
  const other = await post("networks", { name: "Other" });
  const { id } = await post("hosts", { network_id, name: "printer" });
  const answer = await send("PUT", `hosts/${id}`, {
    name: "printer",
    network_id: other.id,
  });
  expect(answer.status).toBe(400);
});

test("GET /organizations ignores list parameters, whatever their values", async () => {
  const { api, keys } = await open();
  const answer = await api.send("GET", "/api/v1/organizations?limit=200&offset=x", {
    key: keys.viewer,
  });
  expect(answer.status).toBe(200);
});

test.each(["dependencies", "auth/daemon", "discovery"])(
  "returns an empty page of %s",
  async (kind) => {
    const { api, keys } = await open();
    const answer = await api.send("GET", `/api/v1/${kind}?network_id=${nil}&limit=0`, {
      key: keys.viewer,
    });
    expect(answer.body).toMatchObject({
      data: [],
      meta: {
        pagination: { total_count: 0, limit: 0, offset: 0, has_more: false, next_cursor: null },
      },
    });
  },
);

test.each([
  ["hosts", "/api/v1/hosts"],
  ["services", "/api/v1/services"],
  ["config", "/api/version"],
])("/api/%s redirects to its current path", async (name, path) => {
  const { api } = await open();
  const answer = await api.send("GET", `/api/${name}?limit=2&q=a%20b`);
  expect(answer.status).toBe(308);
  expect(answer.headers.get("location")).toBe(`${path}?limit=2&q=a%20b`);
});

test("hosts can be ordered by their first address and by virtualization, and services by host", async () => {
  const { post, list, network_id } = await open();
  const addressOf = { b: "10.0.0.9", a: "10.0.0.10" };
  for (const [name, ip_address] of Object.entries(addressOf)) {
    await post("hosts", {
      network_id,
      name,
      ip_addresses: [{ ip_address }],
      services: [{ name: `on ${name}` }],
    });
  }
  const [runs] = await list("services", { q: "on b" });
  const guest = { type: "Proxmox", details: { service_id: runs?.id } };
  await post("hosts", { network_id, name: "guest", virtualization: guest });
  const namesBy = async (name: "hosts" | "services", order_by: string, more = {}) =>
    (await list(name, { order_by, ...more })).map((record) => record.name);
  expect(await namesBy("hosts", "interface_ip")).toEqual(["b", "a", "guest"]);
  expect((await namesBy("hosts", "virtualized_by"))[0]).toBe("guest");
  expect(await namesBy("services", "host")).toEqual(["on a", "on b"]);
  const at = new Date().toISOString();
  expect(await namesBy("services", "host", { at, order_direction: "desc" })).toEqual([
    "on b",
    "on a",
  ]);
});

test.each([
  ["GET", `/api/v1/if-entries/${nil}?fields=id`, `/api/v1/interfaces/${nil}?fields=id`],
  ["GET", `/api/v1/if-entries/${nil}`, `/api/v1/interfaces/${nil}`],
  ["POST", "/api/v1/if-entries/bulk-delete", "/api/v1/interfaces/bulk-delete"],
  ["GET", "/api/v1/if-entries//evil.example", "/api/v1/interfaces//evil.example"],
])("%s %s redirects to %s, without a key", async (method, path, location) => {
  const { api } = await open();
  const { status, headers } = await api.send(method, path);
  expect(status).toBe(308);
  expect(headers.get("location")).toBe(location);
});

test("GET /if-entries lists interfaces with the names of ifTable, in pages and at instants", async () => {
  const { post, send, network_id } = await open();
  const known = { name: "gi1", description: "Gigabit Ethernet", type: 6, alias: "uplink" };
  const host = await post("hosts", {
    network_id,
    name: "switch",
    interfaces: [{ if_index: 1, ...known }, { if_index: 2, name: "gi2" }, { if_index: 3 }],
  });
  const interfaces = z.object({ interfaces: z.array(z.object({ id: z.string() })) }).parse(host);
  await post("neighbors", {
    interface_id: interfaces.interfaces[0]?.id,
    protocol: "Lldp",
    chassis_id: { subtype: "LocallyAssigned", value: "1" },
    system_name: "core",
  });
  const names = ["if_index", "if_name", "if_descr", "if_alias", "if_type", "lldp_sys_name"];
  const rows = [
    [1, "gi1", "Gigabit Ethernet", "uplink", 6, "core"],
    [2, "gi2", "gi2", null, 1, null],
    [3, null, "3", null, 1, null],
  ].map((values) => Object.fromEntries(names.map((name, index) => [name, values[index]])));
  const query = `network_id=${network_id}&order_by=if_index`;
  const whole = await send("GET", `if-entries?${query}`, undefined);
  expect(whole).toMatchObject({ status: 200, body: { data: rows } });
  const at = new Date().toISOString();
  for (const more of ["&limit=0", `&at=${at}`, `&at=${at}&limit=0`]) {
    const { body } = await send("GET", `if-entries?${query}${more}`, undefined);
    expect(body, more).toMatchObject({ data: rows });
  }
  const part = await send("GET", `if-entries?${query}&limit=1&offset=1&fields=if_descr`, undefined);
  expect(part.body).toMatchObject({ data: [{ if_descr: "gi2" }] });
});

test("SERVER_VERSION is the version for clients that check it", async () => {
  const version = { SERVER_VERSION: "0.17.22" };
  const { body } = await openApi(version).send("GET", "/api/version");
  expect(body).toMatchObject({ data: { api_version: 1, server_version: "0.17.22" } });
});

test("a credential is created with empty sets if they are omitted, but PUT requires them", async () => {
  const { post, send, organization } = await open();
  const body = {
    name: "Switches",
    organization_id: organization.id,
    credential_type: { type: "DockerSocket" },
  };
  const credential = await post("credentials", body);
  const sets = { tags: [], assigned_network_ids: [], host_assignments: [] };
  expect(credential).toMatchObject(sets);
  const bulk = await send("POST", "credentials/bulk", [body, { ...body, ...sets }]);
  expect(bulk).toMatchObject({ status: 201, body: { data: [sets, sets] } });
  const replaced = await send("PUT", `credentials/${credential.id}`, body);
  expect(replaced).toMatchObject({
    status: 400,
    body: {
      params: {
        issues: Object.keys(sets).map((name) => ({ path: `body.${name}` })),
      },
    },
  });
});

test("a discovered record's source has metadata, which is ignored in requests", async () => {
  const { post, send, network_id, keys, api } = await open();
  const subnet = await post("subnets", { network_id, cidr: "10.9.0.0/24" });
  const host = await post("hosts", { network_id, name: "printer" });
  const service = await post("services", { host_id: host.id, name: "nginx" });
  const records = [
    ["subnets", subnet],
    ["hosts", host],
    ["services", service],
  ] as const;
  for (const [name, { id }] of records) {
    expect(await send("GET", `${name}/${id}`, undefined)).toMatchObject({
      body: { data: { source: { type: "Manual" } } },
    });
    await sql`update ${sql.unsafe(name)} set source = 'Discovery' where id = ${id}`;
    const { body } = await send("GET", `${name}/${id}`, undefined);
    expect(body).toMatchObject({ data: { source: { type: "Discovery", metadata: [] } } });
    const sentBack = await send("PUT", `${name}/${id}`, bodySchema.parse(body).data);
    expect(sentBack).toMatchObject({
      status: 200,
      body: { data: { source: { type: "Discovery", metadata: [] } } },
    });
  }
  const { body } = await api.send("GET", "/api/v1/changes?include=records&change=updated", {
    key: keys.owner,
  });
  const { data } = z
    .object({ data: z.array(z.object({ before: z.unknown(), after: z.unknown() })) })
    .parse(body);
  expect(data.map(({ after }) => after)).toEqual(
    records.map(() => expect.objectContaining({ source: { type: "Discovery", metadata: [] } })),
  );
  expect(data.map(({ before }) => before)).toEqual(
    records.map(() => expect.objectContaining({ source: { type: "Manual" } })),
  );
});
