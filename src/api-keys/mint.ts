import { hashApiKey, hintOf, mintApiKey } from "../api-key.ts";
import type { KeptKey } from "./sql.ts";

/** A new plaintext, and what is kept of it. */
export async function mint(): Promise<{ plaintext: string; kept: KeptKey }> {
  const plaintext = mintApiKey();
  return { plaintext, kept: { hash: await hashApiKey(plaintext), hint: hintOf(plaintext) } };
}
