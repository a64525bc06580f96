import { expect, test } from "vitest";
import { Secret } from "../../src/discovery/credentials/secret.ts";
import { credentialTypeSchema as schema } from "../../src/discovery/credentials/types.ts";
import { filePath, inline, settingsOfTypes } from "../helpers/credentials.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";
import { pem } from "../helpers/pem.ts";

const snmpV3 = {
  type: "SnmpV3",
  security_name: "inventory",
  auth_protocol: "Sha256",
  auth_password: inline("12345678"),
  priv_protocol: "Aes256",
  priv_password: inline("12345678"),
};

const gnmi = { type: "Gnmi", username: "inventory", password: inline("x") };

const sshKey = {
  type: "SshKey",
  username: "inventory",
  private_key: inline(pem.openSshKey),
  script: "echo '{}'",
};

/** Invalid types with the paths of their issues, relative to the type. */
const wrong: { type: unknown; paths: string[] }[] = [
  ...["Snmp", "snmpV1", "SNMPV1", "SnmpV1 ", "Ssh", "", null, 7, "__proto__", "toString"].map(
    (type) => ({ type: { type, community: inline("x") }, paths: ["type"] }),
  ),
  { type: { community: inline("x") }, paths: ["type"] },
  { type: [{ type: "DockerSocket" }], paths: [""] },
  { type: "DockerSocket", paths: [""] },

  { type: { type: "SnmpV1" }, paths: ["community"] },
  { type: { type: "SnmpV2c", community: null }, paths: ["community"] },
  { type: { type: "SnmpV1", community: "public" }, paths: ["community"] },
  { type: { type: "SnmpV1", community: ["public"] }, paths: ["community"] },
  { type: { type: "SnmpV1", community: {} }, paths: ["community.mode"] },
  { type: { type: "SnmpV1", community: { value: "x" } }, paths: ["community.mode"] },
  {
    type: { type: "SnmpV1", community: { mode: "inline", value: "x" } },
    paths: ["community.mode"],
  },
  { type: { type: "SnmpV1", community: { mode: "Vault", path: "x" } }, paths: ["community.mode"] },
  { type: { type: "SnmpV1", community: { mode: "Inline" } }, paths: ["community.value"] },
  { type: { type: "SnmpV1", community: { mode: "FilePath" } }, paths: ["community.path"] },
  {
    type: { type: "SnmpV1", community: { mode: "Inline", path: "/x" } },
    paths: ["community.value", "community.path"],
  },
  {
    type: { type: "SnmpV1", community: { ...inline("x"), path: "/x" } },
    paths: ["community.path"],
  },
  {
    type: { type: "SnmpV1", community: { ...filePath("/x"), value: "x" } },
    paths: ["community.value"],
  },
  ...["", "a\0b", "\ud800"].flatMap((text) => [
    { type: { type: "SnmpV1", community: inline(text) }, paths: ["community.value"] },
    { type: { type: "SnmpV1", community: filePath(text) }, paths: ["community.path"] },
  ]),
  ...[null, 7, ["x"], { a: 1 }].flatMap((value) => [
    { type: { type: "SnmpV1", community: { mode: "Inline", value } }, paths: ["community.value"] },
    {
      type: { type: "SnmpV1", community: { mode: "FilePath", path: value } },
      paths: ["community.path"],
    },
  ]),
  { type: { type: "SnmpV1", community: inline("x"), port: 161 }, paths: ["port"] },

  {
    type: { type: "SnmpV3" },
    paths: ["security_name", "auth_protocol", "auth_password", "priv_protocol", "priv_password"],
  },
  { type: { ...snmpV3, auth_password: inline("1234567") }, paths: ["auth_password.value"] },
  { type: { ...snmpV3, priv_password: inline("🔑🔑🔑🔑🔑🔑🔑") }, paths: ["priv_password.value"] },
  {
    type: { ...snmpV3, auth_password: inline(""), priv_password: inline("*******") },
    paths: ["auth_password.value", "priv_password.value"],
  },
  { type: { ...snmpV3, security_name: "" }, paths: ["security_name"] },
  { type: { ...snmpV3, security_name: "x".repeat(256) }, paths: ["security_name"] },
  { type: { ...snmpV3, security_name: "a\0b" }, paths: ["security_name"] },
  { type: { ...snmpV3, security_name: null }, paths: ["security_name"] },
  { type: { ...snmpV3, context_name: 7 }, paths: ["context_name"] },
  { type: { ...snmpV3, context_name: "a\0b" }, paths: ["context_name"] },
  { type: { ...snmpV3, auth_protocol: "sha256" }, paths: ["auth_protocol"] },
  { type: { ...snmpV3, auth_protocol: "Md5" }, paths: ["auth_protocol"] },
  { type: { ...snmpV3, priv_protocol: "Des" }, paths: ["priv_protocol"] },
  { type: { ...snmpV3, priv_protocol: null }, paths: ["priv_protocol"] },
  { type: { ...snmpV3, community: inline("x") }, paths: ["community"] },

  ...[0, 65536, -1, 2375.5, "2375", "", null, true, [2375], 1_000_000].map((port) => ({
    type: { type: "DockerProxy", port },
    paths: ["port"],
  })),
  { type: { type: "DockerProxy", path: 7 }, paths: ["path"] },
  { type: { type: "DockerProxy", path: "\udc00" }, paths: ["path"] },
  { type: { type: "DockerProxy", ssl_key: "x" }, paths: ["ssl_key"] },
  { type: { type: "DockerProxy", ssl_cert: { mode: "Inline" } }, paths: ["ssl_cert.value"] },
  {
    type: { type: "DockerProxy", ssl_cert: { ...inline(""), path: "" } },
    paths: ["ssl_cert.value", "ssl_cert.path"],
  },
  { type: { type: "DockerProxy", path: "x".repeat(256) }, paths: ["path"] },
  { type: { ...snmpV3, context_name: "x".repeat(256) }, paths: ["context_name"] },
  { type: { ...snmpV3, auth_password: inline("x".repeat(256)) }, paths: ["auth_password.value"] },
  { type: { type: "SnmpV1", community: inline("x".repeat(256)) }, paths: ["community.value"] },
  { type: { type: "DockerProxy", sslKey: null }, paths: ["sslKey"] },
  { type: { type: "DockerSocket", port: 2375 }, paths: ["port"] },

  { type: { type: "Gnmi" }, paths: ["username", "password"] },
  { type: { ...gnmi, tls: "true" }, paths: ["tls"] },
  { type: { ...gnmi, username: "" }, paths: ["username"] },
  { type: { ...gnmi, username: "x".repeat(256) }, paths: ["username"] },
  { type: { ...gnmi, password: null }, paths: ["password"] },
  { type: { ...gnmi, port: 65536 }, paths: ["port"] },
  { type: { type: "PodmanSocket", socket_path: "x".repeat(4097) }, paths: ["socket_path"] },
  { type: { type: "UnifiApiKey", api_key: inline("x"), site: "" }, paths: ["site"] },
  {
    type: { type: "UnifiApiKey", api_key: inline("x"), site: "x".repeat(256) },
    paths: ["site"],
  },
  { type: { type: "UnifiApiKey", api_key: inline("x"), username: "x" }, paths: ["username"] },
  { type: { type: "UnifiLocalAdmin" }, paths: ["username", "password"] },
  { type: { type: "InstantOnAccount" }, paths: ["username", "password"] },
  { type: { type: "SshPassword" }, paths: ["username", "password", "script"] },
  { type: { type: "SshKey" }, paths: ["username", "private_key", "script"] },
  { type: { ...sshKey, private_key: inline("x") }, paths: ["private_key.value"] },
  { type: { ...sshKey, private_key: inline(pem.certificate) }, paths: ["private_key.value"] },
  { type: { ...sshKey, password: inline("x") }, paths: ["password"] },
  {
    type: { ...sshKey, passphrase: inline("x".repeat(256)) },
    paths: ["passphrase.value"],
  },
  { type: { ...sshKey, script: "" }, paths: ["script"] },
  { type: { ...sshKey, script: "x".repeat(16_385) }, paths: ["script"] },
  ...[0, 241, 60.5, "60"].flatMap((seconds) => [
    { type: { ...sshKey, timeout_seconds: seconds }, paths: ["timeout_seconds"] },
    { type: { type: "WakeOnLan", wait_seconds: seconds }, paths: ["wait_seconds"] },
  ]),
  ...["MD5:aa", "SHA256:short", `SHA256:${"a".repeat(44)}`, "uCbveABHG1n0gD3YJvfCDZH"].map(
    (host_key_fingerprint) => ({
      type: { ...sshKey, host_key_fingerprint },
      paths: ["host_key_fingerprint"],
    }),
  ),
  { type: { type: "WakeOnLan", broadcast_address: "192.0.2" }, paths: ["broadcast_address"] },
  {
    type: { type: "WakeOnLan", secure_on_password: inline("12345678") },
    paths: ["secure_on_password.value"],
  },
  { type: { type: "DockerSocket", community: inline("x") }, paths: ["community"] },
];

