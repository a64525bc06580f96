import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors/errors.ts";
import { clientNetwork } from "./client-address.ts";
import { RecentMap } from "./recent-map.ts";

/**
 * The period of all limits, in seconds, as in wrangler.toml. Periods are assumed to start on the
 * minute.
 */
export const periodSeconds = 60;

/**
 * Maximum number of requests per period (API contract, section 6), and the binding that counts
 * them. The binding has the same quota in wrangler.toml, but does not report the number of
 * remaining requests.
 */
export const rateLimits = {
  key: { binding: "KEY_RATE_LIMIT", quota: 300 },
  organization: { binding: "ORGANIZATION_RATE_LIMIT", quota: 1200 },
  address: { binding: "ADDRESS_RATE_LIMIT", quota: 40 },
  readiness: { binding: "READINESS_RATE_LIMIT", quota: 60 },
  reachability: { binding: "REACHABILITY_RATE_LIMIT", quota: 10 },
} as const;

type Policy = keyof typeof rateLimits;

/** A policy against which the request was counted, with its state afterward. */
export interface Counted {
  policy: Policy;
  /** Remaining requests, as far as this isolate knows. */
  left: number;
  /** Seconds until the period ends, 1 to 60. */
  seconds: number;
}

/**
 * The time for which the limiter treats a key as valid after the gate has accepted it, in
 * milliseconds.
 */
const goodKeyAge = 10 * 60_000;

/** Maximum number of entries in each of the limiter's maps: about 2 MB per map. */
export const maximumRemembered = 10_000;

/** The limiter's state in an isolate. It never determines whether a key is valid. */
interface Memory {
  /** The client addresses that have exceeded their limit in the current period. */
  over: RecentMap<true>;
  /** The organizations of recently accepted keys, by key hash; null for an operator key. */
  good: RecentMap<string | null>;
  /**
   * By policy, the number of requests in the current period of each key, organization or client
   * address.
   */
  counts: Record<Policy, RecentMap<number>>;
}

const memories = new WeakMap<Settings, Memory>();

function memoryOf(settings: Settings): Memory {
  const existing = memories.get(settings);
  const memory = existing ?? {
    over: new RecentMap(maximumRemembered),
    good: new RecentMap(maximumRemembered),
    counts: {
      key: new RecentMap(maximumRemembered),
      organization: new RecentMap(maximumRemembered),
      address: new RecentMap(maximumRemembered),
      readiness: new RecentMap(maximumRemembered),
      reachability: new RecentMap(maximumRemembered),
    },
  };
  memories.set(settings, memory);
  return memory;
}

const isOff = (settings: Settings) =>
  settings.ENVIRONMENT === "development" && settings.RATE_LIMITS === "off";

/**
 * The end of the current period. If the binding's period ends later, the binding rejects one more
 * request.
 */
function period(): { endsAt: number; seconds: number } {
  const now = Date.now();
  const periodMs = periodSeconds * 1000;
  const endsAt = (Math.floor(now / periodMs) + 1) * periodMs;
  return { endsAt, seconds: Math.ceil((endsAt - now) / 1000) };
}

/** The part of the context that counting needs. Counts are recorded in `counted`. */
export interface Counting {
  req: { raw: Request };
  var: { settings: Settings; counted: Counted[] };
}

/** Counts a request. Returns false if it exceeds the limit. */
async function count(c: Counting, policy: Policy, text: string): Promise<boolean> {
  const { settings } = c.var;
  const { binding, quota } = rateLimits[policy];
  const { success } = await settings[binding].limit({ key: text });
  const { endsAt, seconds } = period();
  const counts = memoryOf(settings).counts[policy];
  const taken = success ? (counts.get(text) ?? 0) + 1 : quota;
  counts.set(text, taken, endsAt);
  c.var.counted.push({ policy, left: Math.max(0, quota - taken), seconds });
  return success;
}

/** The error for a request that has just been counted. */
const exceeded = (c: Counting) =>
  new ApiError("rate_limit_exceeded", {
    retry_after_seconds: c.var.counted.at(-1)?.seconds ?? periodSeconds,
  });

/**
 * Counts a request against its key, and against the organization of a recently accepted key.
 * @param counter identifies the requests that are counted together: those made with one key, or
 *   with the tokens that one key has issued for one subject
 * @throws {ApiError} 429
 */
