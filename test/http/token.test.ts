import { decode, sign } from "hono/jwt";
import { encodeBase64, encodeBase64Url } from "hono/utils/encode";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { demoSigningKeys } from "../../drizzle/demo/signing-keys.ts";
import { seen, succeeded, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { fakeLimiter } from "../helpers/limiter.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { issuedIn, mintToken } from "../helpers/tokens.ts";

let own: Organization;
let token: string;
let parts: [header: string, payload: string, signature: string];
let foreignKey: JsonWebKey;

beforeAll(async () => {
  own = await mintOrganization();
  token = await mintToken(own.keys.owner);
  const [header = "", payload = "", signature = ""] = token.split(".");
  parts = [header, payload, signature];
  foreignKey = await newKey();
});

async function newKey() {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) {
    throw new Error("Ed25519 has a pair of keys.");
  }
  return (await crypto.subtle.exportKey("jwk", pair.privateKey)) as JsonWebKey;
}

const bytesOf = (text = "") =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

/** Base64url without padding (RFC 7515, section 2). */
const base64Url = (bytes: ArrayBufferLike) => encodeBase64Url(bytes).replaceAll("=", "");

/** An entry of SIGNING_KEYS. */
const entryOf = (name: string, { d, x }: JsonWebKey) =>
  `${name}:${encodeBase64(new Uint8Array([...bytesOf(d), ...bytesOf(x)]).buffer)}`;

/** The demo key as a JWK. */
function demoKey(): JsonWebKey {
  const bytes = bytesOf(demoSigningKeys.split(":")[1]);
  const [d, x] = [base64Url(bytes.slice(0, 32).buffer), base64Url(bytes.slice(32).buffer)];
  return { kty: "OKP", crv: "Ed25519", d, x };
}

const encoded = (value: unknown) =>
  base64Url(new TextEncoder().encode(JSON.stringify(value)).buffer);

/** Signs the token's claims, changed by `changes`, with a key under the name `kid`. */
const signed = (changes: Record<string, unknown>, key = demoKey(), kid = "demo") =>
  sign({ ...decode(token).payload, ...changes }, { ...key, alg: "EdDSA", kid }, "EdDSA");

const send = async (key: string, variables: Record<string, unknown> = {}) => {
  const api = openApi(variables);
  const answer = seen(await api.send("GET", "/api/v1/hosts", { key }));
  return { answer, calls: await api.calls() };
};

const accepted = { answer: succeeded(), calls: 1 };
const rejected = {
  answer: unauthorized("auth_not_authenticated", { reason: "invalid_token" }),
  calls: 0,
};

test("a token with a valid signature is accepted", async () => {
  expect(await send(await signed({}))).toEqual(accepted);
});

test.each<[what: string, make: () => string | Promise<string>]>([
  ["no parts", () => ".."],
  ["parts that are not base64", () => "a.b.c"],
  ["parts that are not JSON", () => `${encoded("x").slice(1)}.${parts[1]}.${parts[2]}`],
  ["a header that is null", () => `${encoded(null)}.${parts[1]}.${parts[2]}`],
  ["claims that are null", () => `${parts[0]}.${encoded(null)}.${parts[2]}`],
  ["no signature", () => `${parts[0]}.${parts[1]}.`],
  ["the algorithm none", () => `${encoded({ alg: "none", typ: "JWT", kid: "demo" })}.${parts[1]}.`],
  [
    "the algorithm none with a signature",
    () => `${encoded({ alg: "none", typ: "JWT", kid: "demo" })}.${parts[1]}.${parts[2]}`,
  ],
  [
    "a symmetric signature made with the public key",
    async () => {
      const input = `${encoded({ alg: "HS256", typ: "JWT", kid: "demo" })}.${parts[1]}`;
      const hmac = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", bytesOf(demoKey().x), hmac, false, ["sign"]);
      const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(input));
      return `${input}.${base64Url(signature)}`;
    },
  ],
  [
    "another algorithm in the header",
    () => `${encoded({ alg: "ES256", typ: "JWT", kid: "demo" })}.${parts[1]}.${parts[2]}`,
  ],
  ["an unknown key's name", () => signed({}, demoKey(), "unknown")],
  ["no key's name", () => `${encoded({ alg: "EdDSA", typ: "JWT" })}.${parts[1]}.${parts[2]}`],
  ["the signature of another key", () => signed({}, foreignKey)],
  [
    "changed claims",
    () => `${parts[0]}.${encoded({ ...decode(token).payload, sub: "other" })}.${parts[2]}`,
  ],
  ["another issuer", () => signed({ iss: "https://login.example.com" })],
  ["another audience", () => signed({ aud: "https://api.example.com" })],
  ["no audience", () => signed({ aud: undefined })],
  ["no secret id", () => signed({ jti: undefined })],
  ["a secret id of another length", () => signed({ jti: "x".repeat(44) })],
  ["no expiry", () => signed({ exp: undefined })],
  [
    "an expiry in the past and the signature of another key",
    () => signed({ exp: 1_700_000_000 }, foreignKey),
  ],
  ["more than 4,096 characters", () => signed({ padding: "x".repeat(3000) })],
])("a token with %s is rejected without a database call", async (_, make) => {
  expect(await send(await make())).toEqual(rejected);
});

