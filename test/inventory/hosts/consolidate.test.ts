import { expect, test } from "vitest";
import * as z from "zod";
import * as schema from "../../../src/database/tables/index.ts";
import { failed, seen } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { database, sql } from "../../helpers/database.ts";
import {
  mintCredential,
  mintDaemon,
  mintHost,
  mintKey,
  mintOrganization,
} from "../../helpers/organization.ts";
import { changingNothing } from "../../helpers/rows.ts";
import { assignCredential } from "../../helpers/scans.ts";

const api = openApi();
const record = z.looseObject({ id: z.string() });
const hostBody = z.object({
  data: z.looseObject({
    id: z.string(),
    tags: z.array(z.string()),
    credential_assignments: z.array(
      z.object({ credential_id: z.string(), ip_address_ids: z.array(z.string()).nullable() }),
    ),
    ip_addresses: z.array(record),
    ports: z.array(record),
    services: z.array(
      z.looseObject({ id: z.string(), tags: z.array(z.string()), bindings: z.array(record) }),
    ),
  }),
});

const newId = () => crypto.randomUUID();
const idOf = (one?: { id: string }) => one?.id;

/**
 * Creates an organization, and returns functions that create and consolidate hosts on its first
 * network.
 */
async function open() {
  const organization = await mintOrganization();
  const { keys, networks } = organization;
  const [network] = networks;
  const create = async (host: object) => {
    const answer = await api.send("POST", "/api/v1/hosts", {
      key: keys.member,
      json: { network_id: network.id, name: "Test", ...host },
    });
    expect(answer, answer.text).toMatchObject({ status: 201 });
    return { ...hostBody.parse(answer.body).data, etag: answer.headers.get("ETag") ?? "" };
  };
  const consolidate = (id: string, other: string, headers = {}, key = keys.member) =>
    api.send("PUT", `/api/v1/hosts/${id}/consolidate/${other}`, { key, headers });
  const read = async (path: string) =>
    (await api.send("GET", `/api/v1/${path}`, { key: keys.viewer })).body;
  return { ...organization, network, create, consolidate, read };
}

/** The body for a host with a web server on its address, and the ids in the body. */
function webServer(ip_address: string, service: object = {}) {
  const ids = { address: newId(), port: newId(), service: newId(), binding: newId() };
  const body = {
    ip_addresses: [{ id: ids.address, ip_address }],
    ports: [{ id: ids.port, number: 443, protocol: "Tcp" }],
    services: [
      {
        id: ids.service,
        name: "Web",
        service_definition: "Nginx",
        bindings: [
          { id: ids.binding, type: "Port", port_id: ids.port, ip_address_id: ids.address },
        ],
        ...service,
      },
    ],
  };
  return { ids, body };
}

test("moves all children of the other host and deletes it, in one call", async () => {
  const { create, consolidate, read, tags, id: organization_id, network } = await open();
  const [a, b] = [webServer("10.0.0.1"), webServer("10.0.0.2", { name: "Other" })];
  const own = await create({ tags: [tags[0]], hostname: "own" });
  const other = await create({
    ...b.body,
    ports: [{ ...b.body.ports[0], number: 8443 }],
    tags: tags,
    hostname: "other",
    serial_number: "S1",
    operating_system: "Debian 12",
  });
  expect(a.ids).not.toEqual(b.ids);
  const daemon = await mintDaemon(organization_id, network.id, { host_id: other.id });
  const before = await api.calls();
  const answer = await consolidate(own.id, other.id);
  expect((await api.calls()) - before).toBe(1);
  expect(answer, answer.text).toMatchObject({
    status: 200,
    body: {
      data: {
        id: own.id,
        hostname: "own",
        serial_number: "S1",
        operating_system: "Debian 12",
        tags: tags.toSorted(),
        ip_addresses: [{ id: b.ids.address, host_id: own.id }],
        ports: [{ id: b.ids.port, host_id: own.id }],
        services: [
          {
            id: b.ids.service,
            host_id: own.id,
            bindings: [{ id: b.ids.binding, port_id: b.ids.port, ip_address_id: b.ids.address }],
          },
        ],
      },
    },
  });
  expect(answer.headers.get("ETag")).not.toBe(own.etag);
  const [{ host_id } = {}] = await sql`select host_id from daemons where id = ${daemon}`;
  expect(host_id).toBe(own.id);
  expect(await read(`hosts/${other.id}`)).toMatchObject({ code: "entity_not_found" });
  expect(await read(`hosts/${own.id}`)).toMatchObject({
    data: hostBody.parse(answer.body).data,
  });
});

