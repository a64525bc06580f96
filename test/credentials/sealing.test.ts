import { expect, test } from "vitest";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { KeyRing } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  inline,
  masked,
  putCredential,
  sealedSecrets,
  updateOf,
} from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";

const ringOf = (keys: string) => new KeyRing(parseSealingKeys(keys));

const placeOf = (organization_id: string, id: string, field: string) =>
  ({ record: "credential", organization_id, id, field }) as const;

const snmpV3 = {
  type: "SnmpV3",
  security_name: "inventory",
  auth_protocol: "Sha256",
  auth_password: inline("auth-password-ü🔑"),
  priv_protocol: "Aes256",
  priv_password: inline("priv-password"),
};

test("a sealed secret can be opened only for its own credential and field", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const other = await mintCredential(organization_id);
  const sent = updateOf(organization_id, { credential_type: snmpV3 });
  credentialIn(await putCredential(api, keys.admin, id, sent));
  const { auth_password = "", priv_password = "" } = await sealedSecrets(id);
  const ring = ringOf(demoSealingKeys);
  expect(await ring.open(auth_password, placeOf(organization_id, id, "auth_password"))).toBe(
    "auth-password-ü🔑",
  );
  expect(await ring.open(priv_password, placeOf(organization_id, id, "priv_password"))).toBe(
    "priv-password",
  );
  await expect(
    ring.open(auth_password, placeOf(organization_id, id, "priv_password")),
  ).rejects.toThrow();
  await expect(
    ring.open(auth_password, placeOf(organization_id, other, "auth_password")),
  ).rejects.toThrow();
  await expect(ring.open(auth_password, placeOf(other, id, "auth_password"))).rejects.toThrow();
  await expect(
    ring.open(auth_password, {
      record: "daemon",
      organization_id,
      id,
      field: "auth_password",
      origin: "https://daemon.example.com",
    }),
  ).rejects.toThrow();
});

test("secrets sent with an uppercase id in the path are sealed for the same credential", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, { credential_type: snmpV3 });
  credentialIn(await putCredential(api, keys.admin, id.toUpperCase(), sent));
  const { priv_password = "" } = await sealedSecrets(id);
  const opened = ringOf(demoSealingKeys).open(
    priv_password,
    placeOf(organization_id, id, "priv_password"),
  );
  expect(await opened).toBe("priv-password");
});

test("an altered sealed secret cannot be opened", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, { credential_type: snmpV3 });
  credentialIn(await putCredential(api, keys.admin, id, sent));
  const { priv_password = "" } = await sealedSecrets(id);
  const middle = Math.floor(priv_password.length / 2);
  const altered =
    priv_password.slice(0, middle) +
    (priv_password.charAt(middle) === "A" ? "B" : "A") +
    priv_password.slice(middle + 1);
  await expect(
    ringOf(demoSealingKeys).open(altered, placeOf(organization_id, id, "priv_password")),
  ).rejects.toThrow();
});

test("with a new first key, old secrets can still be opened, and new ones are sealed with the new key", async () => {
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const put = (api: ReturnType<typeof openApi>, credential_type: unknown) =>
    putCredential(api, keys.admin, id, updateOf(organization_id, { credential_type }));
  credentialIn(await put(openApi(), snmpV3));
  const before = await sealedSecrets(id);

  const newKey = `second:${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
  const rotated = openApi({ SEALING_KEYS: `${newKey},${demoSealingKeys}` });
  const changed = { ...snmpV3, auth_password: masked, priv_password: inline("new-password") };
  credentialIn(await put(rotated, changed));
  const after = await sealedSecrets(id);

  expect(after).toEqual({ ...before, priv_password: expect.stringMatching(/^second\./) });
  const ring = ringOf(`${newKey},${demoSealingKeys}`);
  const { auth_password = "", priv_password = "" } = after;
  expect(await ring.open(auth_password, placeOf(organization_id, id, "auth_password"))).toBe(
    "auth-password-ü🔑",
  );
  expect(await ring.open(priv_password, placeOf(organization_id, id, "priv_password"))).toBe(
    "new-password",
  );
  const priv = ringOf(newKey).open(priv_password, placeOf(organization_id, id, "priv_password"));
  expect(await priv).toBe("new-password");
  const withoutNew = async () =>
    ringOf(demoSealingKeys).open(priv_password, placeOf(organization_id, id, "priv_password"));
  await expect(withoutNew()).rejects.toThrow();
});
