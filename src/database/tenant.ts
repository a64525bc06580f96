import { type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Settings } from "../env.ts";
import { ApiError, type ErrorCode, type ErrorParams } from "../http/errors.ts";
import { connect, type Database } from "./connection.ts";
import { type Caller, translateFailure } from "./failure.ts";
import type { Role } from "./schema/index.ts";

type Queries = readonly BatchItem<"pg">[];

interface AskOptions {
  after?: (database: Database) => Queries;
  signal?: AbortSignal;
}

/** The database as one caller may see it. */
export interface TenantSession {
  /** Who asked; null until the gate has let the caller in. */
  readonly caller: Caller | null;
  /** Whether the gate has been asked, with whatever verdict. */
  readonly hasAsked: boolean;
  /** From the next call on, the gate refuses keys that are limited to networks: 403. */
  requireAllNetworks(): void;
  /**
   * Runs queries as one HTTP call and one transaction, behind the gate. All calls of a session see
   * the same networks: one after the key's networks have changed fails, so that a list that is read
   * in several calls breaks off instead of ending early.
   * @param state states the queries; those of other tenants' records find nothing
   * @param options.after states what is done before the queries, in the same transaction
   * @param options.signal ends the call early, for instance when the client has gone
   * @throws {ApiError} 401, 403, an abort of the queries, 409 (also when the key's networks have
   *   changed since the session's first call) or 503
   */
  ask<const Asked extends Queries>(
    state: (database: Database) => Asked,
    options?: AskOptions,
  ): Promise<BatchResponse<Asked>>;
}

/** A key that is well-formed, by its hash, and the least role that the operation needs. */
export interface PresentedKey {
  keyHash: string;
  role: Role;
}

/** Opens a session for the bearer of a key. Costs nothing: the gate is asked with the queries. */
export function openTenantSession(settings: Settings, key: PresentedKey): TenantSession {
  let caller: Caller | null = null;
  let hasAsked = false;
  let needsAllNetworks = false;
  let reach: string | null = null;
  return {
    get caller() {
      return caller;
    },
    get hasAsked() {
      return hasAsked;
    },
    requireAllNetworks() {
      needsAllNetworks = true;
    },
    async ask<const Asked extends Queries>(
      state: (database: Database) => Asked,
      { after, signal }: AskOptions = {},
    ): Promise<BatchResponse<Asked>> {
      hasAsked = true;
      const deadline = AbortSignal.timeout(settings.DATABASE_DEADLINE_MS);
      const database = connect(settings, signal ? AbortSignal.any([signal, deadline]) : deadline);
      const gate = database.execute<Entered>(
        enter(key, settings.DATABASE_DEADLINE_MS, needsAllNetworks),
      );
      const before = after?.(database) ?? [];
      const [entered, ...answers] = await database
        .batch([gate, ...before, ...state(database)])
        .catch((error: unknown) => {
          throw translateFailure(error);
        });
      const [found] = entered.rows;
      if (found) {
        caller = { key_id: found.key_id, organization_id: found.organization_id };
        reach ??= found.reach;
      }
      if (found?.reach !== reach) {
        throw new ApiError("request_conflict", {});
      }
      // The compiler does not count: behind the gate's answer and those before lie the queries'.
      return answers.slice(before.length) as unknown as BatchResponse<Asked>;
    },
  };
}

/** What the gate says of a key that it lets in. */
interface Entered extends Record<string, unknown> {
  key_id: string;
  organization_id: string;
  /** A digest of the networks that the key reaches. */
  reach: string;
}

/**
 * The gate (migration `hardening`), and the change to the role that row level security applies to.
 * The function is scanned before the role is set, and ends the batch unless the key is good.
 */
const enter = ({ keyHash, role }: PresentedKey, deadlineMs: number, needsAll: boolean): SQL => sql`
  select set_config('role', 'inventory_api', true), entered.*
  from app.enter(decode(${keyHash}, 'hex'), ${role}, ${deadlineMs}, ${needsAll}) as entered`;

/** A select of the `code` and the `params` of an error that is due, or of no row if none is. */
export type Verdict = SQL;

/** A verdict with fixed parameters, due when a condition holds. */
export const verdictWhen = <Code extends ErrorCode>(
  condition: SQL,
  code: Code,
  params: ErrorParams<Code>,
): Verdict =>
  sql`select ${code}::text as code, ${JSON.stringify(params)}::jsonb as params where ${condition}`;

/**
 * A query that ends the batch with the first of these errors that is due. Whatever the batch did
 * before is undone.
 */
export const abortOnFirst = (database: Database, verdicts: readonly Verdict[]) => {
  const ranked = verdicts.map(
    (verdict, rank) => sql`(select ${rank}::int as rank, * from (${verdict}) as verdict)`,
  );
  return database.execute(sql`
    select app.abort(due.code, due.params)
    from (select * from (${sql.join(ranked, sql` union all `)}) as verdict order by rank limit 1) as due`);
};
