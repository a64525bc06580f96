import type { RateLimiter, Settings } from "../env.ts";
import { ApiError } from "./errors.ts";

/** The period of both limits in wrangler.toml. The binding does not tell what is left of it. */
const periodSeconds = 60;

async function limit(limiter: RateLimiter, key: string): Promise<void> {
  const { success } = await limiter.limit({ key });
  if (!success) {
    throw new ApiError("rate_limit_exceeded", { retry_after_seconds: periodSeconds });
  }
}

const isOff = (settings: Settings) =>
  settings.ENVIRONMENT === "development" && settings.RATE_LIMITS === "off";

/**
 * Counts a request against its key.
 * @throws {ApiError} 429
 */
export async function limitKey(settings: Settings, keyHash: string): Promise<void> {
  if (!isOff(settings)) {
    await limit(settings.KEY_RATE_LIMIT, keyHash);
  }
}

/**
 * Counts a request without a valid key against the address that it comes from.
 * @throws {ApiError} 429
 */
export async function limitAddress(settings: Settings, request: Request): Promise<void> {
  if (!isOff(settings)) {
    // Set by Cloudflare, which overwrites what a client sends.
    const address = request.headers.get("CF-Connecting-IP") ?? "unknown";
    await limit(settings.ADDRESS_RATE_LIMIT, address);
  }
}
