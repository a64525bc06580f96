import { expect, test } from "vitest";
import { keyRingOf, tokenPlace } from "../../../../src/database/sealing.ts";
import * as schema from "../../../../src/database/tables/index.ts";
import { recordConsole } from "../../../helpers/console.ts";
import { settingsOfTypes } from "../../../helpers/credentials.ts";
import { leaseDaemon } from "../../../helpers/daemons.ts";
import { database, sql } from "../../../helpers/database.ts";
import { mintCredential } from "../../../helpers/organization.ts";
import { openPoller } from "../../../helpers/poller.ts";
import { answered, raiseScanner, type Scanner } from "../../../helpers/protocol.ts";
import { rowsHolding } from "../../../helpers/rows.ts";
import { assignCredential } from "../../../helpers/scans.ts";
import { mintSession, sessionRow } from "../../../helpers/sessions.ts";

/** Creates a credential whose secrets are sealed as the API seals them. Returns its id. */
async function mintSealed(
  { organization, poller }: Scanner,
  settings: { type: string; [field: string]: unknown },
  secrets: Readonly<Record<string, string>>,
): Promise<string> {
  const id = await mintCredential(organization.id, { settings });
  const ring = keyRingOf(poller.settings);
  for (const [field, secret] of Object.entries(secrets)) {
    const sealed = await ring.seal(secret, {
      record: "credential",
      organization_id: organization.id,
      id,
      field,
    });
    await database
      .insert(schema.credentialSecrets)
      .values({ organization_id: organization.id, credential_id: id, field, sealed });
  }
  return id;
}

const masked = { mode: "Inline", value: "********" };
const snmp = { type: "SnmpV2c", community: masked };
const sshScript = { script: "echo '{}'", timeout_seconds: 60, host_key_fingerprint: null };

/** A daemon version that supports all credential types. */
const newest = "0.17.19";

const assign = (
  { organization }: Scanner,
  credential_id: string,
  to: Parameters<typeof assignCredential>[2],
) => assignCredential(organization.id, credential_id, to);

const mint = (scanner: Scanner) =>
  mintSession(scanner.organization.id, scanner.networkId, scanner.id);

const mappings = async (scanner: Scanner) => {
  const [work] = await scanner.got("discovery/initiate");
  return Object(work).credential_mappings;
};

test("a scan includes only the credentials of its network and of the hosts on it", async () => {
  const scanner = await raiseScanner();
  const [own, other] = scanner.organization.networks;
  const broadcast = await mintSealed(scanner, snmp, { community: "of the network" });
  const ofHost = await mintSealed(scanner, snmp, { community: "of the host" });
  const ofAddress = await mintSealed(scanner, snmp, { community: "of an address" });
  await mintSealed(scanner, snmp, { community: "unassigned" });
  const elsewhere = await mintSealed(scanner, snmp, { community: "of another network" });
  await assign(scanner, broadcast, { network_id: own.id });
  await assign(scanner, ofHost, { host_id: own.host_id });
  await assign(scanner, ofAddress, { host_id: own.host_id, addresses: [own.ip_address_ids[1]] });
  await assign(scanner, elsewhere, { network_id: other.id, host_id: other.host_id });
  await mint(scanner);
  await scanner.visit();
  const query = (value: string) => ({
    type: "Snmp",
    version: "V2c",
    community: { mode: "Value", value },
  });
  const overrides = (id: string, value: string, ...ips: string[]) =>
    ips.map((ip) => ({ ip, credential: query(value), credential_id: id }));
  expect(await mappings(scanner)).toEqual([
    { default_credential: query("of the network"), ip_overrides: [] },
    {
      default_credential: null,
      ip_overrides: overrides(ofHost, "of the host", "192.0.2.1", "192.0.2.2"),
    },
    { default_credential: null, ip_overrides: overrides(ofAddress, "of an address", "192.0.2.2") },
  ]);
});

