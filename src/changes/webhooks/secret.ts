import { encodeBase64 } from "hono/utils/encode";
import { keyRingOf, webhookSecretPlace } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";

/** The form of a secret by the Standard Webhooks specification: 32 random bytes. */
const secretBytes = 32;

/** The longest secret, in characters. */
export const maximumSecret = 64;

/** A new secret, and what is kept of it. */
export interface MintedSecret {
  /** Shown once. */
  secret: string;
  sealed: string;
  /** The last four characters. */
  hint: string;
}

/** Makes a secret for a webhook, sealed for it alone. */
export async function mintSecret(
  settings: Settings,
  organizationId: string,
  id: string,
): Promise<MintedSecret> {
  const secret = `whsec_${encodeBase64(crypto.getRandomValues(new Uint8Array(secretBytes)).buffer)}`;
  const sealed = await keyRingOf(settings).seal(secret, webhookSecretPlace(organizationId, id));
  return { secret, sealed, hint: secret.slice(-4) };
}
