/** Limits for draining an unread body. */
export const drainLimits = { bytes: 64 * 1024 * 1024, milliseconds: 2000 } as const;

/**
 * Reads and discards the rest of a request's body. This is only for local development: if a Worker
 * responds before it has read the whole body, the proxy of `wrangler dev` replaces the response
 * with a 500 "Network connection lost". Cloudflare's edge does not do this.
 */
export async function drain({ body }: Request): Promise<void> {
  if (body === null || body.locked) {
    return;
  }
  const reader = body.getReader();
  const timer = setTimeout(() => reader.cancel().catch(() => {}), drainLimits.milliseconds);
  try {
    let bytes = 0;
    for (let isDone = false; !isDone && bytes < drainLimits.bytes; ) {
      const { done, value } = await reader.read();
      isDone = done;
      bytes += value?.length ?? 0;
    }
  } catch {
    // The connection is closed, so nothing is left to read.
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
}
