import { sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Settings } from "../env.ts";
import { connect, type Database, MalformedResponse, ownSearchPath } from "./connection.ts";
import { translateFailure, type Violations } from "./failure.ts";

/** A database session with the rights of an operator key. */
export interface OperatorSession {
  /** The id of the operator key; null until the gate has accepted it. */
  readonly keyId: string | null;
  /** True if the gate has run, regardless of its result. */
  readonly hasRun: boolean;
  /** The total duration of all completed database calls, in milliseconds. */
  readonly databaseMs: number;
  /**
   * Runs queries as one HTTP call and one transaction, behind the gate for operators. The queries
   * can only call the functions for operators: no row of an organization is visible to them.
   * @param violations the errors for constraints that these queries can violate
   * @throws {ApiError} 401; 403 for a key or token of an organization; 409; 503; or the error with
   *   which a query aborts the batch
   */
  run<const Built extends readonly BatchItem<"pg">[]>(
    build: (database: Database) => Built,
    violations?: Violations,
  ): Promise<BatchResponse<Built>>;
}

/**
 * Opens a session for the bearer of an operator key. This does not make a call, because the gate
 * runs together with the queries.
 * @param isReading true if all calls of the session only read
 */
export function openOperatorSession(
  settings: Settings,
  { keyHash, requestId }: { keyHash: string; requestId: string },
  isReading: boolean,
): OperatorSession {
  let keyId: string | null = null;
  let hasRun = false;
  let databaseMs = 0;
  return {
    get keyId() {
      return keyId;
    },
    get hasRun() {
      return hasRun;
    },
    get databaseMs() {
      return databaseMs;
    },
    async run<const Built extends readonly BatchItem<"pg">[]>(
      build: (database: Database) => Built,
      violations?: Violations,
    ): Promise<BatchResponse<Built>> {
      hasRun = true;
      const deadlineMs = settings.DATABASE_DEADLINE_MS;
      const startedAt = Date.now();
      const database = connect(settings, AbortSignal.timeout(deadlineMs));
      const queries = build(database);
      try {
        const [, entered, ...results] = await database.batch([
          database.execute(sql`
            select set_config('role', 'inventory_api', true), ${ownSearchPath},
              set_config('app.request_id', ${requestId}, true)`),
          database.execute<{ key_id: string }>(
            sql`select app.enter_operator(decode(${keyHash}, 'hex'), ${deadlineMs}) as key_id`,
          ),
          ...queries,
        ]);
        const [row] = entered.rows;
        if (row === undefined) {
          throw new MalformedResponse();
        }
        keyId = row.key_id;
        // TypeScript cannot see that only the first two results are dropped.
        return results as unknown as BatchResponse<Built>;
      } catch (error) {
        throw translateFailure(error, violations, {
          isWrite: !isReading && queries.length > 0,
          isLarge: false,
          ifUnknown: "read_first",
        });
      } finally {
        databaseMs += Date.now() - startedAt;
      }
    },
  };
}