test.each([
  [
    "SnmpV3",
    {
      security_name: "monitor",
      auth_protocol: "Sha256",
      auth_password: masked,
      priv_protocol: "Aes128",
      priv_password: { mode: "FilePath", path: "/run/priv" },
      context_name: null,
    },
    { auth_password: "opensesame" },
    {
      type: "Snmp",
      version: "V3",
      community: { mode: "Value", value: "" },
      v3: {
        security_name: "monitor",
        auth_protocol: "Sha256",
        auth_password: { mode: "Value", value: "opensesame" },
        priv_protocol: "Aes128",
        priv_password: { mode: "FilePath", path: "/run/priv" },
        context_name: null,
      },
    },
  ],
  [
    "DockerProxy",
    {
      port: 2376,
      path: null,
      ssl_cert: { mode: "Inline", value: "PEM" },
      ssl_chain: null,
      ssl_key: masked,
    },
    { ssl_key: "KEY" },
    {
      type: "DockerProxy",
      port: 2376,
      path: null,
      ssl_cert: { mode: "Value", value: "PEM" },
      ssl_chain: null,
      ssl_key: { mode: "Value", value: "KEY" },
    },
  ],
  ["DockerSocket", {}, {}, { type: "DockerSocket" }],
  [
    "PodmanSocket",
    { socket_path: "/run/podman.sock" },
    {},
    { type: "PodmanSocket", socket_path: "/run/podman.sock" },
  ],
  [
    "Gnmi",
    { port: 9339, username: "monitor", password: masked, tls: true, skip_verify: false },
    { password: "opensesame" },
    {
      type: "Gnmi",
      port: 9339,
      username: "monitor",
      password: { mode: "Value", value: "opensesame" },
      tls: true,
      skip_verify: false,
    },
  ],
  [
    "UnifiApiKey",
    { port: 443, site: "default", api_key: masked },
    { api_key: "KEY" },
    {
      type: "UnifiController",
      port: 443,
      site: "default",
      auth: { mode: "ApiKey", api_key: { mode: "Value", value: "KEY" } },
    },
  ],
  [
    "UnifiLocalAdmin",
    { port: 8443, site: "attic", username: "monitor", password: masked },
    { password: "opensesame" },
    {
      type: "UnifiController",
      port: 8443,
      site: "attic",
      auth: {
        mode: "LocalAdmin",
        username: "monitor",
        password: { mode: "Value", value: "opensesame" },
      },
    },
  ],
  [
    "InstantOnAccount",
    { username: "monitor@example.com", password: masked, site: null },
    { password: "opensesame" },
    {
      type: "InstantOn",
      username: "monitor@example.com",
      password: { mode: "Value", value: "opensesame" },
      site: null,
    },
  ],
  [
    "SshPassword",
    { port: 22, username: "monitor", password: masked, ...sshScript },
    { password: "opensesame" },
    {
      type: "Ssh",
      port: 22,
      username: "monitor",
      auth: { mode: "Password", password: { mode: "Value", value: "opensesame" } },
      ...sshScript,
    },
  ],
  [
    "SshKey",
    { port: 22, username: "monitor", private_key: masked, passphrase: null, ...sshScript },
    { private_key: "KEY" },
    {
      type: "Ssh",
      port: 22,
      username: "monitor",
      auth: {
        mode: "PrivateKey",
        private_key: { mode: "Value", value: "KEY" },
        passphrase: null,
      },
      ...sshScript,
    },
  ],
])(
  "a daemon receives a credential of type %s in its own format",
  async (type, fields, secrets, expected) => {
    const scanner = await raiseScanner();
    const id = await mintSealed(scanner, { type, ...fields }, { ...secrets });
    await assign(scanner, id, { network_id: scanner.networkId });
    await mint(scanner);
    await scanner.behave({ status: answered({ version: newest, ready_for_work: true }) });
    await scanner.visit();
    expect(await mappings(scanner)).toEqual([{ default_credential: expected, ip_overrides: [] }]);
  },
);

/** The types that a version adds, as daemons see them. */
const added = [
  ["0.16.2", ["Snmp", "DockerProxy", "DockerSocket"]],
  ["0.17.0", ["Snmp", "Snmp"]],
  ["0.17.2", ["PodmanProxy", "PodmanSocket"]],
  ["0.17.7", ["UnifiController", "UnifiController"]],
  ["0.17.11", ["InstantOn"]],
  ["0.17.16", ["Gnmi"]],
  ["v0.17.19-rc.1", ["Ssh", "Ssh", "WakeOnLan"]],
  ["1.0.0", []],
] as const;

