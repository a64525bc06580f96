import { decode, sign, verifyWithJwks } from "hono/jwt";
import { encodeBase64Url } from "hono/utils/encode";
import * as z from "zod";
import type { Settings } from "../env.ts";

/** Maximum length of a token, in characters. A longer one is rejected before it is decoded. */
export const maximumToken = 4096;

/** The issuer and the audience of tokens (RFC 7519, sections 4.1.1 and 4.1.3). */
const issuer = "network-inventory-api";

/** Ed25519 (RFC 8037). */
const algorithm = "EdDSA";

/** A token's claims, apart from `iss`, `aud` and `iat`. */
export interface TokenClaims {
  /** The secret id (`jti`). The database stores its hash, as it does for a key, and looks the token up by it. */
  secret: string;
  /** The id of the key that issued the token (`client_id`, RFC 8693). */
  keyId: string;
  subject: string;
  /** RFC 3339, in whole seconds. */
  expiresAt: string;
}

const claimsSchema = z.object({
  jti: z.string().length(43),
  client_id: z.guid(),
  sub: z.string(),
  exp: z.int(),
});

/** The part of the configuration with the keys that sign tokens. */
type SigningSettings = Pick<Settings, "SIGNING_KEYS">;

/** Creates the secret id of a token: 256 random bits in base64url. */
export const mintTokenSecret = (): string => unpadded(crypto.getRandomValues(new Uint8Array(32)));

/** Signs a token with the first key of SIGNING_KEYS. */
export async function signToken(settings: SigningSettings, claims: TokenClaims): Promise<string> {
  const [key] = settings.SIGNING_KEYS;
  if (key === undefined) {
    throw new Error("There is no signing key: set SIGNING_KEYS.");
  }
  const { secret, keyId, subject, expiresAt } = claims;
  return await sign(
    {
      iss: issuer,
      aud: issuer,
      sub: subject,
      client_id: keyId,
      jti: secret,
      iat: Math.floor(Date.now() / 1000),
      exp: Date.parse(expiresAt) / 1000,
    },
    { ...publicJwk(key), d: unpadded(key.key.subarray(0, 32)) },
    algorithm,
  );
}

/**
 * Returns the secret id in a token without verifying the signature, which takes about 1 ms.
 * @returns null if the token is malformed
 */
export function claimedSecret(token: string): string | null {
  if (token.length > maximumToken) {
    return null;
  }
  try {
    return claimsSchema.parse(decode(token).payload).jti;
  } catch {
    // Besides its own errors, the library throws those of parsers.
    return null;
  }
}

/**
 * Verifies a token's signature, issuer and audience. Its expiry is not checked. Only the database
 * knows whether the token was issued and is still valid.
 * @returns null if the token is not valid
 */
export async function verifyToken(
  settings: SigningSettings,
  token: string,
): Promise<TokenClaims | null> {
  if (token.length > maximumToken) {
    return null;
  }
  try {
    const payload = await verifyWithJwks(token, {
      keys: settings.SIGNING_KEYS.map(publicJwk),
      allowedAlgorithms: [algorithm],
      // The clocks of the machines that issue and verify tokens can differ, so `iat` is not checked.
      verification: { iss: issuer, aud: issuer, exp: false, iat: false },
    });
    const { jti, client_id, sub, exp } = claimsSchema.parse(payload);
    const expiresAt = new Date(exp * 1000).toISOString();
    return { secret: jti, keyId: client_id, subject: sub, expiresAt };
  } catch {
    // Besides its own errors, the library throws those of parsers and of Web Crypto.
    return null;
  }
}

const publicJwk = ({ name, key }: Settings["SIGNING_KEYS"][number]) => ({
  kty: "OKP",
  crv: "Ed25519",
  alg: algorithm,
  kid: name,
  x: unpadded(key.subarray(32)),
});

function unpadded(bytes: Uint8Array): string {
  return encodeBase64Url(new Uint8Array(bytes).buffer).replaceAll("=", "");
}
