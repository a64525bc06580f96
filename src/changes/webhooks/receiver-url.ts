import type { Settings } from "../../env.ts";
import { IssueList, validationFailed } from "../../http/validation/issues.ts";
import { isForbiddenUrl } from "../../outbound/forbidden-url.ts";

/** Whether receivers at private addresses, and without encryption, may be told anything. */
export const allowsPrivateReceivers = ({
  ENVIRONMENT,
  PRIVATE_WEBHOOK_ADDRESSES,
}: Settings): boolean => ENVIRONMENT === "development" && PRIVATE_WEBHOOK_ADDRESSES === "allowed";

/** Why nothing may be sent to a URL; null where it may. */
export function refusalOf(
  url: string,
  allowsPrivate: boolean,
): "url_forbidden" | "url_not_encrypted" | null {
  if (isForbiddenUrl(url, allowsPrivate)) {
    return "url_forbidden";
  }
  return !allowsPrivate && new URL(url).protocol !== "https:" ? "url_not_encrypted" : null;
}

const messages = {
  url_forbidden: "must name a public host: the service sends nothing to private addresses",
  url_not_encrypted: "must be an https URL",
} as const;

/** The ports below this one, but for that of https, are those of other services than receivers. */
const firstFreePort = 1024;

/**
 * Whether a receiver may listen on the port of a URL: any port where private receivers are allowed. It is asked of URLs
 * that are sent: one that is stored already goes on.
 */
export function hasReceiverPort(settings: Settings, url: string): boolean {
  const { port } = new URL(url);
  return port === "" || Number(port) >= firstFreePort || allowsPrivateReceivers(settings);
}

export const portMessage =
  "must have the port 443, or one above 1023: lower ones are those of other services";

/**
 * Refuses the URL of a receiver that would never be told anything.
 * @throws {ApiError} 400
 */
export function requireReceiverUrl(settings: Settings, url: string): void {
  const refusal = refusalOf(url, allowsPrivateReceivers(settings));
  if (refusal !== null) {
    throw validationFailed(
      IssueList.of({ path: "body.url", code: "custom", message: messages[refusal] }),
    );
  }
}