test.each(wrong.map(({ type, paths }) => ({ text: JSON.stringify(type), type, paths })))(
  "rejects the credential type $text",
  ({ type, paths }) => {
    expect(pathsOf(schema, type)).toEqual(paths);
  },
);

test("rejects an unknown type with the list of types", () => {
  expect(issuesOf(schema, { type: "Snmp" })).toMatchObject([
    {
      path: "type",
      message: `must be one of ${Object.keys(settingsOfTypes).join(", ")}`,
    },
  ]);
});

test.each(["", " \n", inline(""), inline(" "), filePath(""), filePath("\t")])(
  "a blank optional field %j becomes null",
  (blank) => {
    const sent = {
      type: "DockerProxy",
      path: typeof blank === "string" ? blank : null,
      ssl_cert: blank,
      ssl_chain: blank,
      ssl_key: blank,
    };
    expect(schema.parse(sent)).toEqual(settingsOfTypes.DockerProxy);
  },
);

test("accepts strings of up to 255 characters, and PEM of up to 65,536", () => {
  const longest = "x".repeat(255);
  const longestEmoji = "🔑".repeat(255);
  expect(
    pathsOf(schema, {
      ...snmpV3,
      auth_password: inline(longest),
      priv_password: inline(longestEmoji),
      context_name: longest,
    }),
  ).toEqual([]);
  const chain = `${pem.certificate}${pem.authority}`;
  const most = `${chain}${" ".repeat(65_536 - chain.length)}`;
  const proxy = { type: "DockerProxy", path: longest, ssl_cert: inline(most) };
  expect(schema.parse(proxy)).toMatchObject(proxy);
  expect(issuesOf(schema, { ...proxy, ssl_cert: inline(`${most} `) })).toEqual([
    { path: "ssl_cert.value", message: "must have at most 65536 characters", code: "too_big" },
  ]);
});

test("accepts scripts of up to 16,384 characters, 1 to 240 seconds, and six bytes in any notation", () => {
  const sent = { ...sshKey, script: "é".repeat(16_384) };
  for (const timeout_seconds of [1, 240]) {
    expect(pathsOf(schema, { ...sent, timeout_seconds })).toEqual([]);
  }
  for (const password of ["00:00:5e:00:53:01", "00-00-5E-00-53-01", "0000.5e00.5301"]) {
    expect(pathsOf(schema, { type: "WakeOnLan", secure_on_password: inline(password) })).toEqual(
      [],
    );
  }
});

test.each(["SshPassword", "WakeOnLan", "Gnmi", "UnifiApiKey"])(
  "an omitted port of %s is the standard one",
  (type) => {
    const settings = Object.values(settingsOfTypes).find((one) => one.type === type);
    expect(schema.parse({ ...settings, port: undefined })).toMatchObject({ ...settings });
  },
);

test("the schema parses every secret into a Secret, which serializes as the mask", () => {
  const { auth_password } = schema.parse(snmpV3) as typeof snmpV3;
  expect(auth_password.value).toBeInstanceOf(Secret);
  expect(JSON.stringify(auth_password)).toBe('{"mode":"Inline","value":"********"}');
});