export async function limitKey(c: Counting, keyHash: string, counter: string): Promise<void> {
  if (isOff(c.var.settings)) {
    return;
  }
  if (!(await count(c, "key", counter))) {
    throw exceeded(c);
  }
  const organization = recentOrganization(c.var.settings, keyHash);
  if (organization && !(await count(c, "organization", organization))) {
    throw exceeded(c);
  }
}

/**
 * Counts a request without a valid key against its client address.
 * @throws {ApiError} 429
 */
export async function limitAddress(c: Counting): Promise<void> {
  const { settings } = c.var;
  if (isOff(settings)) {
    return;
  }
  // A caller without a valid key must not learn anything about the organization.
  const position = c.var.counted.findIndex(({ policy }) => policy === "organization");
  if (position >= 0) {
    c.var.counted.splice(position, 1);
  }
  refuseOverAddress(c);
  const address = clientNetwork(c.req.raw);
  if (!(await count(c, "address", address))) {
    memoryOf(settings).over.set(address, true, period().endsAt);
    throw exceeded(c);
  }
}

/**
 * If the client address is over its limit, rejects a key that has not been accepted recently, since
 * checking the key would cost a database call and, for a token, the verification of its signature.
 * @throws {ApiError} 429
 */
export function refuseFlood(c: Counting, keyHash: string): void {
  if (!isOff(c.var.settings) && !wasGoodRecently(c.var.settings, keyHash)) {
    refuseOverAddress(c);
  }
}

function refuseOverAddress(c: Counting): void {
  if (memoryOf(c.var.settings).over.get(clientNetwork(c.req.raw))) {
    c.var.counted.push({ policy: "address", left: 0, seconds: period().seconds });
    throw exceeded(c);
  }
}

/**
 * Remembers that the gate accepted a key, and counts the request against the key's organization
 * unless {@link limitKey} has already done so. This request has been served, so only the next
 * request can be rejected.
 * @param organizationId null for an operator key, which belongs to no organization
 */
export async function admitKey(
  c: Counting,
  keyHash: string,
  organizationId: string | null,
): Promise<void> {
  const { settings } = c.var;
  memoryOf(settings).good.set(keyHash, organizationId, Date.now() + goodKeyAge);
  if (
    organizationId !== null &&
    !isOff(settings) &&
    !c.var.counted.some(({ policy }) => policy === "organization")
  ) {
    // A failing limiter must not turn a completed request into an error.
    await count(c, "organization", organizationId).catch(() => false);
  }
}

/** Forgets a key that the gate rejected. */
export const forgetKey = (c: Counting, keyHash: string): void =>
  memoryOf(c.var.settings).good.delete(keyHash);

/**
 * The organization of a key that the gate accepted within the last ten minutes, if this isolate
 * knows it; null for an operator key.
 */
export const recentOrganization = (
  settings: Settings,
  keyHash: string,
): string | null | undefined => memoryOf(settings).good.get(keyHash);

/**
 * True if this isolate knows that the gate accepted the key within the last ten minutes. This
 * determines only the amount of work that a request may cause before the gate checks its key, never
 * the validity of the key.
 */
export const wasGoodRecently = (settings: Settings, keyHash: string): boolean =>
  recentOrganization(settings, keyHash) !== undefined;

/**
 * Counts a readiness request against its client address, separately from requests without a valid
 * key: other clients on the same network must not block a monitor.
 * @throws {ApiError} 429
 */
export async function limitReadiness(c: Counting): Promise<void> {
  if (!isOff(c.var.settings) && !(await count(c, "readiness", clientNetwork(c.req.raw)))) {
    throw exceeded(c);
  }
}

/**
 * Counts a reachability test against its organization. Otherwise, callers could scan the ports of
 * other people's hosts through this service.
 * @throws {ApiError} 429
 */
export async function limitReachability(c: Counting, organizationId: string): Promise<void> {
  if (!isOff(c.var.settings) && !(await count(c, "reachability", organizationId))) {
    throw exceeded(c);
  }
}

/**
 * The rate limit headers of a response (draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4).
 * @example { "RateLimit-Policy": '"key";q=300;w=60', RateLimit: '"key";r=271;t=33' }
 */
export const rateLimitHeaders = (counted: readonly Counted[]) => ({
  "RateLimit-Policy": counted
    .map(({ policy }) => `"${policy}";q=${rateLimits[policy].quota};w=${periodSeconds}`)
    .join(", "),
  RateLimit: counted
    .map(({ policy, left, seconds }) => `"${policy}";r=${left};t=${seconds}`)
    .join(", "),
});
