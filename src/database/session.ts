import { type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Settings } from "../env.ts";
import { ApiError } from "../errors/errors.ts";
import type { Role } from "../roles.ts";
import { connect, type Database, MalformedResponse, ownSearchPath } from "./connection.ts";
import type { Caller } from "./database-failure.ts";
import { type BatchFacts, translateFailure, type Violations } from "./failure.ts";
import { requireHistory } from "./history.ts";
import { verdictOf } from "./verdict.ts";

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

/** The database as one caller may see it. */
export interface TenantSession {
  /** Who asked; null until the gate has let the caller in. */
  readonly caller: Caller | null;
  /** The key and its organization, if this isolate has learned them; null does not mean that the key is bad. */
  readonly knownCaller: Caller | null;
  /** Up to which instant all changes of the organization were settled when a call that needs it began. */
  readonly settled: string | null;
  /** How long the calls to the database have taken that have ended, in milliseconds. */
  readonly databaseMs: number;
  /** Whether the gate has run, whatever it decided. */
  readonly hasRun: boolean;
  /**
   * The organization of the key. A key never changes organization, so the gate's answer is cached per
   * isolate; a key that is new to it costs a call of its own.
   * @throws {ApiError} 401, 403, 409, 503
   */
  organizationId(): Promise<string>;
  /** Does something once, as soon as the next call has been sent: its answer can take long. */
  whenSent(then: () => void): void;
  /** From the next call on, the gate refuses keys that are limited to networks: 403. */
  requireAllNetworks(): void;
  /**
   * From the next call on, fails unless the history of the organization is whole from an instant on.
   * @param isCursor whether the instant is that of a cursor, and not one that the caller has sent
   * @throws {ApiError} 410, from the calls
   */
  requireHistory(instant: string, isCursor: boolean): void;
  /** From the next call on, what takes too long is blamed on the size of the body. */
  noteLargeBody(): void;
  /**
   * Runs queries as one HTTP call and one transaction, behind the gate. All calls of a session see
   * the same networks: one after the key's networks have changed fails, so that a list that is read
   * in several calls breaks off instead of ending early.
   *
   * What only reads runs once more if the way to the database broke before an answer had come, and at
   * least half of its time is left. What writes never does: it may have been committed.
   * @param build the queries whose results are returned; they find nothing of other tenants
   * @param options.first queries that run before them, in the same transaction
   * @param options.violations the errors of constraints that these queries can violate
   * @param options.signal ends the call early, for instance when the client has gone
   * @param options.isLong whether the call may take {@link longDeadlineFactor} times the usual deadline
   * @param options.isRead whether the queries only read; by default those of a session that does
   * @param options.needsSettled whether to tell, as {@link settled}, up to where changes are settled before the
   *   queries run
   * @param options.ifUnknown what a caller does when nobody knows whether the queries have written; by
   *   default, to read first
   * @throws {ApiError} 401, 403, an abort of the queries, 409 (also when the key's networks have
   *   changed since the session's first call) or 503
   */
  run<const Built extends Queries>(
    build: (database: Database) => Built,
    options?: RunOptions,
  ): Promise<BatchResponse<Built>>;
}

/**
 * An import or a large deletion may take so many times the deadline of other calls: 24 s of 8 by default. Neither Neon
 * nor Workers end such a call. It stays below the 30 s after which many clients and gateways give up, and other
 * requests wait no longer than that for the locks that it holds.
 */
export const longDeadlineFactor = 3;

/** A key that is well-formed, by its hash, the least role that the operation needs, and who asks. */
interface PresentedKey {
  keyHash: string;
  role: Role;
  /** Kept with what the request changes (API contract, section 11). */
  requestId: string;
}

/** The most keys whose id and organization an isolate remembers: about 3 MB. */
const maximumRemembered = 10_000;

/** Whose the keys are that the gate has let in, by their hashes. */
const callers = new Map<string, Caller>();

function remember(keyHash: string, caller: Caller): void {
  callers.set(keyHash, caller);
  if (callers.size > maximumRemembered) {
    const [oldest] = callers.keys();
    callers.delete(oldest ?? keyHash);
  }
}

/**
 * Opens a session for the bearer of a key. Costs nothing: the gate runs with the queries.
 * @param isReading whether all of the session's calls only read
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
        // What follows would be sealed for no organization, and open nowhere.
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
      hasRun = true;
      const deadlineMs = settings.DATABASE_DEADLINE_MS * (isLong ? longDeadlineFactor : 1);
      const startedAt = Date.now();
      const endsAt = startedAt + deadlineMs;
      const deadline = AbortSignal.timeout(deadlineMs);
      const database = connect(settings, signal ? AbortSignal.any([signal, deadline]) : deadline);
      const preceding = first?.(database) ?? [];
      const asked = build(database);
      // Last: what they have read is whole where the limit is where it was.
      const following = neededHistory ? [database.execute(neededHistory)] : [];
      const queries = [...preceding, ...asked, ...following];
      // Of what the gate writes, when the key was used, nothing is lost or doubled by a second time.
      const isWrite = !isRead && queries.length > 0;
      const attempt = async (leftMs: number) => {
        const results = await database.batch([
          database.execute<Entered>(enter(key, leftMs, { needsAllNetworks, needsSettled })),
          ...queries,
        ]);
        // The gate returns one row, or ends the batch.
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
          const { retryAfterMs } = verdictOf(error);
          if (isWrite || retryAfterMs === null || endsAt - Date.now() < deadlineMs / 2) {
            throw error;
          }
          if (retryAfterMs > 0) {
            await new Promise((resolve) => setTimeout(resolve, retryAfterMs));
          }
          return attempt(endsAt - Date.now());
        })
        .catch((error: unknown) => {
          throw translateFailure(error, violations, { isWrite, isLarge, ifUnknown });
        })
        .finally(() => {
          databaseMs += Date.now() - startedAt;
        });
      const [found] = entered.rows;
      if (found) {
        caller = { key_id: found.key_id, organization_id: found.organization_id };
        reach ??= found.reach;
        settled = found.settled;
        remember(key.keyHash, caller);
      }
      if (found?.reach !== reach) {
        throw new ApiError("request_conflict", {});
      }
      // TypeScript cannot type this slice: only the results of what was asked are returned.
      const end = preceding.length + asked.length;
      return results.slice(preceding.length, end) as unknown as BatchResponse<Built>;
    },
  };
}

/** What the gate says of a key that it lets in. */
interface Entered extends Record<string, unknown> {
  key_id: string;
  organization_id: string;
  /** A digest of the networks that the key reaches. */
  reach: string;
  settled: string | null;
}

/**
 * The gate, `app.enter`, and the change to the role that row level security applies to.
 * The function is scanned before the role is set, and ends the batch unless the key is good.
 */
const enter = (
  { keyHash, role, requestId }: PresentedKey,
  deadlineMs: number,
  { needsAllNetworks, needsSettled }: { needsAllNetworks: boolean; needsSettled: boolean },
): SQL => sql`
  select set_config('role', 'inventory_api', true), ${ownSearchPath},
    set_config('app.request_id', ${requestId}, true),
    -- No column of a type of ours: Neon's proxy would look each such type up on each new connection.
    entered.key_id, entered.organization_id, entered.reach, entered.settled
  from app.enter(decode(${keyHash}, 'hex'), ${role}, ${deadlineMs}, ${needsAllNetworks},
    ${needsSettled}) as entered`;
