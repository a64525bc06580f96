import type { Settings } from "../../env.ts";
import { IssueList, validationFailed } from "../../http/validation/issues.ts";
import { isForbiddenUrl } from "../../outbound/forbidden-url.ts";

/** True if receivers with private addresses or without encryption are allowed. */
export const allowsPrivateReceivers = ({
  ENVIRONMENT,
  PRIVATE_WEBHOOK_ADDRESSES,
}: Settings): boolean => ENVIRONMENT === "development" && PRIVATE_WEBHOOK_ADDRESSES === "allowed";

/** Returns the reason why a URL is forbidden, or null if it is allowed. */
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
  url_forbidden: "must have a public host: the service sends nothing to private addresses",
  url_not_encrypted: "must be an https URL",
} as const;

/** Lower ports, except 443, belong to services that are not webhook receivers. */
const firstFreePort = 1024;

/**
 * True if the URL's port is allowed for receivers; if private receivers are allowed, every port is
 * allowed. Applies only to URLs in requests: stored URLs keep working.
 */
export function hasReceiverPort(settings: Settings, url: string): boolean {
  const { port } = new URL(url);
  return port === "" || Number(port) >= firstFreePort || allowsPrivateReceivers(settings);
}

export const portMessage =
  "must have the port 443 or one above 1023: lower ports belong to other services";

/**
 * Rejects a URL to which the service would never send anything.
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
