import { decodeBase64, encodeBase64 } from "hono/utils/encode";

const prefix = "whsec_";

/**
 * Returns the headers with which a receiver verifies a message, as defined by the Standard Webhooks
 * specification
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 * @param secrets the message is signed with each of them, so that a receiver can use either one
 *   during a rotation
 */
export async function signedHeaders(
  { id, body }: { id: string; body: string },
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const key = await crypto.subtle.importKey(
        "raw",
        decodeBase64(secret.slice(prefix.length)),
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      );
      return `v1,${encodeBase64(await crypto.subtle.sign("HMAC", key, signed))}`;
    }),
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
