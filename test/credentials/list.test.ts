import { beforeAll, expect, test } from "vitest";
import { invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  credentialsIn,
  putCredential,
  settingsOfTypes,
  updateOf,
} from "../helpers/credentials.ts";
import { issuesOf } from "../helpers/issues.ts";
import {
  mintCredential,
  mintKey,
  mintOrganization,
  type Organization,
} from "../helpers/organization.ts";
import { describePaging } from "../helpers/paging.ts";
import { routeOf } from "../helpers/routes.ts";

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

let organization: Organization;

beforeAll(async () => {
  organization = await mintTypes();
});

test.each([
  ...types.map((type) => ({ filter: `?type=${type}`, found: [type, type] })),
  { filter: "?type=Snmp", found: [...snmp, ...snmp] },
  { filter: "", found: [...types, ...types] },
])("the list with '$filter' contains $found", async ({ filter, found }) => {
  const api = openApi();
  const { keys } = organization;
  const answer = await api.send("GET", `/api/v1/credentials${filter}`, { key: keys.viewer });
  const listed = credentialsIn(answer).map(({ credential_type }) => credential_type.type);
  expect(listed.sort()).toEqual([...found].sort());
  expect(answer).toMatchObject({
    body: { meta: { pagination: { total_count: found.length, has_more: false } } },
  });
  expect(await api.calls()).toBe(1);
});

const { query: schema } = routeOf("GET /api/v1/credentials");

const allowedTypes = `must be one of ${types.join(", ")}, Snmp`;
const allowedFields = "must be one of created_at, updated_at, name, type";
const allowedDirections = "must be one of asc, desc";

/** Parameters with invalid values, and the expected message. */
const wrong = [
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
  ...["type", "group_by", "order_by", "order_direction"].map((parameter) => ({
    parameter,
    value: ["name", "name"],
    message: "must be given only once",
  })),
];

test.each(wrong)("rejects $parameter '$value' with the allowed values", (row) => {
  const { parameter: path, value, message } = row;
  expect(schema && issuesOf(schema, { [path]: value })).toMatchObject([{ path, message }]);
});

test("reports all invalid parameters of the list in one response", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const query = "type=Docker&group_by=id&order_by=&order_direction=asc&order_direction=asc";
  const answer = await api.send("GET", `/api/v1/credentials?${query}`, { key: keys.viewer });
  const parameters = ["type", "group_by", "order_by", "order_direction"];
  expect(seen(answer)).toEqual(invalidAt(...parameters.map((name) => `query.${name}`)));
  expect(await api.calls()).toBe(1);
});

describePaging("/api/v1/credentials", ({ id }, created_at) => mintCredential(id, { created_at }));

test.each(["", "?limit=0"])(
  "'%s' lists every credential for a key limited to specific networks, without assignments outside them",
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
