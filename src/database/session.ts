import { type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Settings } from "../env.ts";
import { ApiError } from "../errors/errors.ts";
import type { Role } from "../roles.ts";
import { connect, type Database, MalformedResponse, ownSearchPath } from "./connection.ts";
import type { Caller } from "./database-failure.ts";
import { type BatchFacts, translateFailure, type Violations } from "./failure.ts";
import { requireHistory } from "./history.ts";
import { giveBackRequests, takeRequests } from "./request-counts.ts";
import { isRolledBack, verdictOf } from "./verdict.ts";

type Queries = readonly BatchItem<"pg">[];

interface RunOptions {
  first?: (database: Database) => Queries;
  violations?: Violations | undefined;
  signal?: AbortSignal;
  isLong?: boolean | undefined;
  isRead?: boolean;
  needsSettled?: boolean;
  ifUnknown?: BatchFacts["ifUnknown"];
}

/** A database session with one caller's rights. */
export interface TenantSession {
  /** The caller; null until the gate has accepted the key. */
  readonly caller: Caller | null;
  /**
   * The caller, if its key and organization are cached in this isolate. Null does not mean that the
   * key is invalid.
   */
  readonly knownCaller: Caller | null;
  /** The subject of the caller's token; null for a key. */
  readonly subject: string | null;
  /** True if the caller is limited to specific networks. False until the gate has accepted the key. */
  readonly isLimited: boolean;
  /**
   * The instant up to which all changes of the organization were settled, for calls with
   * `needsSettled`.
   */
  readonly settled: string | null;
  /** The total duration of all completed database calls, in milliseconds. */
  readonly databaseMs: number;
  /** True if the gate has run, regardless of its result. */
  readonly hasRun: boolean;
  /**
   * Returns the key's organization. A key never changes organization, so it is cached per isolate.
   * For a key that is not cached, this makes a separate call.
   * @throws {ApiError} 401, 403, 409, 503
   */
  organizationId(): Promise<string>;
  /**
   * Calls `then` once, as soon as the next call has been sent: its response can take a long time.
   */
  whenSent(then: () => void): void;
  /**
   * Starting with the next call, makes the gate respond with 403 to keys that are limited to
   * specific networks.
   */
  requireAllNetworks(): void;
  /**
   * Starting with the next call, makes calls fail unless the organization's history is complete
   * from the given instant on.
   * @param isCursor true if the instant comes from a cursor rather than directly from the request
   * @throws {ApiError} 410, from the calls
   */
  requireHistory(instant: string, isCursor: boolean): void;
  /** Starting with the next call, makes a timeout advise the caller to send a smaller body. */
  noteLargeBody(): void;
  /**
   * Runs queries as one HTTP call and one transaction, behind the gate. All calls of a session see
   * the same networks: a call fails if the key's networks have changed since the first call. A list
   * that is read in several calls is therefore aborted rather than silently incomplete.
   *
   * A read is retried once if the connection breaks before a response arrives and at least half of
   * its time is left. A write is never retried, because it may have been committed.
   * @param build the queries whose results are returned; they cannot see records of other tenants
   * @param options.first queries that run before those of `build`, in the same transaction
   * @param options.violations the errors for constraints that these queries can violate
   * @param options.signal cancels the call, for instance when the client has disconnected
   * @param options.isLong true to allow {@link longDeadlineFactor} times the usual deadline
   * @param options.isRead true if the queries only read; defaults to the session's `isReading`
   * @param options.needsSettled true to set {@link settled} to the instant up to which changes are
   *   settled before the queries run
   * @param options.ifUnknown the advice to the caller if it is unknown whether the queries were
   *   committed; by default, to read first
   * @throws {ApiError} 401, 403, 409 (also if the key's networks have changed since the session's
   *   first call), 503, or the error with which a query aborts the batch
   */
  run<const Built extends Queries>(
    build: (database: Database) => Built,
    options?: RunOptions,
  ): Promise<BatchResponse<Built>>;
}

/**
 * The factor by which the deadline of an import or a large deletion exceeds that of other calls: by
 * default, 24 s instead of 8 s. Neither Neon nor Workers ends such a call early. The longer
 * deadline is below the 30 s after which many clients and gateways give up, and it limits the time
 * that other requests wait for the locks.
 */
export const longDeadlineFactor = 3;

/**
 * The hash of a well-formed key or of a token, the token's subject, the operation's minimum role,
 * and the request's id.
 */
interface PresentedKey {
  keyHash: string;
  subject: string | null;
  role: Role;
  /** Stored with the changes of the request (API contract, section 11). */
  requestId: string;
}

/** Maximum number of keys that an isolate caches, each with its id and organization: about 3 MB. */
const maximumRemembered = 10_000;

/** The callers that the gate has accepted, by key hash. */
const callers = new Map<string, Caller>();

function remember(keyHash: string, caller: Caller): void {
  callers.set(keyHash, caller);
  if (callers.size > maximumRemembered) {
    const [oldest] = callers.keys();
    callers.delete(oldest ?? keyHash);
  }
}

/**
 * Opens a session for the bearer of a key. This does not make a call, because the gate runs
 * together with the queries.
 * @param isReading true if all calls of the session only read
 */
