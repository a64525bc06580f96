import { eq } from "drizzle-orm";
import { expect } from "vitest";
import * as z from "zod";
import { credentialSecrets } from "../../src/database/tables/index.ts";
import { seen, succeeded } from "./answers.ts";
import { type Answer, type Api, openApi } from "./api.ts";
import { database } from "./database.ts";
import { mintCredential, mintOrganization } from "./organization.ts";

/** The body of an update without assignments. */
export const updateOf = (organization_id: string, changes: Record<string, unknown> = {}) => ({
  name: "Test",
  organization_id,
  external_id: null,
  metadata: {},
  tags: [],
  assigned_network_ids: [],
  host_assignments: [],
  credential_type: { type: "DockerSocket" },
  ...changes,
});

/** Updates a credential without checking the response. */
export const putCredential = (api: Api, key: string, id: string, json: unknown) =>
  api.send("PUT", `/api/v1/credentials/${id}`, { key, json });

const credential = z.strictObject({
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  name: z.string(),
  organization_id: z.string(),
  external_id: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  tags: z.array(z.string()),
  assigned_network_ids: z.array(z.string()),
  host_assignments: z.array(
    z.strictObject({ host_id: z.string(), ip_address_ids: z.array(z.string()).nullable() }),
  ),
  credential_type: z.looseObject({ type: z.string() }),
});
export type Credential = z.output<typeof credential>;

/** The credential in a response, which must be a success. */
export function credentialIn(answer: Answer): Credential {
  expect(seen(answer)).toEqual(succeeded());
  return z.object({ data: credential }).parse(answer.body).data;
}

/** The credentials in a response, which must be a successful response to a list request. */
export function credentialsIn(answer: Answer): Credential[] {
  expect(seen(answer)).toEqual(succeeded());
  return z.object({ data: z.array(credential) }).parse(answer.body).data;
}

/** Reads one credential through the API. */
export async function readCredential(api: Api, key: string, id: string): Promise<Credential> {
  const listed = credentialsIn(await api.send("GET", "/api/v1/credentials?limit=0", { key }));
  const match = listed.find((one) => one.id === id);
  if (!match) {
    throw new Error(`The list does not contain the credential ${id}.`);
  }
  return match;
}

/** Reads the sealed secrets of a credential, by field. */
export async function sealedSecrets(credentialId: string): Promise<Record<string, string>> {
  const rows = await database
    .select()
    .from(credentialSecrets)
    .where(eq(credentialSecrets.credential_id, credentialId));
  return Object.fromEntries(rows.map(({ field, sealed }) => [field, sealed]));
}

/** An inline secret or PEM, as a caller sends it. */
export const inline = (value: string) => ({ mode: "Inline", value });

/** The secret in sample requests. */
export const sentSecret = "a-community-nobody-may-see";

/** A secret in a file on the daemon's machine, as a caller sends it. */
export const filePath = (path: string) => ({ mode: "FilePath", path });

/** An inline secret as it appears in every response. */
export const masked = inline("********");

/** An SNMPv3 credential type with both its secrets inline. */
export const snmpV3 = {
  type: "SnmpV3",
  security_name: "inventory",
  auth_protocol: "Sha256",
  auth_password: inline("auth-password"),
  priv_protocol: "Aes256",
  priv_password: inline("priv-password"),
};

/** Creates a credential in a new organization, and returns a function that changes its type. */
export async function openCredential() {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const id = await mintCredential(organization_id);
  return {
    api,
    id,
    organization_id,
    keys,
    put: (credential_type: unknown) =>
      putCredential(api, keys.admin, id, updateOf(organization_id, { credential_type })),
  };
}

const stored = filePath("/etc/inventory/secret");

/** The stored settings of a credential of each type, with secrets in files, in the order of messages. */
export const settingsOfTypes = {
  SnmpV1: { type: "SnmpV1", community: stored },
  SnmpV2c: { type: "SnmpV2c", community: stored },
  SnmpV3: {
    type: "SnmpV3",
    security_name: "inventory",
    auth_protocol: "Sha256",
    auth_password: stored,
    priv_protocol: "Aes256",
    priv_password: stored,
    context_name: null,
  },
  Gnmi: {
    type: "Gnmi",
    port: 9339,
    username: "inventory",
    password: stored,
    tls: true,
    skip_verify: false,
  },
  DockerProxy: {
    type: "DockerProxy",
    port: 2375,
    path: null,
    ssl_cert: null,
    ssl_chain: null,
    ssl_key: null,
  },
  DockerSocket: { type: "DockerSocket" },
  PodmanProxy: {
    type: "PodmanProxy",
    port: 2375,
    path: null,
    ssl_cert: null,
    ssl_chain: null,
    ssl_key: null,
  },
  PodmanSocket: { type: "PodmanSocket", socket_path: "/run/podman/podman.sock" },
  UnifiApiKey: { type: "UnifiApiKey", port: 443, site: "default", api_key: stored },
  UnifiLocalAdmin: {
    type: "UnifiLocalAdmin",
    port: 8443,
    site: "attic",
    username: "inventory",
    password: stored,
  },
  InstantOnAccount: {
    type: "InstantOnAccount",
    username: "inventory@example.com",
    password: stored,
    site: null,
  },
  SshPassword: {
    type: "SshPassword",
    port: 22,
    username: "inventory",
    password: stored,
    script: "echo '{}'",
    timeout_seconds: 60,
    host_key_fingerprint: null,
  },
  SshKey: {
    type: "SshKey",
    port: 2222,
    username: "inventory",
    private_key: stored,
    passphrase: null,
    script: "echo '{}'",
    timeout_seconds: 240,
    host_key_fingerprint: "SHA256:uCbveABHG1n0gD3YJvfCDZHtNbke/dSuxj87RJ31jDc",
  },
  WakeOnLan: {
    type: "WakeOnLan",
    port: 9,
    wait_seconds: 90,
    broadcast_address: "192.0.2.255",
    secure_on_password: null,
  },
} as const;

const hostOnlyTypes = ["UnifiApiKey", "UnifiLocalAdmin", "InstantOnAccount", "WakeOnLan"];

/** The networks among these to which a credential of this type can be assigned: all or none. */
export const networksFor = (type: unknown, ids: readonly string[]): string[] =>
  hostOnlyTypes.includes(String(type)) ? [] : [...ids];
