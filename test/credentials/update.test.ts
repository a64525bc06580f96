import { expect, test } from "vitest";
import { failed, invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  inline,
  putCredential,
  readCredential,
  updateOf,
} from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

test("an update sets updated_at and keeps created_at", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const created_at = "2020-02-29T00:00:00.000Z";
  const id = await mintCredential(organization_id, { created_at, updated_at: created_at });
  const now = async () => {
    const [row] = await sql`select floor(extract(epoch from clock_timestamp()) * 1000) as now`;
    return Number(row?.["now"]);
  };
  const before = await now();
  const { updated_at, ...rest } = credentialIn(
    await putCredential(api, keys.admin, id, updateOf(organization_id)),
  );
  expect(rest).toMatchObject({ created_at });
  expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(updated_at)).toBeLessThanOrEqual((await now()) + 1);
});

test("a PUT replaces the whole credential", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [first, second] = networks;
  const id = await mintCredential(organization_id);
  const full = {
    name: "Before",
    tags: [tags[0]],
    assigned_network_ids: [first.id],
    host_assignments: [{ host_id: first.host_id, ip_address_ids: [first.ip_address_ids[0]] }],
    credential_type: { type: "SnmpV1", community: inline("public-1") },
  };
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, full)));
  const changed = {
    name: "After",
    tags: [tags[1]],
    assigned_network_ids: [second.id],
    host_assignments: [
      { host_id: first.host_id, ip_address_ids: [first.ip_address_ids[1]] },
      { host_id: second.host_id, ip_address_ids: null },
    ].sort((a, b) => (a.host_id < b.host_id ? -1 : 1)),
    credential_type: { type: "DockerSocket" },
  };
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, changed));
  expect(seen(answer)).toEqual(succeeded(expect.objectContaining(changed)));
  const emptied = { tags: [], assigned_network_ids: [], host_assignments: [] };
  const last = await putCredential(api, keys.admin, id, updateOf(organization_id));
  expect(seen(last)).toEqual(succeeded(expect.objectContaining(emptied)));
});

test("an update does not change the organization's other credentials", async () => {
  const api = openApi();
  const { id: organization_id, keys, tags } = await mintOrganization();
  const [id, other] = [
    await mintCredential(organization_id),
    await mintCredential(organization_id),
  ];
  const sent = { tags, credential_type: { type: "SnmpV1", community: inline("public-1") } };
  credentialIn(await putCredential(api, keys.admin, other, updateOf(organization_id, sent)));
  const before = await readCredential(api, keys.admin, other);
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id)));
  expect(await readCredential(api, keys.admin, other)).toEqual(before);
});

const someId = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

test("reports all issues with the path and the body in one response, and changes nothing", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const sent = {
    name: "",
    tags: [someId, someId],
    credential_type: { type: "SnmpV1", community: inline("") },
    colour: "red",
  };
  const answer = await changingNothing(organization_id, () =>
    putCredential(api, keys.admin, "x", updateOf(organization_id, sent)),
  );
  const paths = ["name", "tags[1]", "credential_type.community.value", "colour"];
  expect(seen(answer)).toEqual(invalidAt("path.id", ...paths.map((path) => `body.${path}`)));
  expect(await api.calls()).toBe(1);
});

test("rejects __proto__ in the body like any other unknown field", async () => {
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const body = JSON.stringify(updateOf(organization_id)).replace("{", '{"__proto__":{"a":1},');
  const answer = await openApi().send("PUT", `/api/v1/credentials/${id}`, {
    key: keys.admin,
    headers: { "Content-Type": "application/json" },
    body,
  });
  expect(seen(answer)).toEqual(invalidAt("body.__proto__"));
});

test("rejects the id of another credential in the body", async () => {
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, { id: someId });
  const answer = await changingNothing(organization_id, () =>
    putCredential(openApi(), keys.admin, id, sent),
  );
  expect(seen(answer)).toEqual(invalidAt("body.id"));
});

test("accepts and ignores response-only fields", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const created_at = "2026-01-02T03:04:05.678Z";
  const id = await mintCredential(organization_id, { created_at });
  for (const sent of [
    { id: id.toUpperCase(), created_at: null, updated_at: { a: ["\0"] } },
    { id, created_at: "2000-01-01T00:00:00Z", updated_at: "2000-01-01T00:00:00Z" },
    {},
  ]) {
    const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, sent));
    const { updated_at, ...rest } = credentialIn(answer);
    expect(rest).toMatchObject({ id, created_at });
    expect(updated_at).not.toBe("2000-01-01T00:00:00.000Z");
  }
});

test("returns 404 for a credential that has been deleted", async () => {
  const { id: organization_id, keys } = await mintOrganization();
  const api = openApi();
  const sent = updateOf(organization_id);
  const created = await api.send("POST", "/api/v1/credentials", { key: keys.owner, json: sent });
  expect(created).toMatchObject({ status: 201 });
  const { id } = (created.body as { data: { id: string } }).data;
  expect(await api.send("DELETE", `/api/v1/credentials/${id}`, { key: keys.owner })).toMatchObject({
    status: 200,
  });
  const answer = await putCredential(api, keys.owner, id, sent);
  expect(seen(answer)).toEqual(failed("entity_not_found", { entity: "Credential", id }));
});

test("returns 404 for an unknown credential", async () => {
  const { id: organization_id, keys } = await mintOrganization();
  const id = crypto.randomUUID();
  const sent = updateOf(organization_id);
  const answer = await putCredential(openApi(), keys.owner, id.toUpperCase(), sent);
  expect(seen(answer)).toEqual(failed("entity_not_found", { entity: "Credential", id }));
});
