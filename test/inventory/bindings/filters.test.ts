import { expect, test } from "vitest";
import { invalidAt, listed, seen } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { issuesOf } from "../../helpers/issues.ts";
import { mintBinding, mintHost, mintOrganization, mintPort } from "../../helpers/organization.ts";
import { routeOf } from "../../helpers/routes.ts";

const names = ["service_id", "network_id", "port_id", "ip_address_id"] as const;

/** Every combination of the filters, including none. */
const selections = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((_, position) => bits & (1 << position)),
);

/**
 * Creates two hosts in each of two networks. Each host has a binding for every combination of two
 * ports and its addresses, and one binding to a third port on all addresses.
 */
async function mintAssortment() {
  const { id: organizationId, keys, networks } = await mintOrganization();
  const bindings = [];
  for (const network of networks) {
    const neighbor = { id: network.id, ...(await mintHost(organizationId, network.id)) };
    for (const host of [network, neighbor]) {
      const { service_id, ip_address_ids } = host;
      const second = await mintPort(organizationId, host, 80);
      const third = await mintPort(organizationId, host, 81);
      const bound = [host.port_id, second].flatMap((port_id) =>
        ip_address_ids.map((ip_address_id) => ({ port_id, ip_address_id })),
      );
      for (const values of [...bound, { port_id: third, ip_address_id: null }]) {
        const id = await mintBinding(organizationId, host, values);
        bindings.push({ id, service_id, network_id: network.id, ...values });
      }
    }
  }
  return { keys, bindings };
}

test("filters, alone and combined, select exactly the bindings that match all of the ids", async () => {
  const api = openApi();
  const { keys, bindings } = await mintAssortment();
  const [, chosen] = bindings;
  for (const selection of selections) {
    const expected = bindings.filter((binding) =>
      selection.every((name) => binding[name] === chosen?.[name]),
    );
    for (const limit of [1000, 0]) {
      const query = new URLSearchParams({ limit: String(limit) });
      for (const name of selection) {
        query.set(name, chosen?.[name] ?? "");
      }
      const answer = await api.send("GET", `/api/v1/bindings?${query}`, { key: keys.viewer });
      expect(answer, String(query)).toMatchObject({
        status: 200,
        body: { meta: { pagination: { total_count: expected.length } } },
      });
      const ids = listed(answer.body).map(({ id }) => id);
      expect(ids.sort(), String(query)).toEqual(expected.map(({ id }) => id).sort());
    }
  }
  expect(await api.calls()).toBe(selections.length * 2);
});

test("contradictory filters match nothing", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await mintBinding(organizationId, networks[0]);
  await mintBinding(organizationId, networks[1]);
  const query = `service_id=${networks[0].service_id}&network_id=${networks[1].id}`;
  const answer = await api.send("GET", `/api/v1/bindings?${query}`, { key: keys.viewer });
  expect(answer).toMatchObject({
    status: 200,
    body: { data: [], meta: { pagination: { total_count: 0 } } },
  });
});

test("accepts an id in upper case", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const id = await mintBinding(organizationId, networks[0]);
  const query = `service_id=${networks[0].service_id.toUpperCase()}`;
  const answer = await api.send("GET", `/api/v1/bindings?${query}`, { key: keys.viewer });
  expect(answer).toMatchObject({ status: 200, body: { data: [{ id }] } });
});

const { query: schema } = routeOf("GET /api/v1/bindings");

test.each(names)("rejects an invalid or repeated %s", (name) => {
  const id = crypto.randomUUID();
  for (const [value, message] of [
    ["", "must be a UUID"],
    ["1", "must be a UUID"],
    [`${id}0`, "must be a UUID"],
    [`{${id}}`, "must be a UUID"],
    [[id, id], "only once"],
  ] as const) {
    expect(schema && issuesOf(schema, { [name]: value })).toMatchObject([
      { path: name, message: expect.stringContaining(message) },
    ]);
  }
});

test("reports all invalid filters in one response", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const id = crypto.randomUUID();
  const query = `service_id=1&network_id=&port_id=${id}&port_id=${id}&at=now`;
  const answer = await api.send("GET", `/api/v1/bindings?${query}`, { key: keys.viewer });
  const parameters = ["service_id", "network_id", "port_id", "at"];
  expect(seen(answer)).toEqual(invalidAt(...parameters.map((name) => `query.${name}`)));
  expect(await api.calls()).toBe(1);
});
