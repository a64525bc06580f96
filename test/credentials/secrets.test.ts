import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import {
  credentialIn,
  credentialsIn,
  filePath,
  inline,
  masked,
  openCredential,
  sealedSecrets,
  snmpV3,
} from "../helpers/credentials.ts";
import { pem } from "../helpers/pem.ts";
import { changingNothing } from "../helpers/rows.ts";

test.each([
  { type: { type: "SnmpV1", community: inline("public-1") }, fields: ["community"] },
  { type: { type: "SnmpV2c", community: inline("public-2") }, fields: ["community"] },
  { type: snmpV3, fields: ["auth_password", "priv_password"] },
  { type: { type: "DockerProxy", ssl_key: inline(pem.ecKey) }, fields: ["ssl_key"] },
])(
  "the secrets of $type.type are masked in every response, and sending the mask keeps them",
  async (row) => {
    const { api, id, keys, put } = await openCredential();
    const masks = Object.fromEntries(row.fields.map((field) => [field, masked]));
    const written = credentialIn(await put(row.type));
    expect(written.credential_type).toMatchObject(masks);
    const sealed = await sealedSecrets(id);
    expect(Object.keys(sealed).sort()).toEqual(row.fields);
    const again = credentialIn(await put({ ...row.type, ...masks }));
    expect(again.credential_type).toEqual(written.credential_type);
    expect(await sealedSecrets(id)).toEqual(sealed);
    for (const query of ["", "?limit=0", `?type=${row.type.type}`]) {
      const list = await api.send("GET", `/api/v1/credentials${query}`, { key: keys.viewer });
      expect(credentialsIn(list)).toEqual([again]);
    }
  },
);

test("seals a new secret, and keeps masked secrets unchanged", async () => {
  const { id, put } = await openCredential();
  credentialIn(await put(snmpV3));
  const before = await sealedSecrets(id);
  credentialIn(
    await put({ ...snmpV3, auth_password: masked, priv_password: inline("other-priv") }),
  );
  const after = await sealedSecrets(id);
  expect(after).toEqual({ ...before, priv_password: expect.any(String) });
  expect(after["priv_password"]).not.toBe(before["priv_password"]);
});

test("seals the same secret again when it is sent again", async () => {
  const { id, put } = await openCredential();
  credentialIn(await put(snmpV3));
  const before = await sealedSecrets(id);
  credentialIn(await put(snmpV3));
  const after = await sealedSecrets(id);
  expect(Object.keys(after).sort()).toEqual(["auth_password", "priv_password"]);
  expect(after["auth_password"]).not.toBe(before["auth_password"]);
  expect(after["priv_password"]).not.toBe(before["priv_password"]);
});

test("keeps the secrets of a type when its other fields change", async () => {
  const { id, put } = await openCredential();
  credentialIn(await put(snmpV3));
  const sealed = await sealedSecrets(id);
  const changed = {
    ...snmpV3,
    security_name: "somebody-else",
    auth_protocol: "Sha1",
    auth_password: masked,
    priv_password: masked,
    context_name: "core",
  };
  expect(credentialIn(await put(changed)).credential_type).toEqual(changed);
  expect(await sealedSecrets(id)).toEqual(sealed);
});

test.each([
  {
    name: "a file replaces it",
    before: { type: "SnmpV1", community: inline("public-1") },
    after: { type: "SnmpV1", community: filePath("/etc/community") },
    left: [],
  },
  {
    name: "a file replaces one of two",
    before: snmpV3,
    after: { ...snmpV3, auth_password: masked, priv_password: filePath("/etc/priv") },
    left: ["auth_password"],
  },
  {
    name: "its field becomes null",
    before: { type: "DockerProxy", ssl_key: inline(pem.ecKey) },
    after: { type: "DockerProxy", ssl_key: null },
    left: [],
  },
  {
    name: "its field is omitted",
    before: { type: "DockerProxy", ssl_key: inline(pem.ecKey) },
    after: { type: "DockerProxy" },
    left: [],
  },
  {
    name: "the type changes",
    before: snmpV3,
    after: { type: "SnmpV1", community: inline("public-1") },
    left: ["community"],
  },
  { name: "the new type has none", before: snmpV3, after: { type: "DockerSocket" }, left: [] },
])("deletes the sealed secret when $name", async ({ before, after, left }) => {
  const { id, put } = await openCredential();
  credentialIn(await put(before));
  expect(Object.keys(await sealedSecrets(id))).not.toEqual([]);
  credentialIn(await put(after));
  expect(Object.keys(await sealedSecrets(id))).toEqual(left);
});

const nothingToKeep = "is a mask, but there is no stored secret to keep: send the secret itself";

test.each([
  {
    name: "no secret was ever stored",
    before: { type: "DockerSocket" },
    after: { type: "SnmpV1", community: masked },
    fields: ["community"],
  },
  {
    name: "the type changes to one with the same field",
    before: { type: "SnmpV1", community: inline("public-1") },
    after: { type: "SnmpV2c", community: masked },
    fields: ["community"],
  },
  {
    name: "the field holds a path",
    before: { type: "SnmpV1", community: filePath("/etc/community") },
    after: { type: "SnmpV1", community: masked },
    fields: ["community"],
  },
  {
    name: "the field is null",
    before: { type: "DockerProxy", ssl_key: null },
    after: { type: "DockerProxy", ssl_key: masked },
    fields: ["ssl_key"],
  },
  {
    name: "only the other field holds a secret",
    before: { ...snmpV3, auth_password: filePath("/auth") },
    after: { ...snmpV3, auth_password: masked, priv_password: masked },
    fields: ["auth_password"],
  },
  {
    name: "neither field holds a secret",
    before: { ...snmpV3, auth_password: filePath("/auth"), priv_password: filePath("/priv") },
    after: { ...snmpV3, auth_password: masked, priv_password: masked },
    fields: ["auth_password", "priv_password"],
  },
])("rejects the mask when $name", async ({ before, after, fields }) => {
  const { api, organization_id, put } = await openCredential();
  credentialIn(await put(before));
  const calls = await api.calls();
  const answer = await changingNothing(organization_id, () => put(after));
  const issues = fields.map((field) => ({
    path: `body.credential_type.${field}.value`,
    message: nothingToKeep,
    code: "custom",
  }));
  expect(seen(answer)).toEqual(failed("validation_failed", { issues, issue_count: issues.length }));
  expect((await api.calls()) - calls).toBe(1);
});

test.each(["*******", "*********", "********\n"])("%j is a secret, not a mask", async (secret) => {
  const { id, put } = await openCredential();
  const answer = await put({ type: "SnmpV1", community: inline(secret) });
  expect(credentialIn(answer).credential_type).toEqual({ type: "SnmpV1", community: masked });
  expect(Object.keys(await sealedSecrets(id))).toEqual(["community"]);
});
