import { encodeBase64Url } from "hono/utils/encode";

/** Creates a key that authenticates the service to a daemon: 256 random bits. */
export const mintDaemonKey = (): string =>
  `inv_d_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).replaceAll("=", "")}`;
