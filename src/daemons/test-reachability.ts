import * as z from "zod";
import { type ContactError, contactErrors } from "../database/tables/index.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { limitReachability } from "../http/limits/rate-limit.ts";
import { validate } from "../http/validation/validate.ts";
import { url } from "./input.ts";
import { callDaemon } from "./poller/call/call.ts";
import { CallFailure } from "./poller/call/call-failure.ts";
import { allowsPrivate } from "./poller/poll.ts";

/** The deadline for the response, in milliseconds. */
export const reachabilityDeadlineMs = 5000;

/** The body of a reachability test. */
const reachabilityInput = z
  .strictObject({
    url,
    check_health: z.boolean().default(false).meta({
      description: "True to also check that the response is that of a healthy daemon.",
    }),
  })
  .meta({ id: "ReachabilityTest", description: "The URL of a daemon that may not exist yet." });

/** The result of a reachability test (API contract, section 10). */
export const reachabilitySchema = z
  .object({
    reachable: z.boolean().meta({ description: "True if something responds at the URL." }),
    error: z
      .enum(contactErrors)
      .nullable()
      .meta({ description: "Why it is not a healthy daemon, as in `last_error` of daemons." }),
    health: z.boolean().nullable().meta({
      description: "True if the response is that of a healthy daemon; null if it was not checked.",
    }),
  })
  .meta({ id: "Reachability", description: "The result of a reachability test." });
type Reachability = z.output<typeof reachabilitySchema>;

/** The errors after which it is unknown whether anything listens at the URL. */
const unreached = new Set<ContactError>([
  "url_forbidden",
  "url_not_encrypted",
  "timed_out",
  "connection_refused",
  "dns_failed",
  "tls_failed",
]);

/** Requests the health of a daemon, which does not require its key. */
async function healthError(
  daemonUrl: string,
  isPrivateAllowed: boolean,
): Promise<ContactError | null> {
  const signal = AbortSignal.timeout(reachabilityDeadlineMs);
  try {
    await callDaemon(
      { url: daemonUrl, allowsPrivate: isPrivateAllowed },
      { path: "health", signal },
    );
    return null;
  } catch (error) {
    if (!(error instanceof CallFailure)) {
      throw error;
    }
    return error.reason;
  }
}

/**
 * POST /api/v1/daemons/test-reachability: sends one request to the URL of a daemon, before it is
 * provisioned.
 */
export const testReachability = factory.createHandlers(
  authenticate("Member"),
  validate({ json: reachabilityInput }),
  mayFail("rate_limit_exceeded"),
  async (c) => {
    const { url: daemonUrl, check_health } = c.req.valid("json");
    const { settings, tenant } = c.var;
    // The key must be valid before anything is sent.
    await tenant.run(() => []);
    await limitReachability(c, await tenant.organizationId());
    const error = await healthError(daemonUrl, allowsPrivate(settings));
    const reachable = error === null || !unreached.has(error);
    const result: Reachability = {
      reachable,
      error: reachable && !check_health ? null : error,
      health: check_health ? error === null : null,
    };
    return ok(c, result);
  },
);
