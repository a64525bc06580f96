/** Who asked, as the gate found out. */
export interface Caller {
  key_id: string;
  organization_id: string;
}

/** Why the database did not serve a request, for the log: words of ours, nothing of the driver's. */
export type FailureReason =
  /** It did not respond in time, or cancelled a statement at its timeout. */
  | "deadline"
  /** Somebody else held a lock for too long. */
  | "lock"
  /** The login or the database of its connection string is refused. */
  | "login"
  /** Postgres was not reached, broke the connection, or stops or starts. */
  | "connection"
  /** Postgres has no connection, memory or disk left. */
  | "resources"
  /** The client went away first. */
  | "cancelled"
  /** The request or the response is larger than Neon's endpoint takes. */
  | "too_large"
  /** The endpoint was not reached, or the connection to it broke. */
  | "network"
  /** Neon's endpoint failed by itself, without an SQLSTATE. */
  | "endpoint"
  /** What came back is not JSON. */
  | "not_json"
  /** What came back lacks results, rows or columns. */
  | "malformed"
  /** Postgres failed in another way; the SQLSTATE says how. */
  | "sqlstate"
  /** Its schema is older than this version, or the login lacks privileges. */
  | "schema"
  /** A stored secret is sealed by a key that SEALING_KEYS lacks. */
  | "sealing_key_missing"
  /** A stored secret does not open with the key of its name. */
  | "sealing_key_wrong";

/**
 * All that may be known of a failure of the database outside this module. The original error is
 * dropped on purpose: drivers put SQL and parameters into its message.
 */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
  readonly reason: FailureReason;
  readonly sqlstate: string | null;
  readonly caller: Caller | null;

  constructor(reason: FailureReason, sqlstate: string | null = null, caller: Caller | null = null) {
    super("The database call failed.");
    this.reason = reason;
    this.sqlstate = sqlstate;
    this.caller = caller;
  }
}

/**
 * The request was served before: its `Idempotency-Key` is claimed, by the same operation and body. No
 * error of the API: what was created then is the response.
 */
export class ReplayedRequest extends Error {
  override readonly name = "ReplayedRequest";
  /** What was created, in the order sent. */
  readonly recordIds: readonly string[];
  readonly caller: Caller;

  constructor(recordIds: readonly string[], caller: Caller) {
    super("The request was served before.");
    this.recordIds = recordIds;
    this.caller = caller;
  }
}

/** The failure of the database behind an error, if one is. */
export function databaseFailureBehind(error: unknown): DatabaseFailure | null {
  if (error instanceof DatabaseFailure) {
    return error;
  }
  return error instanceof Error && error.cause !== undefined
    ? databaseFailureBehind(error.cause)
    : null;
}
