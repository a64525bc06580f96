import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialIn, inline, masked, putCredential, updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

/** Updates of a credential that the caller does not have. None may tell whether it exists. */
const updates = [
  { what: "that is right", changes: {} },
  { what: "with a wrong reference", changes: { tags: [crypto.randomUUID()] } },
  {
    what: "of another organization's",
    changes: { organization_id: crypto.randomUUID() },
  },
  {
    what: "that keeps a secret",
    changes: { credential_type: { type: "SnmpV1", community: masked } },
  },
];

test.each(updates)("an update $what finds no credential of others, nor of nobody", async (row) => {
  const api = openApi();
  const own = await mintOrganization();
  const other = await mintOrganization();
  const others = await mintCredential(other.id);
  const stored = { credential_type: { type: "SnmpV1", community: inline("public-1") } };
  credentialIn(
    await putCredential(openApi(), other.keys.admin, others, updateOf(other.id, stored)),
  );
  const before = [await rowsOf(own.id), await rowsOf(other.id)];
  const answers = [];
  for (const id of [others, crypto.randomUUID()]) {
    const answer = await putCredential(api, own.keys.admin, id, updateOf(own.id, row.changes));
    expect(answer).toMatchObject({
      status: 404,
      body: {
        success: false,
        code: "entity_not_found",
        error: expect.any(String),
        params: { entity: "Credential", id },
      },
    });
    answer.headers.delete("X-Request-Id");
    answers.push([answer.text.replaceAll(id, "ID"), [...answer.headers]]);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect([await rowsOf(own.id), await rowsOf(other.id)]).toEqual(before);
  expect(await api.calls()).toBe(2);
});

test("a credential that was deleted is not found", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = crypto.randomUUID().toUpperCase();
  const answer = await putCredential(api, keys.owner, id, updateOf(organization_id));
  expect(answer).toMatchObject({
    status: 404,
    body: { code: "entity_not_found", params: { entity: "Credential", id: id.toLowerCase() } },
  });
});

test.each(["viewer", "member"] as const)("a %s may not update, found or not", async (role) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const before = await rowsOf(organization_id);
  const answers = [];
  for (const [to, changes] of [
    [id, {}],
    [crypto.randomUUID(), {}],
    [id, { name: "" }],
    ["x", { tags: null }],
  ] as const) {
    const answer = await putCredential(api, keys[role], to, updateOf(organization_id, changes));
    expect(answer).toMatchObject({
      status: 403,
      body: { code: "auth_permission_denied", params: { required_role: "Admin" } },
    });
    answers.push(answer.text);
  }
  expect(new Set(answers).size).toBe(1);
  expect(await rowsOf(organization_id)).toEqual(before);
  expect(await api.calls()).toBe(4);
});

test.each(["admin", "owner"] as const)("an %s may update", async (role) => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, { name: "After" });
  expect(credentialIn(await putCredential(api, keys[role], id, sent))).toMatchObject({
    id,
    name: "After",
  });
});
