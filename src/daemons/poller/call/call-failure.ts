import type { ContactError } from "../../../database/tables/index.ts";

/** A call that failed: the daemon was not contacted, did not respond, or sent an invalid response. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  readonly reason: ContactError;
  readonly httpStatus: number | null;

  constructor(reason: ContactError, httpStatus: number | null = null) {
    super(reason);
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}
