import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const someId = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

test.each([
  { where: "the credential", json: (text: string) => text.replace("{", '{"__proto__":{"a":1},') },
  {
    where: "an assignment",
    json: (text: string) =>
      text.replace(
        '"host_assignments":[]',
        `"host_assignments":[{"host_id":"${someId}","__proto__":{"ip_address_ids":[]}}]`,
      ),
  },
  {
    where: "the type",
    json: (text: string) => text.replace('{"type":', '{"__proto__":{"port":1},"type":'),
  },
  {
    where: "a secret",
    json: (text: string) =>
      text.replace(
        '{"type":"DockerSocket"}',
        '{"type":"SnmpV1","community":{"mode":"Inline","value":"x","__proto__":null}}',
      ),
  },
])("__proto__ in $where is a field like any other, and refused", async ({ json }) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const before = await rowsOf(organization_id);
  const answer = await api.send("PUT", `/api/v1/credentials/${id}`, {
    key: keys.admin,
    headers: { "Content-Type": "application/json" },
    body: json(JSON.stringify(updateOf(organization_id))),
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: {
        issues: [
          {
            path: expect.stringMatching(/\.__proto__$/),
            message: "is not a field of this request",
          },
        ],
      },
    },
  });
  expect(await rowsOf(organization_id)).toEqual(before);
});

test.each(["null", "[]", '"Test"', "7", "true"])("the body %s is refused", async (body) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const answer = await api.send("PUT", `/api/v1/credentials/${id}`, {
    key: keys.admin,
    headers: { "Content-Type": "application/json" },
    body,
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: "validation_failed", params: { issues: [{ path: "body" }] } },
  });
});

test.each(["", "{", "{'name': 1}", '{"name":"Te', "undefined"])(
  "the body %j is refused as malformed",
  async (body) => {
    const api = openApi();
    const { id: organization_id, keys } = await mintOrganization();
    const id = await mintCredential(organization_id);
    const answer = await api.send("PUT", `/api/v1/credentials/${id}`, {
      key: keys.admin,
      headers: { "Content-Type": "application/json" },
      body,
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "request_malformed_json", params: {} },
    });
    expect(await api.calls()).toBe(1);
  },
);