test("a token of 4,096 characters is accepted, and one of 4,097 characters is not", async () => {
  const { length } = await signed({ padding: "" });
  // Three characters of a claim take up four of the token.
  const padding = Math.floor((4096 - length) / 4) * 3;
  const around = await Promise.all(
    [-1, 0, 1, 2, 3, 4].map((more) => signed({ padding: "x".repeat(padding + more) })),
  );
  const longest = around.find((one) => one.length === 4096) ?? "";
  expect(await send(longest)).toEqual(accepted);
  const longer = around.find((one) => one.length === 4097) ?? "";
  expect(longer).not.toBe("");
  expect(await send(longer)).toEqual(rejected);
});

test("a signed token that was never issued is rejected by the database", async () => {
  expect(await send(await signed({ jti: "x".repeat(43) }))).toEqual({
    answer: unauthorized("auth_not_authenticated"),
    calls: 1,
  });
});

test("no signature is verified for an address over its limit, except of a token that was recently accepted", async () => {
  const api = openApi({ RATE_LIMITS: "on", ADDRESS_RATE_LIMIT: fakeLimiter(1) });
  const verify = vi.spyOn(crypto.subtle, "verify");
  onTestFinished(() => verify.mockRestore());
  const statusOf = async (key: string, path = "api/v1/hosts") => {
    verify.mockClear();
    const method = path === "mcp" ? "POST" : "GET";
    const { status } = await api.send(method, `/${path}`, { key });
    return { status, verified: verify.mock.calls.length };
  };
  const forged = `${parts[0]}.${encoded({ ...decode(token).payload, jti: "x".repeat(43) })}.${parts[2]}`;
  expect(await statusOf(token)).toEqual({ status: 200, verified: 1 });
  expect(await statusOf(forged)).toEqual({ status: 401, verified: 1 });
  expect(await statusOf(forged)).toEqual({ status: 429, verified: 1 });
  expect(await statusOf(forged)).toEqual({ status: 429, verified: 0 });
  expect(await statusOf(forged, "mcp")).toEqual({ status: 429, verified: 0 });
  expect(await statusOf(token)).toEqual({ status: 200, verified: 1 });
});

test("a token from a machine whose clock is ahead is accepted", async () => {
  expect(await send(await signed({ iat: Math.floor(Date.now() / 1000) + 30 }))).toEqual(accepted);
});

test("the signing key can be rotated without rejecting a token", async () => {
  const [old, next] = [entryOf("old", foreignKey), entryOf("next", await newKey())];
  // Each step takes effect on one machine before it does on another.
  const steps = [old, `${old},${next}`, `${next},${old}`];
  const issueWith = async (SIGNING_KEYS: string) =>
    issuedIn(
      await openApi({ SIGNING_KEYS }).send("POST", "/api/v1/auth/tokens", {
        key: own.keys.admin,
        json: { permissions: "Viewer", subject: "user-4711" },
      }),
    ).token;
  for (const [position, earlier] of steps.entries()) {
    for (const later of steps.slice(position, position + 2)) {
      for (const [issuer, verifier] of [
        [earlier, later],
        [later, earlier],
      ] as const) {
        expect(await send(await issueWith(issuer), { SIGNING_KEYS: verifier })).toEqual(accepted);
      }
    }
  }
  const last = await issueWith(`${old},${next}`);
  expect(await send(last, { SIGNING_KEYS: next })).toEqual(rejected);
});
