/** The minimum time between two calls that store the requests of one organization, in milliseconds. */
const storedEveryMs = 60_000;

/** Maximum number of organizations whose requests an isolate counts: about 2 MB. */
const maximumCounted = 10_000;

interface Pending {
  requests: number;
  storedAt: number;
}

/** The requests that this isolate has not stored yet, by organization. */
const pending = new Map<string, Pending>();

/**
 * Counts a request, for billing (API contract, section 15). Most requests are only counted in memory,
 * so that they need no write. The requests that an isolate counted after it last stored them are
 * lost when it ends.
 * @param organizationId undefined if this isolate does not know the organization of the key yet
 * @returns the number of requests to store with the request's database call; 0 if none
 */
export function takeRequests(organizationId: string | undefined, now = Date.now()): number {
  if (organizationId === undefined) {
    return 1;
  }
  const known = pending.get(organizationId);
  const requests = (known?.requests ?? 0) + 1;
  const isDue = known === undefined || now - known.storedAt >= storedEveryMs;
  pending.set(
    organizationId,
    isDue ? { requests: 0, storedAt: now } : { requests, storedAt: known.storedAt },
  );
  if (pending.size > maximumCounted) {
    const [oldest] = pending.keys();
    pending.delete(oldest ?? organizationId);
  }
  return isDue ? requests : 0;
}

/** Gives back the requests of a call that was rolled back, so that the next call stores them. */
export function giveBackRequests(organizationId: string | undefined, requests: number): void {
  const known = organizationId === undefined ? undefined : pending.get(organizationId);
  if (known && requests > 0) {
    known.requests += requests;
    known.storedAt = 0;
  }
}
