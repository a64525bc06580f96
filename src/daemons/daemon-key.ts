import { encodeBase64Url } from "hono/utils/encode";

/** A key by which a daemon knows the service: 256 random bits. */
export const mintDaemonKey = (): string =>
  `inv_d_${encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)).buffer).replace(/=+$/, "")}`;
