import { ApiError } from "../../errors/errors.ts";
import { CallFailure } from "./call/call-failure.ts";

/** Returns a failure's code for the log. Never logs its message, which can contain SQL. */
export function failureCode(error: unknown): string {
  if (error instanceof CallFailure) {
    return error.reason;
  }
  if (error instanceof ApiError) {
    switch (error.code) {
      case "rate_limit_exceeded":
        return "too_many_versions";
      // A visit's gate (enterVisit) fails with this code if the lease has been lost.
      case "entity_not_found":
        return "lease_lost";
      default:
        return "database";
    }
  }
  return "internal";
}
