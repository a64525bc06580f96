import { isForbiddenUrl } from "../../../outbound/forbidden-url.ts";
import { edgeErrors, networkError, redirects } from "../../../outbound/network-error.ts";
import { CallFailure } from "./call-failure.ts";
import { parse, type ResponseBounds, readBody, smallBytes } from "./response-body.ts";

/** How a daemon is reached. */
export interface DaemonAccess {
  /** Where it listens; checked before anything is sent. */
  url: string;
  /** What the daemon knows the service by. */
  token: string;
  /** Whether daemons at private addresses, and without encryption, may be contacted. */
  allowsPrivate: boolean;
}

/** One request to a daemon. */
interface DaemonCall {
  /** Such as `status`, below `/api/`. */
  path: string;
  /** What is posted, JSON as text; without it the request is a GET. */
  json?: string;
  bounds?: ResponseBounds;
  /** Ends the call. */
  signal: AbortSignal;
}

const smallBounds: ResponseBounds = { bytes: smallBytes, members: 10_000 };

/**
 * Sends one request to a daemon, with its token. Follows no redirect.
 * @returns the JSON of a response with status 200, of which nothing is known yet
 * @throws {CallFailure}
 */
export async function callDaemon(
  access: DaemonAccess,
  call: Omit<DaemonCall, "bounds">,
): Promise<unknown> {
  return parse(await readDaemon(access, { ...call, bounds: smallBounds }), smallBounds);
}

/**
 * {@link callDaemon}, whose response is not parsed yet.
 * @throws {CallFailure}; what `bounds.makeRoom` throws
 */
export async function readDaemon(
  { url, token, allowsPrivate }: DaemonAccess,
  { path, json, bounds = smallBounds, signal }: DaemonCall,
): Promise<Uint8Array> {
  if (isForbiddenUrl(url, allowsPrivate)) {
    throw new CallFailure("url_forbidden");
  }
  if (!allowsPrivate && new URL(url).protocol !== "https:") {
    throw new CallFailure("url_not_encrypted");
  }
  const target = targetOf(url, path);
  try {
    const response = await fetch(target, {
      method: json === undefined ? "GET" : "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: "application/json",
        ...(json !== undefined && { "Content-Type": "application/json" }),
      },
      ...(json !== undefined && { body: json }),
      // A redirect could lead where the URL itself may not.
      redirect: "manual",
      signal,
    });
    await refuseStatus(response, signal);
    return await readBody(response, bounds, signal);
  } catch (error) {
    throw error instanceof CallFailure
      ? error
      : new CallFailure(networkError(error, target, signal));
  }
}

/** A daemon may lie below a path, but a query or a fragment would swallow what is appended. */
function targetOf(text: string, path: string): URL {
  const url = new URL(text);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/api/${path}`;
  url.search = "";
  url.hash = "";
  return url;
}

async function refuseStatus(response: Response, signal: AbortSignal): Promise<void> {
  const { status } = response;
  const edgeError = edgeErrors[status];
  if (edgeError) {
    const text = new TextDecoder().decode(await readBody(response, smallBounds, signal));
    if (/^error code: \d+/.test(text)) {
      throw new CallFailure(edgeError);
    }
  }
  if (status !== 200) {
    await response.body?.cancel();
    // One that HTTP does not have (RFC 9110, section 15) counts as a failure without a status.
    const isHttp = status >= 100 && status <= 599;
    throw new CallFailure(
      redirects.has(status) ? "redirected" : "http_status",
      isHttp ? status : null,
    );
  }
}