test("merges children that both hosts have, with their bindings", async () => {
  const { create, consolidate, tags } = await open();
  const [a, b] = [webServer("10.0.0.1"), webServer("10.0.0.1", { tags: [tags[1]] })];
  const own = await create(a.body);
  const extra = newId();
  const other = await create({
    ...b.body,
    ip_addresses: [...b.body.ip_addresses, { id: extra, ip_address: "10.0.0.9" }],
    services: b.body.services.map((service) => ({
      ...service,
      bindings: [...service.bindings, { type: "Port", port_id: b.ids.port, ip_address_id: extra }],
    })),
  });
  const answer = await consolidate(own.id, other.id);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  const { data } = hostBody.parse(answer.body);
  expect(data.ip_addresses.map(({ id }) => id)).toEqual([a.ids.address, extra]);
  expect(data.ports.map(({ id }) => id)).toEqual([a.ids.port]);
  expect(data.services).toMatchObject([{ id: a.ids.service, tags: [tags[1]] }]);
  expect(data.services[0]?.bindings).toMatchObject([
    { id: a.ids.binding, port_id: a.ids.port, ip_address_id: a.ids.address },
    { service_id: a.ids.service, port_id: a.ids.port, ip_address_id: extra },
  ]);
});

test("fills the empty fields of a merged child from the other host's child", async () => {
  const { create, consolidate, tags } = await open();
  const docker = (container_name: string) => ({
    type: "Docker",
    details: { container_name, container_id: null, compose_project: null, service_id: null },
  });
  const service = { name: "Web", service_definition: "Nginx" };
  const own = await create({
    ip_addresses: [
      { ip_address: "10.0.0.1", subnet_id: null },
      {
        ip_address: "10.0.0.2",
        subnet_id: null,
        name: "own",
        mac_address: "00:00:5E:00:53:01",
        position: 1,
      },
    ],
    services: [
      { ...service, tags: [tags[0]] },
      {
        ...service,
        name: "Api",
        version: "nginx 1.25.1",
        position: 1,
        virtualization: docker("own"),
      },
    ],
  });
  const other = await create({
    ip_addresses: [
      { ip_address: "10.0.0.1", subnet_id: null, name: "lan", mac_address: "00:00:5E:00:53:02" },
      { ip_address: "10.0.0.2", subnet_id: null, name: "other", mac_address: "00:00:5E:00:53:03" },
    ],
    services: [
      { ...service, tags: [tags[1]], version: "nginx 1.24.0", virtualization: docker("web") },
      { ...service, name: "Api", version: "nginx 1.22.1", virtualization: docker("other") },
    ],
  });
  const answer = await consolidate(own.id, other.id);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  const { data } = hostBody.parse(answer.body);
  expect(data.ip_addresses).toMatchObject([
    { id: idOf(own.ip_addresses[0]), name: "lan", mac_address: "00:00:5E:00:53:02" },
    { id: idOf(own.ip_addresses[1]), name: "own", mac_address: "00:00:5E:00:53:01", position: 1 },
  ]);
  expect(data.services).toMatchObject([
    {
      id: idOf(own.services[0]),
      version: "nginx 1.24.0",
      virtualization: docker("web"),
      tags: tags.toSorted(),
    },
    {
      id: idOf(own.services[1]),
      version: "nginx 1.25.1",
      virtualization: docker("own"),
      tags: [],
    },
  ]);
});

