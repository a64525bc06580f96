import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  filePath,
  inline,
  masked,
  networksFor,
  putCredential,
  readCredential,
  updateOf,
} from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { pem } from "../helpers/pem.ts";
import { rowsOf } from "../helpers/rows.ts";

const snmpV3 = {
  type: "SnmpV3",
  security_name: "inventory",
  auth_protocol: "Sha256",
  auth_password: masked,
  priv_protocol: "Aes256",
  priv_password: filePath("/etc/inventory/priv"),
  context_name: "backbone",
};

const proxyDefaults = { port: 2375, path: null, ssl_cert: null, ssl_chain: null, ssl_key: null };

const script = 'printf \'{"model": "%s"}\' "$(uname -m)"';

const chain = pem.authority + pem.certificate;

/** Credential types, each as sent in a request and as returned in the response. */
const types: { name: string; sent: Record<string, unknown>; returned: Record<string, unknown> }[] =
  [
    ...["SnmpV1", "SnmpV2c"].flatMap((type) => [
      {
        name: `${type} with an inline community`,
        sent: { type, community: inline("public-1") },
        returned: { type, community: masked },
      },
      {
        name: `${type} with a community in a file`,
        sent: { type, community: filePath("/etc/inventory/community") },
        returned: { type, community: filePath("/etc/inventory/community") },
      },
    ]),
    {
      name: "SnmpV3 with one password inline and one in a file",
      sent: { ...snmpV3, auth_password: inline("12345678") },
      returned: snmpV3,
    },
    {
      name: "SnmpV3 without a context",
      sent: {
        type: "SnmpV3",
        security_name: "x".repeat(255),
        auth_protocol: "Sha1",
        auth_password: filePath("/auth"),
        priv_protocol: "Aes128",
        priv_password: inline("🔑🔑🔑🔑🔑🔑🔑🔑"),
      },
      returned: {
        type: "SnmpV3",
        security_name: "x".repeat(255),
        auth_protocol: "Sha1",
        auth_password: filePath("/auth"),
        priv_protocol: "Aes128",
        priv_password: masked,
        context_name: null,
      },
    },
    {
      name: "DockerProxy with only the defaults",
      sent: { type: "DockerProxy" },
      returned: { type: "DockerProxy", ...proxyDefaults },
    },
    {
      name: "DockerProxy with its optional fields null",
      sent: { type: "DockerProxy", ...proxyDefaults, port: 1 },
      returned: { type: "DockerProxy", ...proxyDefaults, port: 1 },
    },
    {
      name: "DockerProxy with inline PEM",
      sent: {
        type: "DockerProxy",
        port: 65535,
        path: "/docker",
        ssl_cert: inline(pem.certificate),
        ssl_chain: inline(chain),
        ssl_key: inline(pem.pkcs8Key),
      },
      returned: {
        type: "DockerProxy",
        port: 65535,
        path: "/docker",
        ssl_cert: inline(pem.certificate),
        ssl_chain: inline(chain),
        ssl_key: masked,
      },
    },
    {
      name: "DockerProxy with PEM in files",
      sent: {
        type: "DockerProxy",
        ssl_cert: filePath("/cert.pem"),
        ssl_chain: filePath("/ca.pem"),
        ssl_key: filePath("/key.pem"),
      },
      returned: {
        type: "DockerProxy",
        port: 2375,
        path: null,
        ssl_cert: filePath("/cert.pem"),
        ssl_chain: filePath("/ca.pem"),
        ssl_key: filePath("/key.pem"),
      },
    },
    {
      name: "DockerSocket",
      sent: { type: "DockerSocket" },
      returned: { type: "DockerSocket" },
    },
    {
      name: "PodmanProxy with only the defaults",
      sent: { type: "PodmanProxy" },
      returned: { type: "PodmanProxy", ...proxyDefaults },
    },
    {
      name: "PodmanSocket",
      sent: { type: "PodmanSocket", socket_path: " " },
      returned: { type: "PodmanSocket", socket_path: null },
    },
    {
      name: "Gnmi with only the required fields",
      sent: { type: "Gnmi", username: "inventory", password: inline("x") },
      returned: {
        type: "Gnmi",
        port: 9339,
        username: "inventory",
        password: masked,
        tls: false,
        skip_verify: false,
      },
    },
    {
      name: "UnifiApiKey with only the required fields",
      sent: { type: "UnifiApiKey", api_key: inline("x") },
      returned: { type: "UnifiApiKey", port: 443, site: "default", api_key: masked },
    },
    {
      name: "UnifiLocalAdmin with only the required fields",
      sent: { type: "UnifiLocalAdmin", username: "inventory", password: inline("x") },
      returned: {
        type: "UnifiLocalAdmin",
        port: 443,
        site: "default",
        username: "inventory",
        password: masked,
      },
    },
    {
      name: "InstantOnAccount with only the required fields",
      sent: { type: "InstantOnAccount", username: "inventory", password: inline("x") },
      returned: {
        type: "InstantOnAccount",
        username: "inventory",
        password: masked,
        site: null,
      },
    },
    {
      name: "SshPassword with only the required fields",
      sent: { type: "SshPassword", username: "inventory", password: inline("x"), script },
      returned: {
        type: "SshPassword",
        port: 22,
        username: "inventory",
        password: masked,
        script,
        timeout_seconds: 60,
        host_key_fingerprint: null,
      },
    },
    {
      name: "SshKey with two inline secrets",
      sent: {
        type: "SshKey",
        username: "inventory",
        private_key: inline(pem.openSshKey),
        passphrase: inline("opensesame"),
        script,
      },
      returned: {
        type: "SshKey",
        port: 22,
        username: "inventory",
        private_key: masked,
        passphrase: masked,
        script,
        timeout_seconds: 60,
        host_key_fingerprint: null,
      },
    },
    {
      name: "WakeOnLan with only the defaults",
      sent: { type: "WakeOnLan" },
      returned: {
        type: "WakeOnLan",
        port: 9,
        wait_seconds: 90,
        broadcast_address: null,
        secure_on_password: null,
      },
    },
    {
      name: "WakeOnLan with an inline password",
      sent: { type: "WakeOnLan", secure_on_password: inline("00:00:5e:00:53:01") },
      returned: {
        type: "WakeOnLan",
        port: 9,
        wait_seconds: 90,
        broadcast_address: null,
        secure_on_password: masked,
      },
    },
  ];

