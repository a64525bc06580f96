/** The authenticated caller, as returned by the gate. */
export interface Caller {
  key_id: string;
  organization_id: string;
}

/**
 * The reason why the database did not serve a request, for the log. It does not contain text from
 * the driver.
 */
export type FailureReason =
  /** The database did not respond in time, or it cancelled a statement that reached its timeout. */
  | "deadline"
  /** Another transaction held a lock for too long. */
  | "lock"
  /** Postgres refused the login or the database in the connection string. */
  | "login"
  /** Postgres was unreachable, broke the connection, or was starting or stopping. */
  | "connection"
  /** Postgres ran out of connections, memory or disk space. */
  | "resources"
  /** The client disconnected first. */
  | "cancelled"
  /** The request or the response is larger than Neon's endpoint accepts. */
  | "too_large"
  /** The endpoint was unreachable, or the connection to it broke. */
  | "network"
  /** Neon's endpoint failed without an SQLSTATE. */
  | "endpoint"
  /** The response is not JSON. */
  | "not_json"
  /** Results, rows or columns are missing from the response. */
  | "malformed"
  /** Postgres failed in another way; see the SQLSTATE. */
  | "sqlstate"
  /** The schema is older than this version, or the login lacks privileges. */
  | "schema"
  /** A stored secret is sealed with a key that is not in SEALING_KEYS. */
  | "sealing_key_missing"
  /** A stored secret cannot be opened with the key that it names. */
  | "sealing_key_wrong";

/**
 * A database failure with only the details that may leave this module. The original error is
 * dropped on purpose, because drivers put SQL and parameters into its message.
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
 * The request has already been served: an earlier request with the same operation and body claimed
 * its `Idempotency-Key`. This is not an API error; the response contains the records that the
 * earlier request created.
 */
export class ReplayedRequest extends Error {
  override readonly name = "ReplayedRequest";
  /** The created records, in the order of the request. */
  readonly recordIds: readonly string[];
  readonly caller: Caller;

  constructor(recordIds: readonly string[], caller: Caller) {
    super("The request was served before.");
    this.recordIds = recordIds;
    this.caller = caller;
  }
}

/** Returns the database failure that caused an error, if any. */
export function databaseFailureBehind(error: unknown): DatabaseFailure | null {
  if (error instanceof DatabaseFailure) {
    return error;
  }
  return error instanceof Error && error.cause !== undefined
    ? databaseFailureBehind(error.cause)
    : null;
}
