import { bodyLimit } from "hono/body-limit";
import { ApiError } from "./errors.ts";
import { factory } from "./factory.ts";

/** The largest body that is read, in bytes. */
export const maxBodyBytes = 1024 * 1024;

const limited = bodyLimit({
  maxSize: maxBodyBytes,
  onError: () => {
    throw new ApiError("request_too_large", { max_bytes: maxBodyBytes });
  },
});

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Lets a request pass whose body is JSON by its media type, small enough, and UTF-8 (RFC 8259,
 * section 8.1). Decoding that replaces what it cannot read would change what is stored.
 * @throws {ApiError} 415, 413, 400
 */
export const jsonBody = factory.createMiddleware(async (c, next) => {
  const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new ApiError("request_unsupported_media_type", {});
  }
  return limited(c, async () => {
    try {
      utf8.decode(await c.req.arrayBuffer());
    } catch {
      throw new ApiError("request_malformed_json", {});
    }
    await next();
  });
});
