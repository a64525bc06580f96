import { env } from "cloudflare:workers";
import { NeonDbError, neon, types } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import { rfc3339 } from "../../src/database/tables/columns.ts";

/** The oid of `timestamp with time zone`. */
const timestamptz = 1184;

/** The database as its owner sees it, without row-level security, for setup and inspection. */
export const sql = neon(env.DATABASE_URL);
export const database = drizzle({ client: sql });

// The Worker sets this global parser of the driver when it opens its first connection. Set it here
// as well, so that query results do not depend on earlier tests.
types.setTypeParser(timestamptz, rfc3339);

/**
 * Returns the first query of a transaction that assumes the API's role without passing the gate.
 */
export const becomeApi = () => sql`set local role inventory_api`;

/** Returns the first query of a transaction that passes the gate as the API does. */
export const enter = (key: string) => sql`
  select set_config('role', 'inventory_api', true), entered.key_id, entered.organization_id
  from app.enter(sha256(convert_to(${key}, 'UTF8')), 'Viewer', 8000) as entered`;

/** The error of a rejected query. */
export interface Refusal {
  code: string | undefined;
  constraint: string | undefined;
}

/** Returns the error of a query that must fail; fails the test if it succeeds. */
export async function refusalOf(query: PromiseLike<unknown>): Promise<Refusal> {
  try {
    await query;
  } catch (error) {
    if (error instanceof NeonDbError) {
      return { code: error.code, constraint: error.constraint };
    }
    throw error;
  }
  throw new Error("the query succeeded, but must fail");
}

/** Returns the error with which `app.abort`, or a similar function, aborts a transaction. */
export async function abortionOf(
  query: PromiseLike<unknown>,
): Promise<{ sqlstate: string | undefined; detail: Record<string, unknown> }> {
  try {
    await query;
  } catch (error) {
    if (error instanceof NeonDbError) {
      return { sqlstate: error.code, detail: JSON.parse(error.detail ?? "{}") };
    }
    throw error;
  }
  throw new Error("the query succeeded, but must fail");
}