test.each(types)("an admin can change a credential to $name", async ({ sent, returned }) => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [first, second] = networks;
  const created_at = "2026-01-02T03:04:05.678Z";
  const id = await mintCredential(organization_id, { created_at, updated_at: created_at });
  const assigned_network_ids = networksFor(sent["type"], [second.id]);
  const answer = await putCredential(api, keys.admin, id, {
    name: "  Core switches ",
    organization_id,
    tags,
    assigned_network_ids,
    host_assignments: [{ host_id: first.host_id, ip_address_ids: [first.ip_address_ids[0]] }],
    credential_type: sent,
  });
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toEqual({
    success: true,
    data: {
      id,
      created_at,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      name: "Core switches",
      organization_id,
      external_id: null,
      metadata: {},
      tags: [...tags].sort(),
      assigned_network_ids,
      host_assignments: [{ host_id: first.host_id, ip_address_ids: [first.ip_address_ids[0]] }],
      credential_type: returned,
    },
    meta: { api_version: 1, server_version: packageJson.version },
  });
  expect(await api.calls()).toBe(1);
  expect(await readCredential(api, keys.viewer, id)).toEqual(credentialIn(answer));
});

test.each(types)(
  "a PUT of the unchanged record of $name changes only updated_at and revision",
  async ({ sent }) => {
    const api = openApi();
    const { id: organization_id, keys, networks, tags } = await mintOrganization();
    const [first, second] = networks;
    const id = await mintCredential(organization_id, { updated_at: "2026-01-02T03:04:05.678Z" });
    credentialIn(
      await putCredential(
        api,
        keys.admin,
        id,
        updateOf(organization_id, {
          tags,
          assigned_network_ids: networksFor(sent["type"], [first.id, second.id]),
          host_assignments: [
            { host_id: first.host_id, ip_address_ids: first.ip_address_ids },
            { host_id: second.host_id },
          ],
          credential_type: sent,
        }),
      ),
    );
    const read = await readCredential(api, keys.admin, id);
    const before = await rowsOf(organization_id);
    const written = credentialIn(await putCredential(api, keys.admin, id, read));
    expect(written).toEqual({ ...read, updated_at: written.updated_at });
    const { updated_at } = written;
    expect(before["credentials"]).toEqual([expect.objectContaining({ id })]);
    expect(await rowsOf(organization_id)).toEqual({
      ...before,
      credentials: before["credentials"]?.map((row) =>
        Object.assign({}, row, {
          updated_at: updated_at.replace(/\.?0*Z$/, "+00:00"),
          revision: expect.any(Number),
        }),
      ),
    });
  },
);
