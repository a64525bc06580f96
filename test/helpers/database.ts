import { env } from "cloudflare:workers";
import { NeonDbError, neon, types } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import { rfc3339 } from "../../src/database/tables/columns.ts";

/** The oid of `timestamp with time zone`. */
const timestamptz = 1184;

/** The database as its owner, past row level security: to arrange and to look. */
export const sql = neon(env.DATABASE_URL);
export const database = drizzle({ client: sql });

// The Worker sets this global of the driver with its first connection. From the start, so that what
// a test reads does not depend on what ran before it.
types.setTypeParser(timestamptz, rfc3339);

/** The role of the API without the gate: the first query of a transaction. */
export const becomeApi = () => sql`set local role inventory_api`;

/** The gate, as the API passes it: the first query of a transaction. */
export const enter = (key: string) => sql`
  select set_config('role', 'inventory_api', true), entered.key_id, entered.organization_id
  from app.enter(sha256(convert_to(${key}, 'UTF8')), 'Viewer', 8000) as entered`;

/** What Postgres says when it refuses. */
export interface Refusal {
  code: string | undefined;
  constraint: string | undefined;
}

/** The refusal that a query must meet; a query that is taken fails the test. */
export async function refusalOf(query: PromiseLike<unknown>): Promise<Refusal> {
  try {
    await query;
  } catch (error) {
    if (error instanceof NeonDbError) {
      return { code: error.code, constraint: error.constraint };
    }
    throw error;
  }
  throw new Error("the database took what it must refuse");
}

/** What `app.abort`, or a function like it, says when it ends a transaction. */
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
  throw new Error("the database took what it must refuse");
}
