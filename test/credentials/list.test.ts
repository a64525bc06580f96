import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  credentialsIn,
  putCredential,
  settingsOfTypes,
  updateOf,
} from "../helpers/credentials.ts";
import { mintCredential, mintKey, mintOrganization } from "../helpers/organization.ts";

const types = Object.keys(settingsOfTypes);
const snmp = ["SnmpV1", "SnmpV2c", "SnmpV3"];

/** An organization with two credentials of each type. */
async function mintTypes() {
  const organization = await mintOrganization();
  for (const values of [...Object.values(settingsOfTypes), ...Object.values(settingsOfTypes)]) {
    await mintCredential(organization.id, { settings: values });
  }
  return organization;
}

test.each([
  ...types.map((type) => ({ filter: `?type=${type}`, found: [type, type] })),
  { filter: "?type=Snmp", found: [...snmp, ...snmp] },
  { filter: "", found: [...types, ...types] },
])("the list with '$filter' shows $found", async ({ filter, found }) => {
  const api = openApi();
  const { keys } = await mintTypes();
  const answer = await api.send("GET", `/api/v1/credentials${filter}`, { key: keys.viewer });
  const shown = credentialsIn(answer).map(({ credential_type }) => credential_type.type);
  expect(shown.sort()).toEqual([...found].sort());
  expect(answer).toMatchObject({
    body: { meta: { pagination: { total_count: found.length, has_more: false } } },
  });
  expect(await api.calls()).toBe(1);
});

const allowedTypes = "must be one of SnmpV1, SnmpV2c, SnmpV3, DockerProxy, DockerSocket, Snmp";
const allowedFields = "must be one of created_at, updated_at, name, type";
const allowedDirections = "must be one of asc, desc";

test.each([
  ...[
    "",
    "snmp",
    "snmpv1",
    "Snmp ",
    "SnmpV1,SnmpV2c",
    "Docker",
    "toString",
    "__proto__",
    "null",
  ].map((value) => ({ parameter: "type", value, message: allowedTypes })),
  ...["", "id", "Name", "credential_type", "name,type", "constructor"].flatMap((value) => [
    { parameter: "group_by", value, message: allowedFields },
    { parameter: "order_by", value, message: allowedFields },
  ]),
  ...["", "ASC", "descending", "1"].map((value) => ({
    parameter: "order_direction",
    value,
    message: allowedDirections,
  })),
])("$parameter '$value' is refused with what is allowed", async (row) => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const query = new URLSearchParams({ [row.parameter]: row.value });
  const answer = await api.send("GET", `/api/v1/credentials?${query}`, { key: keys.viewer });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      success: false,
      code: "validation_failed",
      params: { issues: [{ path: `query.${row.parameter}`, message: row.message }] },
    },
  });
  expect(await api.calls()).toBe(1);
});

test.each(["type=Snmp", "group_by=name", "order_by=name", "order_direction=asc", "limit=1"])(
  "%s given twice is refused",
  async (pair) => {
    const api = openApi();
    const { keys } = await mintOrganization();
    const path = `/api/v1/credentials?${pair}&${pair}`;
    expect(await api.send("GET", path, { key: keys.viewer })).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        params: {
          issues: [{ path: `query.${pair.split("=")[0]}`, message: "must be given only once" }],
        },
      },
    });
  },
);

test.each([
  { query: "", shown: [0, 5], limit: 50, offset: 0, has_more: false },
  { query: "?limit=2", shown: [0, 2], limit: 2, offset: 0, has_more: true },
  { query: "?limit=2&offset=2", shown: [2, 4], limit: 2, offset: 2, has_more: true },
  { query: "?limit=2&offset=4", shown: [4, 5], limit: 2, offset: 4, has_more: false },
  { query: "?limit=2&offset=3", shown: [3, 5], limit: 2, offset: 3, has_more: false },
  { query: "?limit=5", shown: [0, 5], limit: 5, offset: 0, has_more: false },
  { query: "?limit=4", shown: [0, 4], limit: 4, offset: 0, has_more: true },
  { query: "?limit=1000&offset=1", shown: [1, 5], limit: 1000, offset: 1, has_more: false },
  { query: "?offset=5", shown: [5, 5], limit: 50, offset: 5, has_more: false },
  { query: "?offset=2147483647", shown: [5, 5], limit: 50, offset: 2147483647, has_more: false },
  { query: "?limit=0", shown: [0, 5], limit: 0, offset: 0, has_more: false },
  { query: "?limit=0&offset=3", shown: [3, 5], limit: 0, offset: 3, has_more: false },
  { query: "?limit=0&offset=5", shown: [5, 5], limit: 0, offset: 5, has_more: false },
  {
    query: "?limit=0&offset=2147483647",
    shown: [5, 5],
    limit: 0,
    offset: 2147483647,
    has_more: false,
  },
])("of five credentials, '$query' shows $shown", async ({ query, shown, ...pagination }) => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  const ids: string[] = [];
  for (let minute = 0; minute < 5; minute++) {
    ids.push(await mintCredential(id, { created_at: `2026-01-01T00:0${minute}:00.000Z` }));
  }
  const answer = await api.send("GET", `/api/v1/credentials${query}`, { key: keys.viewer });
  expect(credentialsIn(answer).map((one) => one.id)).toEqual(ids.slice(...shown));
  expect(answer).toHaveProperty("body.meta", {
    api_version: 1,
    server_version: packageJson.version,
    pagination: { total_count: 5, ...pagination },
  });
  expect(await api.calls()).toBe(1);
});

test.each(["", "?limit=0", "?type=Snmp", "?limit=0&offset=3"])(
  "an organization without credentials gets an empty list for '%s'",
  async (query) => {
    const api = openApi();
    const { keys } = await mintOrganization();
    const answer = await api.send("GET", `/api/v1/credentials${query}`, { key: keys.viewer });
    expect(credentialsIn(answer)).toEqual([]);
    expect(answer).toMatchObject({
      body: { meta: { pagination: { total_count: 0, has_more: false } } },
    });
  },
);

test.each(["", "?limit=0"])("'%s' shows no other organization's credentials", async (query) => {
  const api = openApi();
  const [own, other] = [await mintOrganization(), await mintOrganization()];
  const id = await mintCredential(own.id);
  await mintCredential(other.id);
  const answer = await api.send("GET", `/api/v1/credentials${query}`, { key: own.keys.owner });
  expect(credentialsIn(answer).map((one) => one.id)).toEqual([id]);
  expect(answer).toMatchObject({ body: { meta: { pagination: { total_count: 1 } } } });
});

test.each(["", "?limit=0"])(
  "'%s' shows every credential to a key limited to networks, without what it does not reach",
  async (query) => {
    const api = openApi();
    const { id: organization_id, keys, networks } = await mintOrganization();
    const [inside, outside] = networks;
    const assigned = await mintCredential(organization_id);
    const sent = updateOf(organization_id, {
      assigned_network_ids: [outside.id],
      host_assignments: [{ host_id: outside.host_id, ip_address_ids: [outside.ip_address_ids[0]] }],
    });
    const written = credentialIn(await putCredential(api, keys.admin, assigned, sent));
    for (const reached of [[inside.id], []]) {
      const key = await mintKey(organization_id, { role: "Viewer" }, reached);
      const answer = await api.send("GET", `/api/v1/credentials${query}`, { key });
      expect(credentialsIn(answer)).toEqual([
        { ...written, assigned_network_ids: [], host_assignments: [] },
      ]);
    }
  },
);
