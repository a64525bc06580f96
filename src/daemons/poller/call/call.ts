import { isForbiddenUrl } from "../../../outbound/forbidden-url.ts";
import { edgeErrors, networkError, redirects } from "../../../outbound/network-error.ts";
import { CallFailure } from "./call-failure.ts";
import { parse, type ResponseBounds, readBody, smallBytes } from "./response-body.ts";

/** A daemon's URL and credentials. */
export interface DaemonAccess {
  /** Validated before anything is sent. */
  url: string;
  /** Authenticates the service to the daemon; absent for a request that needs no key. */
  token?: string;
  /** Allows private addresses and unencrypted URLs. */
  allowsPrivate: boolean;
}

/** One request to a daemon. */
interface DaemonCall {
  /** The path under `/api/`, such as `status`. */
  path: string;
  /** The body of a POST. If it is missing, the request is a GET. */
  json?: string;
  bounds?: ResponseBounds;
  /** Aborts the call. */
  signal: AbortSignal;
}

const smallBounds: ResponseBounds = { bytes: smallBytes, members: 10_000 };

/**
 * Sends one request to a daemon, with its token. Does not follow redirects.
 * @returns the parsed JSON of a response with status 200, not validated
 * @throws {CallFailure}
 */
export async function callDaemon(
  access: DaemonAccess,
  call: Omit<DaemonCall, "bounds">,
): Promise<unknown> {
  return parse(await readDaemon(access, { ...call, bounds: smallBounds }), smallBounds);
}

/**
 * Like {@link callDaemon}, but returns the bytes of the response.
 * @throws {CallFailure}; also throws errors of `bounds.makeRoom`
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
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        Accept: "application/json",
        ...(json !== undefined && { "Content-Type": "application/json" }),
      },
      ...(json !== undefined && { body: json }),
      // A redirect could lead to an address that would be forbidden in a daemon's URL.
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

/**
 * Appends to the path of the daemon's URL. Drops any query and fragment, which would follow the
 * appended path.
 */
function targetOf(text: string, path: string): URL {
  const url = new URL(text);
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/api/${path}`;
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
    // A status outside 100 to 599 is invalid (RFC 9110, section 15) and is not recorded.
    const isHttp = status >= 100 && status <= 599;
    throw new CallFailure(
      redirects.has(status) ? "redirected" : "http_status",
      isHttp ? status : null,
    );
  }
}
