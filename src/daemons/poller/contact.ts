import * as z from "zod";
import type { ContactError } from "../../database/tables/index.ts";
import { textOf } from "../../http/input/text.ts";
import { isAddress, isForbiddenUrl } from "./forbidden-url.ts";
import type { PollOutcome } from "./state.ts";

/** How long a daemon may take to respond, in milliseconds. */
export const contactDeadlineMs = 10_000;

/** How much of a response is read, in bytes. */
const maxResponseBytes = 64 * 1024;

/** A version ends up on consoles: nothing in it may steer them, or turn the direction of text. */
const versionSchema = textOf(1, 64).regex(/^\P{C}*$/u);

/** A daemon's response, in this service's own envelope. It is untrusted: unknown fields are dropped. */
const statusSchema = z.object({
  success: z.literal(true),
  data: z.object({
    version: versionSchema.nullish(),
    name: textOf(1, 255).nullish(),
    mode: textOf(1, 64).nullish(),
    ready_for_work: z.boolean().nullish(),
  }),
});

/** The response is not one of a daemon. */
class UnfitResponse extends Error {
  override readonly name = "UnfitResponse";
  readonly reason: ContactError;
  readonly httpStatus: number | null;

  constructor(reason: ContactError, httpStatus: number | null = null) {
    super(reason);
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}

/**
 * Requests the status of a daemon. Never throws: what went wrong is the outcome.
 * @param url where the daemon listens; checked before anything is sent
 * @param token what the daemon knows the service by
 * @param options.allowsPrivate whether daemons at private addresses may be contacted
 * @param options.deadlineMs how long the whole response may take, in milliseconds
 */
export async function contactDaemon(
  url: string,
  token: string,
  { allowsPrivate, deadlineMs }: { allowsPrivate: boolean; deadlineMs: number },
): Promise<PollOutcome> {
  if (isForbiddenUrl(url, allowsPrivate)) {
    return { error: "url_forbidden", http_status: null };
  }
  if (!allowsPrivate && new URL(url).protocol !== "https:") {
    return { error: "url_not_encrypted", http_status: null };
  }
  const target = statusUrl(url);
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await fetch(target, {
      headers: { Authorization: `Bearer ${token}`, Accept: "application/json" },
      // A redirect could lead where the URL itself may not.
      redirect: "manual",
      signal,
    });
    await refuseStatus(response, signal);
    const status = parseStatus(await readBody(response, signal));
    return { error: null, version: status.version ?? null };
  } catch (error) {
    return error instanceof UnfitResponse
      ? { error: error.reason, http_status: error.httpStatus }
      : { error: networkError(error, target, signal), http_status: null };
  }
}

/** A daemon may lie below a path, but a query or a fragment would swallow what is appended. */
function statusUrl(text: string): URL {
  const url = new URL(text);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/api/status`;
  url.search = "";
  url.hash = "";
  return url;
}

/**
 * Cloudflare's own responses in place of an origin that it could not reach, all of which have the text
 * `error code: NUMBER` (https://developers.cloudflare.com/support/troubleshooting/http-status-codes/).
 */
const edgeErrors: Readonly<Record<number, ContactError>> = {
  521: "connection_refused",
  522: "timed_out",
  523: "connection_refused",
  524: "timed_out",
  525: "tls_failed",
  526: "tls_failed",
  530: "dns_failed",
};

const redirects = new Set([301, 302, 303, 307, 308]);

async function refuseStatus(response: Response, signal: AbortSignal): Promise<void> {
  const { status } = response;
  const edgeError = edgeErrors[status];
  if (edgeError && /^error code: \d+/.test(await readBody(response, signal))) {
    throw new UnfitResponse(edgeError);
  }
  if (status !== 200) {
    await response.body?.cancel();
    // One that HTTP does not have (RFC 9110, section 15) counts as a failure without a status.
    const isHttp = status >= 100 && status <= 599;
    throw new UnfitResponse(
      redirects.has(status) ? "redirected" : "http_status",
      isHttp ? status : null,
    );
  }
}

/** Reads no more than is allowed, however much is sent. */
async function readBody(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    signal.throwIfAborted();
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) {
      throw new UnfitResponse("too_large");
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parseStatus(body: string): z.output<typeof statusSchema>["data"] {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new UnfitResponse("not_json");
  }
  const status = statusSchema.safeParse(json);
  if (!status.success) {
    throw new UnfitResponse("wrong_shape");
  }
  return status.data.data;
}

/**
 * What the runtime throws says little: a connection that is refused or breaks off is a "Network
 * connection lost", all else an "internal error". In production it is Cloudflare's edge that meets
 * most of these, and says which (see above).
 */
function networkError(
  error: unknown,
  { protocol, hostname }: URL,
  signal: AbortSignal,
): ContactError {
  if (signal.aborted) {
    return "timed_out";
  }
  if (!(error instanceof Error && error.message.startsWith("internal error"))) {
    return "connection_refused";
  }
  if (protocol === "https:") {
    return "tls_failed";
  }
  // An address needs no resolver: then what responded does not speak HTTP.
  return isAddress(hostname) ? "not_json" : "dns_failed";
}
