import { wake } from "../outbound/agenda.ts";
import { factory } from "./factory.ts";

/**
 * Ends the rest of the background jobs after a request that may have changed something: every
 * request but a read, unless its response is a 4xx, which changes nothing. The response does not
 * wait for it.
 */
export const wakeJobs = factory.createMiddleware(async (c, next) => {
  const { AGENDA } = c.var.settings;
  if (AGENDA === undefined || ["GET", "HEAD", "OPTIONS"].includes(c.req.method)) {
    await next();
    return;
  }
  const ended = Promise.withResolvers<void>();
  // Registered before the change: if the client disconnects, the runtime ends the request as soon as
  // nothing is registered, but the change may have been committed.
  c.executionCtx.waitUntil(
    ended.promise.then(async () => {
      if (c.res.status < 400 || c.res.status >= 500) {
        await wake(AGENDA);
      }
    }),
  );
  try {
    await next();
  } finally {
    ended.resolve();
  }
});
