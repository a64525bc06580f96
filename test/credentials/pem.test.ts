import { expect, test } from "vitest";
import { isPem } from "../../src/discovery/credentials/pem.ts";
import { credentialTypeSchema as schema } from "../../src/discovery/credentials/types.ts";
import { invalidAt, seen } from "../helpers/answers.ts";
import { credentialIn, inline, masked, openCredential } from "../helpers/credentials.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";
import { pem } from "../helpers/pem.ts";
import { changingNothing, rowsHolding } from "../helpers/rows.ts";

const { certificate, authority } = pem;

const proxyWith = (field: string, text: string) => ({ type: "DockerProxy", [field]: inline(text) });

test.each([
  { what: "a certificate", field: "ssl_cert", text: certificate },
  { what: "a certificate with its chain", field: "ssl_cert", text: certificate + authority },
  { what: "a certificate", field: "ssl_chain", text: authority },
  { what: "several certificates", field: "ssl_chain", text: authority + certificate + authority },
  {
    what: "several certificates with blank lines between them",
    field: "ssl_chain",
    text: `\n${authority}\n\n${certificate}\n`,
  },
  {
    what: "a certificate with Windows line endings",
    field: "ssl_cert",
    text: certificate.replaceAll("\n", "\r\n"),
  },
  {
    what: "a certificate without a final line ending",
    field: "ssl_cert",
    text: certificate.trim(),
  },
])("$field accepts $what unchanged", ({ field, text }) => {
  expect(schema.parse(proxyWith(field, text))).toMatchObject(proxyWith(field, text));
});

test.each([
  { what: "PKCS #8", text: pem.pkcs8Key },
  { what: "an RSA key", text: pem.rsaKey },
  { what: "an EC key", text: pem.ecKey },
])("ssl_key accepts $what", ({ text }) => {
  expect(pathsOf(schema, proxyWith("ssl_key", text))).toEqual([]);
});

test.each([
  { what: "an OpenSSH key", text: pem.openSshKey },
  { what: "PKCS #8", text: pem.pkcs8Key },
  { what: "an RSA key", text: pem.rsaKey },
  { what: "an EC key", text: pem.ecKey },
])("private_key of SshKey accepts $what", ({ text }) => {
  expect(
    pathsOf(schema, { type: "SshKey", username: "x", private_key: inline(text), script: "x" }),
  ).toEqual([]);
});

test("ssl_key does not accept an OpenSSH key", () => {
  expect(pathsOf(schema, proxyWith("ssl_key", pem.openSshKey))).toEqual(["ssl_key.value"]);
});

const block = (label: string, content: string) =>
  `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`;

const certificateOf = (key: string) => key.replaceAll("OPENSSH PRIVATE KEY", "CERTIFICATE");

const noPem: { what: string; text: string }[] = [
  { what: "garbage", text: "garbage" },
  { what: "an OpenSSH key with the label of a certificate", text: certificateOf(pem.openSshKey) },
  { what: "a block of garbage", text: block("CERTIFICATE", "not base64!") },
  { what: "an empty block", text: block("CERTIFICATE", "") },
  { what: "base64 of text instead of DER", text: block("CERTIFICATE", btoa("hello, world")) },
  { what: "truncated base64", text: block("CERTIFICATE", "MIIBk") },
  { what: "a certificate without its end", text: certificate.replace(/-----END.*\n/, "") },
  { what: "a certificate without its beginning", text: certificate.replace(/^.*\n/, "") },
  {
    what: "a certificate with the last line of a key",
    text: certificate.replace("END C", "END PRIVATE C"),
  },
  { what: "a certificate with text before it", text: `subject=CN\n${certificate}` },
  { what: "a certificate with text after it", text: `${certificate}and more` },
  { what: "a chain with text in it", text: `${certificate}# CA\n${authority}` },
  { what: "a certificate on one line", text: certificate.replaceAll("\n", "") },
  { what: "a certificate and a NUL", text: `${certificate}\0` },
  { what: "a certificate request", text: pem.request },
  { what: "a public key", text: pem.publicKey },
  { what: "an encrypted private key", text: pem.encryptedKey },
  { what: "an encrypted EC key", text: pem.encryptedEcKey },
  { what: "a label in lower case", text: certificate.replaceAll("CERTIFICATE", "certificate") },
];

const wrong = [
  ...["ssl_cert", "ssl_chain", "ssl_key"].flatMap((field) =>
    noPem.map((row) => ({ field, ...row })),
  ),
  ...["ssl_cert", "ssl_chain"].flatMap((field) => [
    { field, what: "a private key", text: pem.pkcs8Key },
    { field, what: "an RSA key", text: pem.rsaKey },
    { field, what: "an EC key", text: pem.ecKey },
    { field, what: "a certificate with its private key", text: certificate + pem.pkcs8Key },
    { field, what: "a private key with its certificate", text: pem.ecKey + certificate },
  ]),
  { field: "ssl_key", what: "a certificate", text: certificate },
  { field: "ssl_key", what: "a key with its certificate", text: pem.pkcs8Key + certificate },
];

test.each(wrong)("$field rejects $what without quoting it", ({ field, text }) => {
  const issues = issuesOf(schema, proxyWith(field, text));
  expect(issues.map(({ path }) => path)).toContain(`${field}.value`);
  for (const line of text.split("\n").filter((line) => line.length > 20)) {
    expect(JSON.stringify(issues)).not.toContain(line);
  }
});

test.each(["ssl_cert", "ssl_chain"])("%s rejects the mask, because it is not a secret", (field) => {
  expect(issuesOf(schema, proxyWith(field, "********"))).toEqual([
    { path: `${field}.value`, message: "is not a secret: send the complete value", code: "custom" },
  ]);
});

test.each([
  { what: "blanks", text: `-----BEGIN CERTIFICATE-----${" ".repeat(500_000)}!` },
  { what: "beginnings", text: "-----BEGIN CERTIFICATE-----\n".repeat(20_000) },
  { what: "ends", text: "-----END CERTIFICATE-----\n".repeat(20_000) },
  { what: "base64", text: `-----BEGIN CERTIFICATE-----\n${"A\n".repeat(200_000)}!` },
])("validates half a megabyte of $what quickly", { timeout: 5000 }, ({ text }) => {
  expect(pathsOf(schema, proxyWith("ssl_cert", text))).toEqual(["ssl_cert.value"]);
  expect(isPem(text, ["CERTIFICATE"])).toBe(false);
});

test("stores a certificate and its key, and returns the certificate unchanged and the key masked", async () => {
  const { put } = await openCredential();
  const ssl_cert = inline(certificate.replaceAll("\n", "\r\n"));
  const answer = await put({ type: "DockerProxy", ssl_cert, ssl_key: inline(pem.rsaKey) });
  expect(credentialIn(answer).credential_type).toMatchObject({ ssl_cert, ssl_key: masked });
  expect(await rowsHolding([pem.rsaKey])).toEqual([]);
});

test("rejects a private key that is sent as a certificate, without quoting it", async () => {
  const { organization_id, put } = await openCredential();
  const answer = await changingNothing(organization_id, () =>
    put(proxyWith("ssl_cert", pem.pkcs8Key)),
  );
  expect(seen(answer)).toEqual(invalidAt("body.credential_type.ssl_cert.value"));
  for (const line of pem.pkcs8Key.split("\n").filter((line) => line.length > 20)) {
    expect(answer.text).not.toContain(line);
  }
});
