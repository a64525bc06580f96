import { encodeBase64 } from "hono/utils/encode";
import { keyRingOf, webhookSecretPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";

/** Number of random bytes in a secret (Standard Webhooks specification). */
const secretBytes = 32;

/** Maximum length of a secret, in characters. */
export const maximumSecret = 64;

/** A new secret, and the forms in which it is stored. */
export interface MintedSecret {
  /** Plaintext, returned only once. */
  secret: string;
  sealed: string;
  /** The last four characters. */
  hint: string;
}

/** Creates a secret, which is sealed for this webhook only. */
export async function mintSecret(
  settings: Settings,
  organizationId: string,
  id: string,
): Promise<MintedSecret> {
  const secret = `whsec_${encodeBase64(crypto.getRandomValues(new Uint8Array(secretBytes)).buffer)}`;
  const sealed = await keyRingOf(settings).seal(secret, webhookSecretPlace(organizationId, id));
  return { secret, sealed, hint: secret.slice(-4) };
}