test.each([
  ["its own", true],
  ["the other's", false],
] as const)(
  "a binding on all addresses, %s, replaces bindings on individual addresses",
  async (_, isOwn) => {
    const { create, consolidate } = await open();
    const everywhere = (server: ReturnType<typeof webServer>) => ({
      ...server.body,
      services: server.body.services.map((service) => ({
        ...service,
        bindings: service.bindings.map((binding) => ({ ...binding, ip_address_id: null })),
      })),
    });
    const [a, b] = [webServer("10.0.0.1"), webServer("10.0.0.2")];
    const own = await create(isOwn ? everywhere(a) : a.body);
    const other = await create(isOwn ? b.body : everywhere(b));
    const answer = await consolidate(own.id, other.id);
    expect(answer, answer.text).toMatchObject({ status: 200 });
    expect(hostBody.parse(answer.body).data.services).toMatchObject([
      {
        id: a.ids.service,
        bindings: [{ id: (isOwn ? a : b).ids.binding, port_id: a.ids.port, ip_address_id: null }],
      },
    ]);
  },
);

test("rejects conflicting bindings of different services, and changes nothing", async () => {
  const { id, create, consolidate } = await open();
  const [a, b] = [webServer("10.0.0.1"), webServer("10.0.0.1", { service_definition: "Caddy" })];
  const [own, other] = [await create(a.body), await create(b.body)];
  expect(seen(await changingNothing(id, () => consolidate(own.id, other.id)))).toEqual(
    failed("binding_conflict", { id: a.ids.binding }),
  );
});

test("merges the credentials of both hosts and gives the credentials new entity tags", async () => {
  const { id: organization_id, create, consolidate, keys } = await open();
  const [a, b] = [webServer("10.0.0.1"), webServer("10.0.0.1")];
  const extra = newId();
  const [own, other] = [
    await create(a.body),
    await create({
      ...b.body,
      ip_addresses: [...b.body.ip_addresses, { id: extra, ip_address: "10.0.0.9" }],
    }),
  ];
  const [limited, whole, moved] = [
    await mintCredential(organization_id),
    await mintCredential(organization_id),
    await mintCredential(organization_id),
  ];
  const assign = async (credential_id: string, host_id: string, addresses: string[] | null) => {
    const assignment = { organization_id, credential_id, host_id };
    await database
      .insert(schema.credentialHosts)
      .values({ ...assignment, is_limited_to_addresses: addresses !== null });
    for (const ip_address_id of addresses ?? []) {
      await database
        .insert(schema.credentialHostIpAddresses)
        .values({ ...assignment, ip_address_id });
    }
  };
  await assign(limited, own.id, [a.ids.address]);
  await assign(limited, other.id, [b.ids.address, extra]);
  await assign(whole, own.id, [a.ids.address]);
  await assign(whole, other.id, null);
  await assign(moved, other.id, [b.ids.address]);
  const etagOf = async (id: string) =>
    (await api.send("GET", `/api/v1/credentials/${id}`, { key: keys.viewer })).headers.get("ETag");
  const before = await etagOf(moved);
  const answer = await consolidate(own.id, other.id, {}, keys.admin);
  expect(answer, answer.text).toMatchObject({ status: 200 });
  const { credential_assignments } = hostBody.parse(answer.body).data;
  expect(credential_assignments).toEqual(
    [
      { credential_id: limited, ip_address_ids: [a.ids.address, extra].toSorted() },
      { credential_id: whole, ip_address_ids: null },
      { credential_id: moved, ip_address_ids: [a.ids.address] },
    ].toSorted((one, two) => (one.credential_id < two.credential_id ? -1 : 1)),
  );
  expect(await etagOf(moved)).not.toBe(before);
});

test("keeps history: before the change, both hosts exist with their own children", async () => {
  const { create, consolidate, read } = await open();
  const [a, b] = [webServer("10.0.0.1"), webServer("10.0.0.1")];
  const [own, other] = [await create(a.body), await create(b.body)];
  const [{ at } = {}] = await sql`select clock_timestamp()::timestamptz(3) as at`;
  const instant = new Date(String(at)).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const path = `hosts?ids=${own.id}&ids=${other.id}&order_by=created_at&at=${instant}`;
  const before = await read(path);
  expect(before).toMatchObject({
    data: [{ ports: [{ id: a.ids.port }] }, { ports: [{ id: b.ids.port }] }],
  });
  expect(await consolidate(own.id, other.id)).toMatchObject({ status: 200 });
  const hostList = z.object({
    data: z.array(z.looseObject({ ports: z.array(record), services: z.array(record) })),
  });
  const after = hostList.parse(await read(path)).data;
  const numbers = (hosts: z.output<typeof hostList>["data"]) =>
    hosts.map(({ ports, services }) => [
      ports.map(({ number, valid_from }) => ({ number, valid_from })),
      services.map(({ name, bindings }) => ({
        name,
        count: Array.isArray(bindings) && bindings.length,
      })),
    ]);
  expect(numbers(after)).toEqual(numbers(hostList.parse(before).data));
});