export function openTenantSession(
  settings: Settings,
  key: PresentedKey,
  isReading: boolean,
): TenantSession {
  let caller: Caller | null = null;
  let hasRun = false;
  let needsAllNetworks = false;
  let isLarge = false;
  let neededHistory: SQL | undefined;
  let onSent: (() => void) | undefined;
  let reach: string | null = null;
  let databaseMs = 0;
  let settled: string | null = null;
  return {
    get caller() {
      return caller;
    },
    get knownCaller() {
      return callers.get(key.keyHash) ?? null;
    },
    subject: key.subject,
    get isLimited() {
      return reach !== null && reach !== reachesAll;
    },
    get settled() {
      return settled;
    },
    get databaseMs() {
      return databaseMs;
    },
    get hasRun() {
      return hasRun;
    },
    async organizationId() {
      if (!callers.has(key.keyHash)) {
        await this.run(() => []);
      }
      const organizationId = callers.get(key.keyHash)?.organization_id;
      if (organizationId === undefined) {
        // Without an organization, secrets would be sealed in a way that prevents them from ever
        // being opened.
        throw new Error("The gate let a key in without its organization.");
      }
      return organizationId;
    },
    whenSent(then) {
      onSent = then;
    },
    requireAllNetworks() {
      needsAllNetworks = true;
    },
    requireHistory(instant, isCursor) {
      neededHistory = requireHistory(instant, isCursor);
    },
    noteLargeBody() {
      isLarge = true;
    },
    async run<const Built extends Queries>(
      build: (database: Database) => Built,
      {
        first,
        violations,
        signal,
        isLong = false,
        isRead = isReading,
        needsSettled = false,
        ifUnknown = "read_first",
      }: RunOptions = {},
    ): Promise<BatchResponse<Built>> {
      const isFirst = !hasRun;
      hasRun = true;
      const organizationId = callers.get(key.keyHash)?.organization_id;
      let counted = isFirst ? takeRequests(organizationId) : 0;
      const deadlineMs = settings.DATABASE_DEADLINE_MS * (isLong ? longDeadlineFactor : 1);
      const startedAt = Date.now();
      const endsAt = startedAt + deadlineMs;
      const deadline = AbortSignal.timeout(deadlineMs);
      const database = connect(settings, signal ? AbortSignal.any([signal, deadline]) : deadline);
      const preceding = first?.(database) ?? [];
      const statements = build(database);
      // Runs last: if the start of history has not moved by then, the history that the queries read
      // was complete.
      const following = neededHistory ? [database.execute(neededHistory)] : [];
      const queries = [...preceding, ...statements, ...following];
      // The gate writes only the key's last use, so it can safely run twice.
      const isWrite = !isRead && queries.length > 0;
      const attempt = async (leftMs: number) => {
        const results = await database.batch([
          database.execute<Entered>(enter(key, leftMs, { needsAllNetworks, needsSettled })),
          ...(counted > 0 ? [database.execute(sql`select app.count_requests(${counted})`)] : []),
          ...queries,
        ]);
        // The gate returns one row or aborts the batch.
        if (results[0].rows.length !== 1) {
          throw new MalformedResponse();
        }
        return results;
      };
      const answer = attempt(deadlineMs);
      onSent?.();
      onSent = undefined;
      const [entered, ...results] = await answer
        .catch(async (error: unknown) => {
          const verdict = verdictOf(error);
          const { retryAfterMs } = verdict;
          if (!isRolledBack(verdict)) {
            // The requests may have been stored. They must not be counted twice.
            counted = 0;
          }
          if (isWrite || retryAfterMs === null || endsAt - Date.now() < deadlineMs / 2) {
            throw error;
          }
          if (retryAfterMs > 0) {
            await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
          }
          return attempt(endsAt - Date.now());
        })
        .catch((error: unknown) => {
          giveBackRequests(organizationId, isRolledBack(verdictOf(error)) ? counted : 0);
          throw translateFailure(error, violations, { isWrite, isLarge, ifUnknown });
        })
        .finally(() => {
          databaseMs += Date.now() - startedAt;
        });
      const [entry] = entered.rows;
      if (entry) {
        caller = { key_id: entry.key_id, organization_id: entry.organization_id };
        reach ??= entry.reach;
        settled = entry.settled;
        remember(key.keyHash, caller);
      }
      if (entry?.reach !== reach) {
        throw new ApiError("request_conflict", {});
      }
      // TypeScript cannot type this slice: only the results of `build` are returned.
      const start = (counted > 0 ? 1 : 0) + preceding.length;
      return results.slice(start, start + statements.length) as unknown as BatchResponse<Built>;
    },
  };
}

/** The `reach` of a key that is not limited to specific networks. */
const reachesAll = "all";

/** The row that the gate returns for a valid key. */
interface Entered extends Record<string, unknown> {
  key_id: string;
  organization_id: string;
  /** {@link reachesAll}, or a digest of the networks that the key has access to. */
  reach: string;
  settled: string | null;
}

/**
 * Runs the gate, `app.enter`, and then switches to the role that row-level security applies to. The
 * gate aborts the batch unless the key is valid.
 */
const enter = (
  { keyHash, role, requestId }: PresentedKey,
  deadlineMs: number,
  { needsAllNetworks, needsSettled }: { needsAllNetworks: boolean; needsSettled: boolean },
): SQL => sql`
  select set_config('role', 'inventory_api', true), ${ownSearchPath},
    set_config('app.request_id', ${requestId}, true),
    -- None of these columns has a custom type, because Neon's proxy would look up each custom type
    -- on each new connection.
    entered.key_id, entered.organization_id, entered.reach, entered.settled
  from app.enter(decode(${keyHash}, 'hex'), ${role}, ${deadlineMs}, ${needsAllNetworks},
    ${needsSettled}) as entered`;
