import { ApiError } from "../../errors/errors.ts";

/** A page is too large to be read at once, which is no failure: what only reads takes no body. */
export function nullIfTooLarge(error: unknown): null {
  if (error instanceof ApiError && error.code === "request_too_large") {
    return null;
  }
  throw error;
}