test("rejects the same host, a host on another network, and unknown hosts", async () => {
  const { id, networks, consolidate, create } = await open();
  const own = await create({});
  const issue = (message: string) =>
    failed("validation_failed", {
      issue_count: 1,
      issues: [
        { path: "path.other_id", code: "custom", message: expect.stringContaining(message) },
      ],
    });
  const refuse = async (first: string, second: string) =>
    seen(await changingNothing(id, () => consolidate(first, second)));
  expect(await refuse(own.id, own.id)).toEqual(issue("another host"));
  expect(await refuse(own.id, networks[1].host_id)).toEqual(issue("same network"));
  const foreign = await mintOrganization();
  const foreignId = foreign.networks[0].host_id;
  expect(await refuse(own.id, foreignId)).toEqual(
    failed("entity_not_found", { entity: "Host", id: foreignId }),
  );
  const missing = newId();
  const notFound = failed("entity_not_found", { entity: "Host", id: missing });
  expect(await refuse(own.id, missing)).toEqual(notFound);
  expect(await refuse(missing, own.id)).toEqual(notFound);
});

test("If-Match applies to the host that is kept", async () => {
  const { id, consolidate, create } = await open();
  const [own, other] = [await create({}), await create({ name: "Other" })];
  const stale = await changingNothing(id, () =>
    consolidate(own.id, other.id, { "If-Match": '"stale"' }),
  );
  expect(seen(stale)).toEqual(failed("precondition_failed", { etag: own.etag }));
  expect(await consolidate(own.id, other.id, { "If-Match": own.etag })).toMatchObject({
    status: 200,
  });
});

// Otherwise, a caller could have the credential's secret sent to addresses of their choice.
test.each(["kept", "deleted"])(
  "requires an Admin if the host that is %s has credentials",
  async (whose) => {
    const { id: organization_id, network, keys, consolidate } = await open();
    const other = await mintHost(organization_id, network.id);
    const assigned = whose === "kept" ? network : other;
    const credential_id = await mintCredential(organization_id);
    await assignCredential(organization_id, credential_id, {
      host_id: assigned.host_id,
      addresses: [assigned.ip_address_ids[0]],
    });
    const request = () => consolidate(network.host_id, other.host_id);
    expect(seen(await changingNothing(organization_id, request))).toEqual(
      failed("auth_permission_denied", { required_role: "Admin", role: "Member" }),
    );
    expect(await consolidate(network.host_id, other.host_id, {}, keys.admin)).toMatchObject({
      status: 200,
      body: { data: { credential_assignments: [{ credential_id }] } },
    });
  },
);

test("a key limited to the network cannot move a credential that is also assigned outside it", async () => {
  const { id: organization_id, networks, network, consolidate } = await open();
  const other = await mintHost(organization_id, network.id);
  const key = await mintKey(organization_id, { role: "Admin" }, [network.id]);
  const credential_id = await mintCredential(organization_id);
  for (const host_id of [other.host_id, networks[1].host_id]) {
    await database
      .insert(schema.credentialHosts)
      .values({ organization_id, credential_id, host_id, is_limited_to_addresses: false });
  }
  const refuse = () => consolidate(network.host_id, other.host_id, {}, key);
  expect(seen(await changingNothing(organization_id, refuse))).toEqual(failed("auth_scope_denied"));
  await sql`delete from credential_hosts where host_id = ${networks[1].host_id}`;
  expect(await refuse()).toMatchObject({ status: 200 });
});
