import { keyRingOf, webhookSecretPlace } from "../../database/sealing.ts";
import type { DeliveryError } from "../../database/tables/index.ts";
import type { Settings } from "../../env.ts";
import { edgeErrors, networkError, redirects } from "../../outbound/network-error.ts";
import { allowsPrivateReceivers, refusalOf } from "../webhooks/receiver-url.ts";
import { signedHeaders } from "./sign.ts";

/** The URL and the secrets of a webhook. */
export interface Receiver {
  organization_id: string;
  webhook_id: string;
  url: string;
  /** The current secret and, during an overlap, the previous one. */
  sealed_secrets: readonly string[];
}

/** The result of sending a message. */
export interface Outcome {
  /** Null if the receiver accepted it. */
  error: DeliveryError | null;
  http_status: number | null;
  duration_ms: number;
}

/** Maximum time for a receiver to respond, in milliseconds (API contract, section 12). */
export const deliveryDeadlineMs = 15_000;

/**
 * Sends a signed message. Never reads the response body, and never follows a redirect.
 * @param deadlineMs maximum response time, in milliseconds
 */
export async function send(
  settings: Settings,
  { organization_id, webhook_id, url, sealed_secrets }: Receiver,
  message: { id: string; body: string },
  deadlineMs = deliveryDeadlineMs,
): Promise<Outcome> {
  const refusal = refusalOf(url, allowsPrivateReceivers(settings));
  if (refusal !== null) {
    return { error: refusal, http_status: null, duration_ms: 0 };
  }
  const place = webhookSecretPlace(organization_id, webhook_id);
  const secrets = await Promise.all(
    sealed_secrets.map((sealed) => keyRingOf(settings).open(sealed, place)),
  ).catch(() => []);
  if (secrets.length === 0) {
    console.error(JSON.stringify({ event: "webhook_secret_unreadable", webhook_id }));
    return { error: "secret_unreadable", http_status: null, duration_ms: 0 };
  }
  const headers = await signedHeaders(message, secrets);
  const startedAt = Date.now();
  const answer = await post(url, headers, message.body, deadlineMs);
  return { ...answer, duration_ms: Date.now() - startedAt };
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  deadlineMs: number,
): Promise<Omit<Outcome, "duration_ms">> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body,
      // A redirect could lead to a forbidden URL.
      redirect: "manual",
      signal,
    });
    // A response body that never ends must not delay the delivery.
    response.body?.cancel().catch(() => undefined);
    return judge(response.status);
  } catch (error) {
    const reason = networkError(error, new URL(url), signal);
    return { error: isDeliveryError(reason) ? reason : "connection_refused", http_status: null };
  }
}

const networkErrors = ["dns_failed", "connection_refused", "timed_out", "tls_failed"] as const;

const isDeliveryError = (reason: string): reason is (typeof networkErrors)[number] =>
  networkErrors.some((known) => known === reason);

function judge(status: number): Omit<Outcome, "duration_ms"> {
  if (status >= 200 && status < 300) {
    return { error: null, http_status: status };
  }
  const edgeError = edgeErrors[status];
  if (edgeError !== undefined && isDeliveryError(edgeError)) {
    return { error: edgeError, http_status: null };
  }
  // An invalid status code (RFC 9110, section 15) is treated as a failure without a status.
  const http_status = status >= 100 && status <= 599 ? status : null;
  return { error: redirects.has(status) ? "redirected" : "http_status", http_status };
}
