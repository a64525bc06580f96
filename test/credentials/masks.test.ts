import { expect, test } from "vitest";
import {
  credentialIn,
  filePath,
  inline,
  masked,
  openCredential,
  sealedSecrets,
  snmpV3,
} from "../helpers/credentials.ts";
import { pem } from "../helpers/pem.ts";
import { rowsOf } from "../helpers/rows.ts";

const nothingToKeep = "there is no stored secret to keep here: send the secret itself";

test.each([
  {
    name: "nothing was ever stored",
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
])("the mask is refused when $name", async ({ before, after, fields }) => {
  const { api, organization_id, put } = await openCredential();
  credentialIn(await put(before));
  const rows = await rowsOf(organization_id);
  const calls = await api.calls();
  const answer = await put(after);
  expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(answer).toHaveProperty(
    "body.params.issues",
    fields.map((field) => ({
      path: `body.credential_type.${field}.value`,
      message: nothingToKeep,
      code: "custom",
    })),
  );
  expect(await rowsOf(organization_id)).toEqual(rows);
  expect((await api.calls()) - calls).toBe(1);
});

test.each(["ssl_cert", "ssl_chain"])("the mask is refused for %s, no secret", async (field) => {
  const { organization_id, put } = await openCredential();
  const stored = { type: "DockerProxy", [field]: inline(pem.certificate) };
  credentialIn(await put(stored));
  const rows = await rowsOf(organization_id);
  expect(await put({ ...stored, [field]: masked })).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: { issues: [{ path: `body.credential_type.${field}.value`, code: "custom" }] },
    },
  });
  expect(await rowsOf(organization_id)).toEqual(rows);
});

test.each(["*******", "*********", "********\n"])("%j is a secret and no mask", async (secret) => {
  const { id, put } = await openCredential();
  const answer = await put({ type: "SnmpV1", community: inline(secret) });
  expect(credentialIn(answer).credential_type).toEqual({ type: "SnmpV1", community: masked });
  expect(Object.keys(await sealedSecrets(id))).toEqual(["community"]);
});
