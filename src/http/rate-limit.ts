import type { RateLimiter, Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { clientNetwork } from "./client-address.ts";
import { RecentSet } from "./recent-set.ts";

/** The period of all limits in wrangler.toml. The binding does not tell what is left of it. */
const periodSeconds = 60;

/** How long a key counts as good for the limiter after it was, in milliseconds. */
const goodKeyAge = 10 * 60_000;

/** The most addresses, and the most keys, that an isolate remembers: some 2 MB each. */
export const maximumRemembered = 10_000;

/** What an isolate remembers for the limiter alone. Whether a key is let in, it never decides. */
interface Memory {
  /** Addresses over their limit, until the period ends. */
  over: RecentSet;
  /** Hashes of keys that the gate has let in recently. */
  good: RecentSet;
}

const memories = new WeakMap<Settings, Memory>();

function memoryOf(settings: Settings): Memory {
  const known = memories.get(settings);
  const memory = known ?? {
    over: new RecentSet(maximumRemembered),
    good: new RecentSet(maximumRemembered),
  };
  memories.set(settings, memory);
  return memory;
}

const exceeded = () => new ApiError("rate_limit_exceeded", { retry_after_seconds: periodSeconds });

async function isWithin(limiter: RateLimiter, key: string): Promise<boolean> {
  const { success } = await limiter.limit({ key });
  return success;
}

const isOff = (settings: Settings) =>
  settings.ENVIRONMENT === "development" && settings.RATE_LIMITS === "off";

/**
 * Counts a request against its key.
 * @throws {ApiError} 429
 */
export async function limitKey(settings: Settings, keyHash: string): Promise<void> {
  if (!isOff(settings) && !(await isWithin(settings.KEY_RATE_LIMIT, keyHash))) {
    throw exceeded();
  }
}

/**
 * Counts a request without a valid key against the address that it comes from.
 * @throws {ApiError} 429
 */
export async function limitAddress(settings: Settings, request: Request): Promise<void> {
  if (isOff(settings)) {
    return;
  }
  const { over } = memoryOf(settings);
  const address = clientNetwork(request);
  if (!over.has(address)) {
    if (await isWithin(settings.ADDRESS_RATE_LIMIT, address)) {
      return;
    }
    // Periods are taken to begin with the minute. Should they not, the limiter says so once more.
    const periodMs = periodSeconds * 1000;
    over.add(address, (Math.floor(Date.now() / periodMs) + 1) * periodMs);
  }
  throw exceeded();
}

/**
 * Refuses a key that was not good recently from an address that is over its limit, as judging it
 * would cost a call of the database.
 * @throws {ApiError} 429
 */
export function refuseFlood(settings: Settings, request: Request, keyHash: string): void {
  if (isOff(settings)) {
    return;
  }
  const { over, good } = memoryOf(settings);
  if (!good.has(keyHash) && over.has(clientNetwork(request))) {
    throw exceeded();
  }
}

/** Remembers, for {@link refuseFlood}, whether the gate has let a key in. */
export function rememberKey(settings: Settings, keyHash: string, isGood: boolean): void {
  const { good } = memoryOf(settings);
  if (isGood) {
    good.add(keyHash, Date.now() + goodKeyAge);
  } else {
    good.delete(keyHash);
  }
}

/**
 * Whether the gate has let a key in within the last ten minutes, as far as this isolate knows. Says
 * how much work a request may cost before the gate judges it, never whether it may pass.
 */
export const wasGoodRecently = (settings: Settings, keyHash: string): boolean =>
  memoryOf(settings).good.has(keyHash);

/**
 * Counts a request for readiness against its address, apart from those without a valid key: a
 * monitor must not suffer from what others of its network do.
 * @throws {ApiError} 429
 */
export async function limitReadiness(settings: Settings, request: Request): Promise<void> {
  if (
    !isOff(settings) &&
    !(await isWithin(settings.READINESS_RATE_LIMIT, clientNetwork(request)))
  ) {
    throw exceeded();
  }
}
