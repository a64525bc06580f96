import { expect, test } from "vitest";
import { failed, seen } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { mintHost, mintOrganization } from "../../helpers/organization.ts";
import { changingNothing } from "../../helpers/rows.ts";

const api = openApi();
const taken = (entity: string, field: string, id: string) =>
  failed("entity_already_exists", { entity, field, id });

/**
 * Creates an organization with a host that has 192.0.2.1, 192.0.2.2 and 443/Tcp, and with another
 * host. Returns functions that write to it.
 */
async function open() {
  const organization = await mintOrganization();
  const { id, keys, networks } = organization;
  const [network] = networks;
  const other = await mintHost(id, network.id);
  const send = async (method: string, path: string, json: unknown) =>
    seen(await api.send(method, `/api/v1/${path}`, { key: keys.member, json }));
  const refused = async (
    [method, path, json]: [method: string, path: string, json: unknown],
    expected: unknown,
  ) => {
    expect(await changingNothing(id, () => send(method, path, json)), path).toEqual(expected);
  };
  const subnet = async (cidr: string) => {
    const answer = await api.send("POST", "/api/v1/subnets", {
      key: keys.member,
      json: { network_id: network.id, cidr },
    });
    expect(answer.status).toBe(201);
    return String(answer.headers.get("Location")).split("/").at(-1) ?? "";
  };
  return { ...organization, network, other, send, refused, subnet };
}

test("rejects a port that its host already has, and names it in the response", async () => {
  const { network, other, send, refused } = await open();
  const { host_id, port_id } = network;
  const known = { host_id, number: 443, protocol: "Tcp" };
  await refused(["POST", "ports", known], taken("Port", "body.number", port_id));
  await refused(
    ["POST", "ports/bulk", [{ ...known, number: 80 }, known]],
    taken("Port", "body[1].number", port_id),
  );
  const second = crypto.randomUUID();
  expect(await send("POST", "ports", { ...known, id: second, protocol: "Udp" })).toMatchObject({
    status: 201,
  });
  await refused(["PUT", `ports/${second}`, known], taken("Port", "body.number", port_id));
  expect(await send("PUT", `ports/${port_id}`, known)).toMatchObject({ status: 200 });
  expect(
    await send("POST", "ports", { ...known, host_id: other.host_id, number: 80 }),
  ).toMatchObject({ status: 201 });
});

test("rejects an address that its host already has, and names it in the response", async () => {
  const { network, other, send, refused } = await open();
  const { host_id, ip_address_ids } = network;
  const [first, second] = ip_address_ids;
  const known = { host_id, ip_address: "192.0.2.1" };
  await refused(["POST", "ip-addresses", known], taken("IPAddress", "body.ip_address", first));
  await refused(
    ["POST", "ip-addresses/bulk", [{ ...known, ip_address: "192.0.2.9" }, known]],
    taken("IPAddress", "body[1].ip_address", first),
  );
  await refused(
    ["PUT", `ip-addresses/${second}`, known],
    taken("IPAddress", "body.ip_address", first),
  );
  // Outside subnets, two hosts may have the same address, for example 127.0.0.1.
  expect(
    await send("POST", "ip-addresses", {
      ...known,
      host_id: other.host_id,
      ip_address: "127.0.0.1",
    }),
  ).toMatchObject({ status: 201 });
  expect(await send("POST", "ip-addresses", { ...known, ip_address: "127.0.0.1" })).toMatchObject({
    status: 201,
  });
});

test("an address in a subnet belongs to only one host, whether the subnet is in the request or looked up", async () => {
  const { network, other, send, refused, subnet } = await open();
  const subnet_id = await subnet("198.51.100.0/24");
  const id = crypto.randomUUID();
  const sent = { host_id: network.host_id, ip_address: "198.51.100.7" };
  expect(await send("POST", "ip-addresses", { ...sent, id })).toMatchObject({
    body: { data: { subnet_id } },
  });
  const elsewhere = { ...sent, host_id: other.host_id };
  for (const json of [elsewhere, { ...elsewhere, subnet_id }]) {
    await refused(["POST", "ip-addresses", json], taken("IPAddress", "body.ip_address", id));
  }
  await refused(
    ["PUT", `ip-addresses/${other.ip_address_ids[0]}`, elsewhere],
    taken("IPAddress", "body.ip_address", id),
  );
  await refused(
    [
      "POST",
      "hosts",
      { network_id: network.id, name: "New", ip_addresses: [{ ip_address: "198.51.100.7" }] },
    ],
    taken("IPAddress", "body.ip_addresses[0].ip_address", id),
  );
  await refused(
    [
      "PUT",
      `hosts/${other.host_id}`,
      { network_id: network.id, name: "Other", ip_addresses: [{ ip_address: "198.51.100.7" }] },
    ],
    taken("IPAddress", "body.ip_addresses[0].ip_address", id),
  );
  expect(await send("POST", "ip-addresses", { ...elsewhere, subnet_id: null })).toMatchObject({
    status: 201,
  });
});

