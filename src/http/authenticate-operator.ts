import { openOperatorSession } from "../database/operator-session.ts";
import { ApiError } from "../errors/errors.ts";
import { declares } from "./declares.ts";
import type { OperatorEnv } from "./factory.ts";
import { admitKey, forgetKey, limitAddress, limitKey } from "./limits/rate-limit.ts";
import { presentedKey } from "./presented-key.ts";

/** The errors that can occur in any operation for operators. */
export const operatorErrors = [
  "auth_not_authenticated",
  "auth_key_expired",
  "auth_key_disabled",
  "auth_token_expired",
  "organization_suspended",
  "auth_operator_required",
  "request_conflict",
  "rate_limit_exceeded",
] as const;

/**
 * Requires an operator key. The session in `c.var.operator` checks it in the same database call as
 * the handler's queries. A valid key or token of an organization gets 403. As in `authenticate`, an
 * error about the key takes precedence over errors in later steps.
 */
export const authenticateOperator = () =>
  declares<OperatorEnv, object, (typeof operatorErrors)[number]>(
    { role: "Operator", errors: operatorErrors },
    async (c, next) => {
      const { settings, requestId } = c.var;
      const presented = await presentedKey(c);
      if (presented instanceof ApiError) {
        await limitAddress(c);
        throw presented;
      }
      const { hash: keyHash, hint, counter } = presented;
      c.set("keyHash", keyHash);
      c.set("keyHint", hint);
      await limitKey(c, keyHash, counter);
      const isReading = c.req.method === "GET" || c.req.method === "HEAD";
      const operator = openOperatorSession(settings, { keyHash, requestId }, isReading);
      c.set("operator", operator);
      // Hono stores an error from a later step in `c.error`, but `every` rethrows it.
      let error: unknown = await next().then(
        (): unknown => c.error,
        (thrown: unknown) => thrown,
      );
      if (error && !operator.hasRun) {
        await operator
          .run(() => [])
          .catch((keyError: unknown) => {
            error = keyError;
          });
      }
      if (error instanceof ApiError && error.status === 401) {
        forgetKey(c, keyHash);
        await limitAddress(c);
      } else if (operator.keyId !== null) {
        await admitKey(c, keyHash, null);
      }
      if (error) {
        throw error;
      }
    },
  );
