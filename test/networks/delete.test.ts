import { expect, test } from "vitest";
import { failed, invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, mintHost, mintOrganization } from "../helpers/organization.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";
import { callerOf, etagOf, networkKind, recordIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

async function open() {
  const organization = await mintOrganization();
  const api = openApi();
  const key = organization.keys.admin;
  return { organization, api, key, ...callerOf(api, key, networkKind) };
}

test("refuses to delete a network with hosts or daemons, and reports how many it has", async () => {
  const { organization, remove } = await open();
  const [{ id }, other] = organization.networks;
  await mintHost(organization.id, id);
  await mintDaemon(organization.id, id);
  await changingNothing(organization.id, async () => {
    const both = { entity: "Network", id, used_by: { hosts: 2, daemons: 1 } };
    expect(seen(await remove(id))).toEqual(failed("entity_in_use", both));
    const hosts = { entity: "Network", id: other.id, used_by: { hosts: 1 } };
    expect(seen(await remove(other.id))).toEqual(failed("entity_in_use", hosts));
  });
  await sql`delete from hosts where organization_id = ${organization.id}`;
  const daemons = { entity: "Network", id, used_by: { daemons: 1 } };
  expect(seen(await remove(id))).toEqual(failed("entity_in_use", daemons));
  expect(seen(await remove(other.id))).toEqual(succeeded({}));
});

test("cascade=false has the same effect as omitting it", async () => {
  const { organization, api, key } = await open();
  const path = `/api/v1/networks/${organization.networks[0].id}`;
  const answer = await changingNothing(organization.id, () =>
    api.send("DELETE", `${path}?cascade=false`, { key }),
  );
  expect(answer).toMatchObject({ status: 409, body: { code: "entity_in_use" } });
});

test.each(["", "1", "TRUE", "yes", "true&cascade=true"])(
  "rejects cascade=%s, and deletes nothing",
  async (value) => {
    const { organization, api, key } = await open();
    const path = `/api/v1/networks/${organization.networks[0].id}?cascade=${value}`;
    const answer = await changingNothing(organization.id, () => api.send("DELETE", path, { key }));
    expect(seen(answer)).toEqual(invalidAt("query.cascade"));
  },
);

test("cascade=true deletes the records of the network, and keeps its bindings in history", async () => {
  const organization = await mintPopulatedOrganization();
  const { id, records, keys, networks } = organization;
  const [live] = await sql`
    select service_id, valid_from from bindings where organization_id = ${id}`;
  const answer = await openApi().send(
    "DELETE",
    `/api/v1/networks/${records.networks}?cascade=true`,
    {
      key: keys.admin,
    },
  );
  expect(seen(answer)).toEqual(succeeded({}));
  for (const table of ["hosts", "daemons", "services", "ports", "ip_addresses"]) {
    const live = table === "daemons" ? "" : "and valid_to is null";
    const left = await sql.query(
      `select network_id from ${table} where organization_id = $1 ${live}`,
      [id],
    );
    expect(left.filter(({ network_id }) => network_id === records.networks)).toEqual([]);
  }
  const [other] = await sql`select count(*)::int from hosts where network_id = ${networks[1].id}`;
  expect(other).toEqual({ count: 1 });
  const bindings = await sql`
    select service_id, network_id, valid_to is not null as is_closed from bindings
    where organization_id = ${id}`;
  expect(bindings).toEqual([
    { service_id: live?.["service_id"], network_id: records.networks, is_closed: true },
  ]);
  const query = `network_id=${records.networks}&at=${live?.["valid_from"]}`;
  const history = await openApi().send("GET", `/api/v1/bindings?${query}`, { key: keys.viewer });
  expect(history).toMatchObject({
    status: 200,
    body: { data: [{ network_id: records.networks }] },
  });
});

test("cascade=true with a stale If-Match changes nothing", async () => {
  const { organization, api, key, read } = await open();
  const [{ id }] = organization.networks;
  const etag = etagOf(await read(id));
  const path = `/api/v1/networks/${id}?cascade=true`;
  const headers = { "If-Match": '"0-0"' };
  const answer = await changingNothing(organization.id, () =>
    api.send("DELETE", path, { key, headers }),
  );
  expect(seen(answer)).toEqual(failed("precondition_failed", { etag }));
});

test("a bulk delete that contains a network in use does not delete any network", async () => {
  const { organization, create, removeMany } = await open();
  const [{ id }] = organization.networks;
  const empty = recordIn(await create({ name: "Empty" }), 201).id;
  const answer = await changingNothing(organization.id, () => removeMany([empty, id]));
  const params = { entity: "Network", id, used_by: { hosts: 1 } };
  expect(seen(answer)).toEqual(failed("entity_in_use", params));
  expect(seen(await removeMany([empty]))).toEqual(
    succeeded({ requested_count: 1, deleted_count: 1 }),
  );
});

test("returns 404 for an unknown network, instead of saying that it is in use", async () => {
  const { remove } = await open();
  const other = await mintOrganization();
  for (const id of [other.networks[0].id, crypto.randomUUID()]) {
    expect(seen(await remove(id))).toEqual(failed("entity_not_found", { entity: "Network", id }));
  }
});