test("a duplicate in one request is an issue with its path", async () => {
  const { network, other, refused, subnet } = await open();
  await subnet("198.51.100.0/24");
  const { host_id } = network;
  const twice = (...paths: string[]) =>
    failed("validation_failed", {
      issue_count: paths.length,
      issues: paths.map((path) => ({
        path,
        code: "custom",
        message: expect.stringMatching(/^is already an? .* of this request: /),
      })),
    });
  const port = { host_id, number: 8080, protocol: "Tcp" };
  await refused(
    ["POST", "ports/bulk", [port, { ...port, number: 81 }, port]],
    twice("body[2].number"),
  );
  const address = { host_id, ip_address: "198.51.100.8" };
  await refused(["POST", "ip-addresses/bulk", [address, address]], twice("body[1].ip_address"));
  // Only the database can detect that both are in the same subnet.
  await refused(
    ["POST", "ip-addresses/bulk", [address, { ...address, host_id: other.host_id }]],
    twice("body[1].ip_address"),
  );
  const host = { network_id: network.id, name: "New" };
  const { host_id: _, ...own } = address;
  await refused(
    [
      "POST",
      "hosts",
      {
        ...host,
        ip_addresses: [own, own],
        ports: [
          { number: 1, protocol: "Tcp" },
          { number: 1, protocol: "Tcp" },
        ],
      },
    ],
    twice("body.ip_addresses[1].ip_address", "body.ports[1].number"),
  );
  await refused(
    [
      "POST",
      "hosts/bulk",
      [
        { ...host, ip_addresses: [own] },
        { ...host, ip_addresses: [own] },
      ],
    ],
    twice("body[1].ip_addresses[0].ip_address"),
  );
});

test("rejects a child with the id of another host's child", async () => {
  const { network, other, refused } = await open();
  const host = { network_id: network.id, name: "Other" };
  await refused(
    [
      "PUT",
      `hosts/${other.host_id}`,
      { ...host, ports: [{ id: network.port_id, number: 1, protocol: "Tcp" }] },
    ],
    taken("Port", "body.ports[0].id", network.port_id),
  );
  await refused(
    ["POST", "hosts", { ...host, services: [{ id: network.service_id, name: "S" }] }],
    taken("Service", "body.services[0].id", network.service_id),
  );
  const id = crypto.randomUUID();
  const twice = { id, number: 1, protocol: "Tcp" };
  await refused(
    ["POST", "hosts", { ...host, ports: [twice, { ...twice, number: 2 }] }],
    failed("validation_failed", {
      issue_count: 1,
      issues: [{ path: "body.ports[1].id", code: "custom", message: expect.any(String) }],
    }),
  );
});

test("a PUT of a host can reuse the natural key of a deleted or changed child", async () => {
  const { network, send } = await open();
  const { host_id } = network;
  const put = (ports: unknown) =>
    ["PUT", `hosts/${host_id}`, { network_id: network.id, name: "Test", ports }] as const;
  const fresh = { id: crypto.randomUUID(), number: 443, protocol: "Tcp" };
  expect(await send(...put([fresh]))).toMatchObject({
    status: 200,
    body: { data: { ports: [fresh] } },
  });
  const newest = { ...fresh, id: crypto.randomUUID() };
  expect(await send(...put([newest, { ...fresh, number: 8443 }]))).toMatchObject({ status: 200 });
});

test("a PUT of a host can swap the numbers of ports, which keep their bindings", async () => {
  const { network, send } = await open();
  const [first, second, third] = [80, 443, 8080].map((number) => ({
    id: crypto.randomUUID(),
    number,
    protocol: "Tcp",
  }));
  const service = {
    id: crypto.randomUUID(),
    name: "Web",
    bindings: [{ type: "Port", port_id: first?.id }],
  };
  const host = { network_id: network.id, name: "Test" };
  const path = `hosts/${network.host_id}`;
  const before = { ...host, ports: [first, second, third], services: [service] };
  expect(await send("PUT", path, before)).toMatchObject({ status: 200 });
  // Rotates the numbers of all three ports.
  const ports = [
    { ...first, number: 443 },
    { ...second, number: 8080 },
    { ...third, number: 80 },
  ];
  const exchanged = await send("PUT", path, { ...host, ports });
  expect(exchanged).toMatchObject({
    status: 200,
    body: {
      data: {
        ports: [
          { id: third?.id, number: 80 },
          { id: first?.id, number: 443 },
          { id: second?.id, number: 8080 },
        ],
        services: [{ bindings: [{ port_id: first?.id, lineage_id: null }] }],
      },
    },
  });
  const versions = await sql`
    select live_id, number, valid_to is null as is_live from ports
    where host_id = ${network.host_id} and live_id = ${first?.id} order by valid_from`;
  expect(versions).toEqual([
    { live_id: first?.id, number: 80, is_live: false },
    { live_id: first?.id, number: 443, is_live: true },
  ]);
});

test("a PUT of a host can swap addresses, inside and outside a subnet", async () => {
  const { network, other, send, refused, subnet } = await open();
  await subnet("198.51.100.0/24");
  const addresses = ["198.51.100.1", "198.51.100.2", "203.0.113.1", "203.0.113.2"].map(
    (ip_address) => ({ id: crypto.randomUUID(), ip_address }),
  );
  const host = { network_id: network.id, name: "Test" };
  const path = `hosts/${network.host_id}`;
  expect(await send("PUT", path, { ...host, ip_addresses: addresses })).toMatchObject({
    status: 200,
  });
  const exchanged = addresses.map(({ id }, at) => ({
    id,
    ip_address: addresses[at % 2 === 0 ? at + 1 : at - 1]?.ip_address,
  }));
  expect(await send("PUT", path, { ...host, ip_addresses: exchanged })).toMatchObject({
    status: 200,
    body: {
      data: {
        ip_addresses: expect.arrayContaining(
          exchanged.map((address) => expect.objectContaining(address)),
        ),
      },
    },
  });
  // An address of another host still conflicts.
  await refused(
    ["PUT", `hosts/${other.host_id}`, { ...host, ip_addresses: [{ ip_address: "198.51.100.1" }] }],
    taken("IPAddress", "body.ip_addresses[0].ip_address", addresses[1]?.id ?? ""),
  );
});

test("only one of several concurrent requests that create the same port succeeds", async () => {
  const { keys, network } = await open();
  const json = { host_id: network.host_id, number: 9000, protocol: "Tcp" };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => openApi().send("POST", "/api/v1/ports", { key: keys.member, json })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
});