test.each([
  [null, 1],
  ["0.16.1", 1],
  ["0.17.1", 2],
  ["0.17.18", 6],
  ...added.map(([version], at): [string, number] => [version, at + 1]),
] satisfies [string | null, number][])(
  "a daemon running version %s receives only credentials of the types that it supports",
  async (version, upTo) => {
    const scanner = await raiseScanner();
    for (const settings of Object.values(settingsOfTypes)) {
      const id = await mintSealed(scanner, { ...settings }, {});
      await assign(scanner, id, { host_id: scanner.organization.networks[0].host_id });
    }
    await mint(scanner);
    await scanner.behave({ status: answered({ version, ready_for_work: true }) });
    await scanner.visit();
    const received: { ip_overrides: { credential: { type: string } }[] }[] =
      await mappings(scanner);
    expect(received.map(({ ip_overrides }) => ip_overrides[0]?.credential.type).sort()).toEqual(
      added
        .slice(0, upTo)
        .flatMap(([, types]) => types)
        .sort(),
    );
  },
);

test("a daemon receives the known MAC addresses of the hosts that it wakes", async () => {
  const scanner = await raiseScanner();
  const { host_id, ip_address_ids } = scanner.organization.networks[0];
  await sql`update ip_addresses set mac_address = '00:00:5e:00:53:01' where id = ${ip_address_ids[0]}`;
  const id = await mintSealed(scanner, { ...settingsOfTypes.WakeOnLan }, {});
  await assign(scanner, id, { host_id });
  await mint(scanner);
  await scanner.behave({ status: answered({ version: newest, ready_for_work: true }) });
  await scanner.visit();
  expect(await mappings(scanner)).toMatchObject([
    {
      ip_overrides: [
        { ip: "192.0.2.1", mac_address: "00:00:5e:00:53:01", credential: { type: "WakeOnLan" } },
        { ip: "192.0.2.2" },
      ],
    },
  ]);
});

test("a secret that cannot be decrypted causes the scan to fail, and nothing is sent", async () => {
  const scanner = await raiseScanner();
  const id = await mintSealed(scanner, snmp, {});
  await assign(scanner, id, { network_id: scanner.networkId });
  const session = await mint(scanner);
  await scanner.visit();
  expect(await sessionRow(session)).toMatchObject({
    phase: "Failed",
    error: "credential_unreadable",
  });
  expect(await scanner.got("discovery/initiate")).toEqual([]);
});

test("if private addresses are not allowed, a scan for a daemon at an http URL fails", async () => {
  const scanner = await raiseScanner();
  const session = await mint(scanner);
  await sql`update daemons set url = 'http://daemon.example.com' where id = ${scanner.id}`;
  const strict = openPoller({ PRIVATE_DAEMON_ADDRESSES: "forbidden" });
  const claimed = await leaseDaemon(scanner.id);
  // The token must be decryptable, so it is sealed for this URL.
  const sealed_token = await keyRingOf(strict.settings).seal(
    "token",
    tokenPlace(scanner.organization.id, scanner.id, claimed.url),
  );
  await strict.poll({ ...claimed, sealed_token });
  expect(await sessionRow(session)).toMatchObject({ phase: "Failed", error: "url_not_encrypted" });
  expect(await scanner.daemon.calls()).toEqual([]);
});

test("a secret occurs only in the request that starts the scan", async () => {
  const canary = `canary-${crypto.randomUUID()}`;
  const sent: unknown[] = [];
  const queue = {
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      sent.push(...Array.from(messages, ({ body }) => body));
    },
  };
  const scanner = await raiseScanner({
    POLL_QUEUE: queue,
    SLOW_POLL_QUEUE: queue,
    LOG_POLLS: "all",
  });
  const id = await mintSealed(scanner, snmp, { community: canary });
  await assign(scanner, id, { network_id: scanner.networkId });
  const session = await mint(scanner);
  const log = recordConsole();
  await scanner.poller.lanes();
  await scanner.visit();
  const answer = await scanner.poller.send("GET", `/api/v1/discovery/sessions/${session}`, {
    key: scanner.organization.keys.owner,
  });
  const calls = await scanner.daemon.calls();
  const holding = calls.filter((call) => JSON.stringify(call).includes(canary));
  expect(holding.map(({ path }) => path?.replace(/^.*\/api\//, ""))).toEqual([
    "discovery/initiate",
  ]);
  expect(await rowsHolding([canary])).toEqual([]);
  expect(sent.length).toBeGreaterThan(0);
  for (const text of [JSON.stringify(sent), log(), answer.text]) {
    expect(text).not.toContain(canary);
  }
});
