import { expect, test } from "vitest";
import { seen, succeeded } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { mintBinding, mintOrganization, mintPort } from "../../helpers/organization.ts";
import { describePaging } from "../../helpers/paging.ts";

const path = "/api/v1/bindings";
const instant = "2026-04-22T15:57:37.840Z";
const times = {
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-02T00:00:00.100Z",
  last_seen_at: "2026-01-03T00:00:00.020Z",
  valid_from: instant,
};

test("a list has every field of both types, null where unset", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const [network, other] = networks;
  const { service_id, port_id, ip_address_ids } = network;
  const discovery = crypto.randomUUID();
  const whole = await mintBinding(organizationId, network, {
    ...times,
    ip_address_id: ip_address_ids[0],
    first_discovery_id: discovery,
    last_discovery_id: discovery,
  });
  const anyAddress = await mintBinding(organizationId, other, {
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
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toEqual({
    success: true,
    data: [
      {
        ...common,
        id: whole,
        host_id: network.host_id,
        label: "Test 443/Tcp 192.0.2.1",
        type: "Port",
        port_id,
        ip_address_id: ip_address_ids[0],
        first_discovery_id: discovery,
        last_discovery_id: discovery,
      },
      {
        ...common,
        id: anyAddress,
        host_id: other.host_id,
        label: "Test 443/Tcp",
        created_at: "2026-01-01T00:00:00.001Z",
        type: "Port",
        service_id: other.service_id,
        network_id: other.id,
        port_id: other.port_id,
        ip_address_id: null,
      },
      {
        ...common,
        id: address,
        host_id: network.host_id,
        label: "Test 192.0.2.2",
        created_at: "2026-01-01T00:00:00.002Z",
        type: "IPAddress",
        port_id: null,
        ip_address_id: ip_address_ids[1],
      },
    ],
    meta: {
      api_version: 1,
      server_version: expect.any(String),
      pagination: { total_count: 3, limit: 50, offset: 0, has_more: false, next_cursor: null },
      etags: expect.any(Array),
    },
  });
  expect(await api.calls()).toBe(1);
});

let ports = 0;

describePaging(path, async ({ id, networks: [network] }, created_at) => {
  ports++;
  return mintBinding(id, network, { created_at, port_id: await mintPort(id, network, ports) });
});

test.each(["", "&limit=0"])(
  "an organization without bindings has none at any instant%s",
  async (query) => {
    const api = openApi();
    const { keys } = await mintOrganization();
    const answer = await api.send("GET", `${path}?at=2026-04-22T15:57:37Z${query}`, {
      key: keys.viewer,
    });
    const limit = query === "" ? 50 : 0;
    const pagination = { total_count: 0, limit, offset: 0, has_more: false, next_cursor: null };
    expect(seen(answer)).toEqual(succeeded([], { pagination }));
    expect(await api.calls()).toBe(1);
  },
);
