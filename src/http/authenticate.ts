import type { Context } from "hono";
import { databaseFailureBehind } from "../database/database-failure.ts";
import { openTenantSession, type TenantSession } from "../database/session.ts";
import { ApiError, type ErrorCode } from "../errors/errors.ts";
import type { Role } from "../roles.ts";
import { declares } from "./declares.ts";
import type { TenantEnv } from "./factory.ts";
import { admitKey, forgetKey, limitAddress, limitKey } from "./limits/rate-limit.ts";
import { presentedKey } from "./presented-key.ts";

/** The errors that can occur in any operation that needs a key and uses the database. */
const gateErrors = [
  "auth_not_authenticated",
  "auth_key_expired",
  "auth_key_disabled",
  "auth_token_expired",
  "organization_suspended",
  "request_conflict",
  "rate_limit_exceeded",
] as const;

/**
 * Every key has at least the Viewer role, so an operation that requires only Viewer never responds
 * with 403 because of the role.
 */
type ErrorsOf<Least extends Role> =
  | (typeof gateErrors)[number]
  | (Least extends "Viewer" ? never : "auth_permission_denied");

function errorsOf<Least extends Role>(role: Least): readonly ErrorsOf<Least>[] {
  const errors: ErrorCode[] = [
    ...gateErrors,
    ...(role === "Viewer" ? [] : ["auth_permission_denied" as const]),
  ];
  // The compiler does not narrow the generic type by this condition.
  return errors as readonly ErrorCode[] as readonly ErrorsOf<Least>[];
}

/**
 * Requires a well-formed API key, or a token with a valid signature. The session in `c.var.tenant`
 * checks the key or the token in the same database call as the handler's queries.
 *
 * If a later step rejects the request before any query has run, the key is still checked, and its
 * 401 or 403 takes precedence (API contract, section 2).
 *
 * @param role the minimum role for the operation
 * @example
 * factory.createHandlers(authenticate("Viewer"), validate({ query }), async (c) => …)
 */
export const authenticate = <Least extends Role>(role: Least) =>
  declares<TenantEnv, object, ErrorsOf<Least>>(
    { role, errors: errorsOf(role) },
    async (c, next) => {
      const { settings, requestId } = c.var;
      const presented = await presentedKey(c);
      if (presented instanceof ApiError) {
        await limitAddress(c);
        throw presented;
      }
      if (presented.isOperator) {
        await limitAddress(c);
        throw new ApiError("auth_not_authenticated", { reason: "operator_key" });
      }
      const { hash: keyHash, hint, counter, subject } = presented;
      c.set("keyHash", keyHash);
      await limitKey(c, keyHash, counter);
      const isReading = c.req.method === "GET" || c.req.method === "HEAD";
      const key = { keyHash, subject, role, requestId };
      const tenant = openTenantSession(settings, key, isReading);
      c.set("tenant", tenant);
      c.set("keyHint", hint);
      // Hono stores an error from a later step in `c.error`, but `every` rethrows it.
      const thrown = await next().then(
        (): unknown => c.error,
        (error: unknown) => error,
      );
      await judgeKeyFirst(c, keyHash, thrown);
    },
  );

/**
 * Runs the gate unless it has already run or the operation does not need a key.
 * @throws {ApiError} 401, 403, 409, 503
 */
export async function judgeKey(tenant: TenantSession | undefined): Promise<void> {
  if (tenant && !tenant.hasRun) {
    await tenant.run(() => []);
  }
}

/**
 * An error about the key takes precedence over any error in a later step, even a bug: a request
 * without a valid key must count against the limits even if it provokes a 500.
 */
async function judgeKeyFirst(
  c: Context<TenantEnv>,
  keyHash: string,
  thrown: unknown,
): Promise<void> {
  const tenant = c.get("tenant");
  let error = thrown;
  try {
    if (error) {
      await judgeKey(tenant);
    }
  } catch (keyError) {
    error = keyError;
  }
  const caller = tenant.caller ?? databaseFailureBehind(error)?.caller;
  if (error instanceof ApiError && error.status === 401) {
    forgetKey(c, keyHash);
    await limitAddress(c);
  } else if (caller) {
    await admitKey(c, keyHash, caller.organization_id);
  }
  if (error) {
    throw error;
  }
}
