import { generateKeyPairSync } from "node:crypto";
import { decodeBase64Url } from "hono/utils/encode";
import { parseSigningKeys } from "../../src/env.ts";
import { printNewKey } from "./new-key.ts";

/** Returns an Ed25519 private key, followed by its public key. */
function create(): Uint8Array<ArrayBuffer> {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  return new Uint8Array([...decodeBase64Url(d), ...decodeBase64Url(x)]);
}

await printNewKey({
  command: "signing-key",
  variable: "SIGNING_KEYS",
  create,
  parse: parseSigningKeys,
});
