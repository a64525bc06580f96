import type { Context } from "hono";
import { databaseFailureBehind } from "../database/database-failure.ts";
import type { TenantSession } from "../database/session.ts";
import { wake } from "../outbound/agenda.ts";
import { signalChange } from "../outbound/change-signal.ts";
import { type AppEnv, factory } from "./factory.ts";

/**
 * Announces a request that may have changed something, which is every request but a read: ends the
 * rest of the background jobs, and the waits for changes of the organization. The response does not
 * wait for it.
 */
export const announceChanges = factory.createMiddleware(async (c, next) => {
  const { AGENDA, CHANGE_SIGNAL } = c.var.settings;
  const isHeard = AGENDA !== undefined || CHANGE_SIGNAL !== undefined;
  if (!isHeard || ["GET", "HEAD", "OPTIONS"].includes(c.req.method)) {
    await next();
    return;
  }
  const ended = Promise.withResolvers<void>();
  // Registered before the change: if the client disconnects, the runtime ends the request as soon as
  // nothing is registered, but the change may have been committed.
  c.executionCtx.waitUntil(ended.promise.then(() => announce(c)));
  try {
    await next();
  } finally {
    ended.resolve();
  }
});

async function announce(c: Context<AppEnv> & { var: { tenant?: TenantSession } }): Promise<void> {
  const { settings, tenant } = c.var;
  const { status } = c.res;
  // A 4xx changes nothing. But as long as its transaction was in progress, later changes of others
  // were not listed.
  const hasChanged = status < 400 || status >= 500;
  const caller = tenant?.caller ?? databaseFailureBehind(c.error)?.caller ?? tenant?.knownCaller;
  await Promise.all([
    hasChanged && settings.AGENDA && wake(settings.AGENDA),
    caller && signalChange(settings, caller.organization_id),
  ]);
}
