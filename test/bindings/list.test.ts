import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { mintManyBindings } from "../helpers/binding-versions.ts";
import { listed } from "../helpers/listed.ts";
import { mintBinding, mintOrganization } from "../helpers/organization.ts";

const path = "/api/v1/bindings";
const instant = "2026-04-22T15:57:37.840Z";
const times = {
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.100Z",
  last_seen_at: "2026-01-03T00:00:00.020Z",
  valid_from: instant,
};

test("a list shows every key of both types, null where unset", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const [network] = networks;
  const { service_id, port_id, ip_address_ids } = network;
  const discovery = crypto.randomUUID();
  const whole = await mintBinding(organizationId, network, {
    ...times,
    ip_address_id: ip_address_ids[0],
    first_discovery_id: discovery,
    last_discovery_id: discovery,
  });
  const anyAddress = await mintBinding(organizationId, network, {
    ...times,
    created_at: "2026-01-01T00:00:00.001Z",
  });
  const address = await mintBinding(organizationId, network, {
    ...times,
    created_at: "2026-01-01T00:00:00.002Z",
    type: "IPAddress",
    port_id: null,
    ip_address_id: ip_address_ids[1],
  });

  const answer = await api.send("GET", path, { key: keys.viewer });

  const common = {
    ...times,
    service_id,
    network_id: network.id,
    valid_to: null,
    first_discovery_id: null,
    last_discovery_id: null,
    lineage_id: null,
  };
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body).toEqual({
    success: true,
    data: [
      {
        ...common,
        id: whole,
        type: "Port",
        port_id,
        ip_address_id: ip_address_ids[0],
        first_discovery_id: discovery,
        last_discovery_id: discovery,
      },
      {
        ...common,
        id: anyAddress,
        created_at: "2026-01-01T00:00:00.001Z",
        type: "Port",
        port_id,
        ip_address_id: null,
      },
      {
        ...common,
        id: address,
        created_at: "2026-01-01T00:00:00.002Z",
        type: "IPAddress",
        port_id: null,
        ip_address_id: ip_address_ids[1],
      },
    ],
    meta: {
      api_version: 1,
      server_version: expect.any(String),
      pagination: { total_count: 3, limit: 50, offset: 0, has_more: false },
    },
  });
  expect(await api.calls()).toBe(1);
});

test("the order is created_at, then id", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const minted = [];
  for (const day of ["03", "01", "02", "02", "02", "02"]) {
    const created_at = `2026-01-${day}T00:00:00.000Z`;
    minted.push({ created_at, id: await mintBinding(organizationId, networks[0], { created_at }) });
  }
  const order = minted
    .map(({ created_at, id }) => `${created_at} ${id}`)
    .sort()
    .map((text) => ({ id: text.split(" ")[1] }));
  const answer = await api.send("GET", path, { key: keys.viewer });
  expect(answer).toMatchObject({ status: 200, body: { data: order } });
});

test.each([
  { limit: 1, offset: 0, from: 0, to: 1, has_more: true },
  { limit: 3, offset: 2, from: 2, to: 5, has_more: true },
  { limit: 3, offset: 4, from: 4, to: 7, has_more: false },
  { limit: 7, offset: 0, from: 0, to: 7, has_more: false },
  { limit: 6, offset: 0, from: 0, to: 6, has_more: true },
  { limit: 1000, offset: 6, from: 6, to: 7, has_more: false },
  { limit: 5, offset: 7, from: 7, to: 7, has_more: false },
  { limit: 5, offset: 2_147_483_647, from: 7, to: 7, has_more: false },
  { limit: 0, offset: 0, from: 0, to: 7, has_more: false },
  { limit: 0, offset: 5, from: 5, to: 7, has_more: false },
  { limit: 0, offset: 7, from: 7, to: 7, has_more: false },
])("limit=$limit and offset=$offset of 7 is a slice, has_more $has_more", async (slice) => {
  const { limit, offset, from, to, has_more } = slice;
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintManyBindings(organizationId, networks[0], 7);
  const all: { body: unknown } = await openApi().send("GET", path, { key: keys.viewer });
  const answer = await api.send("GET", `${path}?limit=${limit}&offset=${offset}`, {
    key: keys.viewer,
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { meta: { pagination: { total_count: 7, limit, offset, has_more } } },
  });
  expect(listed(all.body)).toHaveLength(7);
  expect(listed(answer.body)).toEqual(listed(all.body).slice(from, to));
  expect(await api.calls()).toBe(1);
});

test.each(["", "?limit=0", "?at=2026-04-22T15:57:37Z", "?limit=0&at=2026-04-22T15:57:37Z"])(
  "an organization without bindings has an empty list%s",
  async (query) => {
    const api = openApi();
    const { keys } = await mintOrganization();
    const answer = await api.send("GET", path + query, { key: keys.viewer });
    const limit = query.includes("limit=0") ? 0 : 50;
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      success: true,
      data: [],
      meta: {
        api_version: 1,
        server_version: expect.any(String),
        pagination: { total_count: 0, limit, offset: 0, has_more: false },
      },
    });
    expect(answer.headers.get("Content-Type")).toMatch(/^application\/json/);
    expect(await api.calls()).toBe(1);
  },
);

test("the bindings of other organizations are neither listed nor counted", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const other = await mintOrganization();
  const own = await mintBinding(organizationId, networks[0]);
  await mintManyBindings(other.id, other.networks[0], 3);
  for (const query of ["", "?limit=0"]) {
    const answer = await api.send("GET", path + query, { key: keys.owner });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: [{ id: own }], meta: { pagination: { total_count: 1 } } },
    });
    expect(listed(answer.body)).toHaveLength(1);
  }
});
