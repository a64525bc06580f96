import { hashApiKey, hintOf, mintApiKey } from "../api-key.ts";
import type { KeptKey } from "./sql.ts";

/** Creates a plaintext key, with the hash and the hint to store. */
export async function mint(): Promise<{ plaintext: string; kept: KeptKey }> {
  const plaintext = mintApiKey();
  return { plaintext, kept: { hash: await hashApiKey(plaintext), hint: hintOf(plaintext) } };
}
