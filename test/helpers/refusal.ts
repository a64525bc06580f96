import { NeonDbError } from "@neondatabase/serverless";

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
