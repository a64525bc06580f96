import type { Settings } from "../../env.ts";
import { ApiError } from "../../errors/errors.ts";
import { clientNetwork } from "./client-address.ts";
import { RecentMap } from "./recent-map.ts";

/** The period of all limits, in seconds, as in wrangler.toml. It is taken to begin with the minute. */
export const periodSeconds = 60;

/**
 * How many requests a period allows (API contract, section 6), and the binding that counts them: it
 * has the same quota in wrangler.toml, and does not tell what is left of it.
 */
export const rateLimits = {
  key: { binding: "KEY_RATE_LIMIT", quota: 300 },
  organization: { binding: "ORGANIZATION_RATE_LIMIT", quota: 1200 },
  address: { binding: "ADDRESS_RATE_LIMIT", quota: 40 },
  readiness: { binding: "READINESS_RATE_LIMIT", quota: 60 },
} as const;

type Policy = keyof typeof rateLimits;

/** What a request was counted against, as it stood then. */
export interface Counted {
  policy: Policy;
  /** How many more requests this isolate would let pass, as far as it knows. */
  left: number;
  /** Seconds from then until the period ends: 1 to 60. */
  seconds: number;
}

/** How long the limiter counts a key as good after the gate has let it in, in milliseconds. */
const goodKeyAge = 10 * 60_000;

/** The most texts in each part of an isolate's memory: some 2 MB each. */
export const maximumRemembered = 10_000;

/** What an isolate remembers for the limiter alone. It never decides whether a key is let in. */
interface Memory {
  /** Addresses over their limit, until the period ends. */
  over: RecentMap<true>;
  /** Organizations of keys that the gate has let in recently, by the keys' hashes. */
  good: RecentMap<string>;
  /** How many requests were counted in this period. */
  counts: Record<Policy, RecentMap<number>>;
}

const memories = new WeakMap<Settings, Memory>();

function memoryOf(settings: Settings): Memory {
  const known = memories.get(settings);
  const memory = known ?? {
    over: new RecentMap(maximumRemembered),
    good: new RecentMap(maximumRemembered),
    counts: {
      key: new RecentMap(maximumRemembered),
      organization: new RecentMap(maximumRemembered),
      address: new RecentMap(maximumRemembered),
      readiness: new RecentMap(maximumRemembered),
    },
  };
  memories.set(settings, memory);
  return memory;
}

const isOff = (settings: Settings) =>
  settings.ENVIRONMENT === "development" && settings.RATE_LIMITS === "off";

/** When this period ends. Should the binding's end later, it refuses once more. */
function period(): { endsAt: number; seconds: number } {
  const now = Date.now();
  const periodMs = periodSeconds * 1000;
  const endsAt = (Math.floor(now / periodMs) + 1) * periodMs;
  return { endsAt, seconds: Math.ceil((endsAt - now) / 1000) };
}

/** The context of a request, as far as it is counted. What is counted is noted there. */
interface Counting {
  req: { raw: Request };
  var: { settings: Settings; counted: Counted[] };
}

/** Counts a request; false where it is over the limit. */
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

/** The refusal of a request that was just counted. */
const exceeded = (c: Counting) =>
  new ApiError("rate_limit_exceeded", {
    retry_after_seconds: c.var.counted.at(-1)?.seconds ?? periodSeconds,
  });

/**
 * Counts a request against its key, and against the organization of a key that was good recently.
 * @throws {ApiError} 429
 */
export async function limitKey(c: Counting, keyHash: string): Promise<void> {
  if (isOff(c.var.settings)) {
    return;
  }
  if (!(await count(c, "key", keyHash))) {
    throw exceeded(c);
  }
  const organization = memoryOf(c.var.settings).good.get(keyHash);
  if (organization !== undefined && !(await count(c, "organization", organization))) {
    throw exceeded(c);
  }
}

/**
 * Counts a request without a valid key against the address that it comes from.
 * @throws {ApiError} 429
 */
export async function limitAddress(c: Counting): Promise<void> {
  const { settings } = c.var;
  if (isOff(settings)) {
    return;
  }
  // A caller who is not let in learns nothing of the organization.
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
 * Refuses a key that was not good recently from an address that is over its limit, as judging it
 * would cost a call of the database.
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
 * Remembers that the gate has let a key in, and counts the request against its organization unless
 * that was known before. It has been served, so it is no longer refused: the next one is.
 */
export async function admitKey(
  c: Counting,
  keyHash: string,
  organizationId: string,
): Promise<void> {
  const { settings } = c.var;
  memoryOf(settings).good.set(keyHash, organizationId, Date.now() + goodKeyAge);
  if (!isOff(settings) && !c.var.counted.some(({ policy }) => policy === "organization")) {
    // A limiter that fails must not turn what has been done into an error.
    await count(c, "organization", organizationId).catch(() => false);
  }
}

/** Forgets a key that the gate has not let in. */
export const forgetKey = (c: Counting, keyHash: string): void =>
  memoryOf(c.var.settings).good.delete(keyHash);

/**
 * Whether the gate has let a key in within the last ten minutes, as far as this isolate knows. Says
 * how much work a request may cost before the gate judges it, never whether it may pass.
 */
export const wasGoodRecently = (settings: Settings, keyHash: string): boolean =>
  memoryOf(settings).good.get(keyHash) !== undefined;

/**
 * Counts a request for readiness against its address, apart from those without a valid key: a
 * monitor must not suffer from what others on its network do.
 * @throws {ApiError} 429
 */
export async function limitReadiness(c: Counting): Promise<void> {
  if (!isOff(c.var.settings) && !(await count(c, "readiness", clientNetwork(c.req.raw)))) {
    throw exceeded(c);
  }
}

/**
 * What a response says of its limits (draft-ietf-httpapi-ratelimit-headers-11, sections 3 and 4).
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
