/** How much of a refused body is read, in bytes, and for how long, in milliseconds. */
export const drainLimits = { bytes: 64 * 1024 * 1024, milliseconds: 2000 } as const;

/**
 * Reads what is left of a request's body, and throws it away. Only for local development: the proxy of
 * `wrangler dev` answers 500 of its own, "Network connection lost", where a Worker answers without having
 * read the whole body. In production Cloudflare's edge stands there, which does not.
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
    // It broke off: there is nothing left to read.
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
}
